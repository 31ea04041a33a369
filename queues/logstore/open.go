package logstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Open takes the lock, replays the log, cuts a torn tail and returns the log ready for appending. The directory is
// made if it does not exist.
func Open(o Options) (*Log, error) {
	if o.FS == nil {
		o.FS = MachineFS{}
	}
	if o.SegmentBytes == 0 {
		o.SegmentBytes = 16 << 20
	}
	if o.SegmentBytes < 0 || o.SegmentBytes > 1<<31 {
		return nil, fmt.Errorf("open log: SegmentBytes %d is outside 1..%d", o.SegmentBytes, 1<<31)
	}
	if _, err := o.FS.List(o.Dir); errors.Is(err, fs.ErrNotExist) {
		mark, err := readMark(o.FS, o.Dir)
		if err == nil && mark != nil {
			err = &CorruptError{File: o.Dir, Reason: "the folder is missing"}
		}
		if err != nil {
			return nil, fmt.Errorf("open log %s: %w", o.Dir, err)
		}
	}
	if err := o.FS.MkdirAll(o.Dir); err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	lock, err := o.FS.Lock(path.Join(o.Dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("open log %s: %w", o.Dir, err)
	}
	l := &Log{o: o, fs: o.FS, lock: lock}
	l.changed, l.unwatch = o.FS.Watch(o.Dir)
	if err := l.load(); err != nil {
		l.failed = err
		return nil, errors.Join(fmt.Errorf("open log %s: %w", o.Dir, err), l.Close())
	}
	return l, nil
}

func (l *Log) load() error {
	segments, snapshots, err := l.list()
	if err != nil {
		return err
	}
	mark, err := readMark(l.fs, l.o.Dir)
	if err != nil {
		return err
	}
	if mark != nil {
		l.marked = markStale
		if err := mark.check(l.o.Dir, segments); err != nil {
			return err
		}
		if mark.closed {
			l.marked = markClosed
		}
	}
	if n := len(snapshots); n > 0 {
		l.snapshot = snapshots[n-1]
		if err := l.loadSnapshot(l.snapshot); err != nil {
			return err
		}
		// Older ones are left from a crash between the rename of the newer and the removal of the older.
		for _, old := range snapshots[:n-1] {
			if err := l.fs.Remove(path.Join(l.o.Dir, snapshotName(old))); err != nil {
				return err
			}
		}
	}
	l.report.Snapshot = l.snapshot
	if err := l.checkGaps(segments); err != nil {
		return err
	}
	for i, id := range segments {
		s := &segment{id: id, name: path.Join(l.o.Dir, segmentName(id))}
		l.segments = append(l.segments, s)
		if id < l.snapshot {
			if err := l.measure(s); err != nil {
				return err
			}
			if mark != nil {
				if err := mark.checkSize(s, s.size); err != nil {
					return err
				}
			}
			continue
		}
		if err := l.replaySegment(s, i == len(segments)-1, mark); err != nil {
			return err
		}
		l.tail = s
	}
	l.report.Segments = len(l.segments)
	if l.tail == nil {
		return l.create(max(1, l.snapshot))
	}
	if mark != nil && mark.closed && l.seq != mark.seq {
		return &CorruptError{
			File:   l.tail.name,
			Reason: fmt.Sprintf("its last frame is number %d, and was %d when the log was closed", l.seq, mark.seq),
		}
	}
	if l.tail.size == 0 {
		// The crash came before the segment's first frame was durable.
		l.segments = l.segments[:len(l.segments)-1]
		return errors.Join(l.tail.file.Close(), l.create(l.tail.id))
	}
	return nil
}

// list finds the files of the log and removes a half-written snapshot.
func (l *Log) list() (segments, snapshots []uint32, err error) {
	if segments, snapshots, err = l.present(); err != nil {
		return nil, nil, err
	}
	for _, name := range l.halves {
		if err := l.fs.Remove(path.Join(l.o.Dir, name)); err != nil {
			return nil, nil, err
		}
	}
	return segments, snapshots, nil
}

// present finds the files of the log, and notes half-written snapshots.
func (l *Log) present() (segments, snapshots []uint32, err error) {
	names, err := l.fs.List(l.o.Dir)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		base, _, _ := strings.Cut(name, ".")
		n, err := strconv.ParseUint(base, 10, 32)
		id := uint32(n)
		switch {
		case err != nil: // not a file of the log
		case name == segmentName(id):
			segments = append(segments, id)
		case name == snapshotName(id):
			snapshots = append(snapshots, id)
		case name == snapshotName(id)+".tmp":
			l.halves = append(l.halves, name)
		}
	}
	slices.Sort(segments)
	slices.Sort(snapshots)
	return segments, snapshots, nil
}

