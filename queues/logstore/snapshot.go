package logstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path"
)

// Snapshot begins a new segment and stores the caller's state as of its start. It calls write once; write calls add
// with each piece of the state. When Snapshot returns, replay begins with those pieces. If Snapshot fails, the log is
// as before, apart from the new segment, unless the log itself is poisoned.
func (l *Log) Snapshot(write func(add func(piece []byte) error) error) error {
	if err := l.inPlace(); err != nil {
		return err
	}
	if err := l.ensureMark(); err != nil {
		return err
	}
	if err := l.rotate(); err != nil {
		return l.refused("begin a new segment", err)
	}
	id := l.tail.id
	name := path.Join(l.o.Dir, snapshotName(id))
	if err := l.writeSnapshot(name+".tmp", write); err != nil {
		return fmt.Errorf("write snapshot: %w", err)
	}
	if err := l.fs.Rename(name+".tmp", name); err != nil {
		return fmt.Errorf("write snapshot: %w", err)
	}
	if err := l.fs.SyncDir(l.o.Dir); err != nil {
		// Nobody knows whether a restart will find the new snapshot.
		return l.poison("sync directory", err)
	}
	old := l.snapshot
	l.mu.Lock()
	l.snapshot = id
	l.mu.Unlock()
	if old != 0 {
		if err := l.fs.Remove(path.Join(l.o.Dir, snapshotName(old))); err != nil {
			return fmt.Errorf("remove old snapshot: %w", err)
		}
	}
	return nil
}

func (l *Log) writeSnapshot(name string, write func(add func(piece []byte) error) error) error {
	f, err := l.fs.Create(name)
	if err != nil {
		return err
	}
	var at int64
	var pieces uint64
	var buf []byte
	put := func(kind byte, payload []byte) error {
		buf = appendFrame(buf[:0], frame{kind: kind, seq: pieces, payload: payload})
		n, err := f.WriteAt(buf, at)
		at += int64(n)
		return err
	}
	err = write(func(piece []byte) error {
		pieces++
		return put(kindSnapshot, piece)
	})
	if err == nil {
		end := binary.LittleEndian.AppendUint64(nil, pieces)
		err = put(kindSnapshotEnd, end)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func (l *Log) loadSnapshot(id uint32) error { return l.readSnapshot(id, l.o.LoadSnapshot) }

// readSnapshot calls load with each piece of a snapshot. load may be nil.
func (l *Log) readSnapshot(id uint32, load func(piece []byte) error) error {
	name := path.Join(l.o.Dir, snapshotName(id))
	f, err := l.fs.Open(name)
	if err != nil {
		return err
	}
	data, err := readAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	var pieces uint64
	for at := 0; ; {
		fr, n, err := parseFrame(data[at:])
		if err != nil {
			return &CorruptError{File: name, Offset: int64(at), Reason: err.Error()}
		}
		switch {
		case fr.kind == kindSnapshot && fr.seq == pieces+1:
			pieces++
			if load != nil {
				if err := load(fr.payload); err != nil {
					return fmt.Errorf("load %s at %d: %w", name, at, err)
				}
			}
		case fr.kind == kindSnapshotEnd && fr.seq == pieces && at+n == len(data):
			return nil
		default:
			return &CorruptError{
				File:   name,
				Offset: int64(at),
				Reason: fmt.Sprintf("frame %d of kind %d is out of place", fr.seq, fr.kind),
			}
		}
		at += n
	}
}