// checkGaps refuses a log that lacks a segment which replay needs. Segments below the snapshot may be missing: they
// were dropped.
func (l *Log) checkGaps(segments []uint32) error {
	want := max(1, l.snapshot)
	for _, id := range segments {
		if id < l.snapshot {
			continue
		}
		if id != want {
			return &CorruptError{File: path.Join(l.o.Dir, segmentName(want)), Reason: "the file is missing"}
		}
		want++
	}
	if l.snapshot > 0 && want == l.snapshot {
		return &CorruptError{File: path.Join(l.o.Dir, segmentName(want)), Reason: "the file is missing"}
	}
	return nil
}

func (l *Log) measure(s *segment) error {
	f, err := l.fs.Open(s.name)
	if err != nil {
		return err
	}
	s.size, err = f.Size()
	s.synced = s.size
	return errors.Join(err, f.Close())
}

func readAll(f File) ([]byte, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	if _, err := f.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data, nil
}

// replaySegment hands out the groups of one segment. A bad tail of the last segment is cut; anything else that does
// not read is an error.
func (l *Log) replaySegment(s *segment, last bool, mark *mark) error {
	file, err := l.fs.Open(s.name)
	if err != nil {
		return err
	}
	s.file = file
	data, err := readAll(file)
	if err != nil {
		return fmt.Errorf("read %s: %w", s.name, err)
	}
	if mark != nil {
		if err := mark.checkSize(s, int64(len(data))); err != nil {
			return err
		}
	}
	at := 0
	for at < len(data) {
		f, n, err := parseFrame(data[at:])
		if err == nil {
			err = l.checkFrame(s, f, at)
		}
		if err != nil {
			if !last || mark != nil && mark.closed || errors.Is(err, errVersion) {
				return &CorruptError{File: s.name, Offset: int64(at), Reason: err.Error()}
			}
			if err := l.cut(s, data, at, err); err != nil {
				return err
			}
			break
		}
		l.seq = f.seq
		if f.kind == kindGroup {
			ref := Ref{Segment: s.id, Offset: uint32(at + frameHeader)}
			if l.o.Replay != nil {
				if err := l.o.Replay(ref, f.payload); err != nil {
					return fmt.Errorf("replay %s at %d: %w", s.name, at, err)
				}
			}
			l.report.Groups++
		}
		at += n
	}
	if at == 0 && !last {
		return &CorruptError{File: s.name, Reason: "the file is empty"}
	}
	s.size, s.synced = int64(at), int64(at)
	return nil
}

// checkFrame refuses a frame that is sound in itself but does not belong here.
func (l *Log) checkFrame(s *segment, f frame, at int) error {
	if at == 0 {
		if f.kind != kindSegment || len(f.payload) != 4 || binary.LittleEndian.Uint32(f.payload) != s.id {
			return fmt.Errorf("this is not the start of segment %d", s.id)
		}
	} else if f.kind != kindGroup {
		return fmt.Errorf("a frame of kind %d is out of place", f.kind)
	}
	if l.seq != 0 && f.seq != l.seq+1 {
		return fmt.Errorf("frame %d follows frame %d", f.seq, l.seq)
	}
	return nil
}

// cut removes everything from at on, unless a frame further on proves that the place was once durable.
func (l *Log) cut(s *segment, data []byte, at int, why error) error {
	rest := data[at:]
	if proof := l.provenSynced(data, at); proof == 0 {
		return &CorruptError{File: s.name, Reason: why.Error()}
	} else if proof > 0 {
		return &CorruptError{File: s.name, Offset: int64(at),
			Reason: why.Error() + ", and a sound frame follows at offset " + strconv.Itoa(proof)}
	}
	lost := 0
	eachSound(rest, l.seq, func(frame, int) bool { lost++; return true })
	if err := s.file.Truncate(int64(at)); err != nil {
		return fmt.Errorf("cut %s: %w", s.name, err)
	}
	if err := s.file.Sync(); err != nil {
		return fmt.Errorf("cut %s: %w", s.name, err)
	}
	text := fmt.Sprintf(
		"%s: cut %d bytes from offset %d on (%v): what a crash leaves of a write that was not confirmed",
		s.name,
		len(rest),
		at,
		why,
	)
	if lost > 0 {
		text += fmt.Sprintf("; %d later groups, which were not confirmed either, went with them", lost)
	}
	l.report.Cut = append(l.report.Cut, text)
	return nil
}
