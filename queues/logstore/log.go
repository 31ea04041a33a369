package logstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sync"
)

// Durability says when an append counts as done.
type Durability int

const (
	// Strict syncs before Append returns: what was acknowledged survives a power cut.
	Strict Durability = iota
	// Relaxed leaves syncing to the operating system: what was acknowledged survives the end of the process, but
	// the last moments before a power cut may be lost.
	Relaxed
)

// Options are the arguments of [Open].
type Options struct {
	Dir string
	// FS is the file system; nil means [MachineFS].
	FS FS
	// SegmentBytes is the size at which a new segment is begun; 0 means 16 MiB. A group is never split, so a
	// segment may be larger by one group.
	SegmentBytes int64
	Durability   Durability
	// LoadSnapshot is given the pieces of the newest snapshot, in order. The slice is valid during the call.
	LoadSnapshot func(piece []byte) error
	// Replay is given every group after that snapshot, in order, with the place of its first byte. The slice is
	// valid during the call.
	Replay func(at Ref, group []byte) error
}

// Ref is a place in the log.
type Ref struct {
	Segment uint32
	Offset  uint32
}

// Segment describes one segment file.
type Segment struct {
	ID    uint32
	Bytes int64
	// Sealed segments are covered by a snapshot and may be dropped.
	Sealed bool
}

// Report says what Open found.
type Report struct {
	Segments int
	Groups   int
	// Snapshot is the segment the newest snapshot belongs to, 0 if there is none.
	Snapshot uint32
	// Cut has one line for everything that was removed from the tail, empty after a clean end.
	Cut []string
}

// Log is an open log; see the package documentation for who may call what.
type Log struct {
	o    Options
	fs   FS
	lock Lock

	// Owned by the appending goroutine.
	seq      uint64 // of the last frame
	tail     *segment
	snapshot uint32
	buf      []byte
	failed   error    // the reason of the poisoning
	marked   int      // what the mark on disk says, one of markNone …
	halves   []string // snapshots that a crash left half written
	// changed tells whether the folder may be another one, or hold other files, than at the last look.
	changed func() bool
	unwatch func() error

	mu       sync.RWMutex
	segments []*segment // guarded by mu; ascending ids
	report   Report
}

type segment struct {
	id     uint32
	name   string
	file   File  // opened on first use, guarded by Log.mu
	size   int64 // owned by the appending goroutine, as is synced
	synced int64
}

func segmentName(id uint32) string  { return fmt.Sprintf("%08d.log", id) }
func snapshotName(id uint32) string { return fmt.Sprintf("%08d.snap", id) }

// Report says what Open found.
func (l *Log) Report() Report { return l.report }

// Append writes one group as one frame and says where its first byte is. With sync false, or under [Relaxed]
// durability, it does not wait for the disk.
func (l *Log) Append(group []byte, sync bool) (Ref, error) {
	if err := l.usable(); err != nil {
		return Ref{}, err
	}
	if len(group) > maxPayload {
		return Ref{}, fmt.Errorf("append to log: group of %d bytes exceeds %d", len(group), maxPayload)
	}
	// Somebody else may have the lock by now. Then the log is not this process's to write to. And a group in a file
	// that is no longer at its path is lost, so it must not be acknowledged.
	if err := l.inPlace(); err != nil {
		return Ref{}, err
	}
	if err := l.ensureMark(); err != nil {
		return Ref{}, err
	}
	if l.tail.size >= l.o.SegmentBytes {
		if err := l.rotate(); err != nil {
			return Ref{}, l.refused("begin a new segment", err)
		}
	}
	at := l.tail.size + frameHeader
	seq := l.seq
	if err := l.write(kindGroup, group); err != nil {
		op := "append to " + l.tail.name
		if noRoom(err) {
			err = errors.Join(err, l.tail.file.Truncate(l.tail.size))
			l.seq = seq
		}
		return Ref{}, l.refused(op, err)
	}
	if sync {
		if err := l.Sync(); err != nil {
			return Ref{}, err
		}
	}
	return Ref{Segment: l.tail.id, Offset: uint32(at)}, nil
}

// Sync waits until everything appended is durable. Under [Relaxed] durability it does nothing.
func (l *Log) Sync() error {
	if err := l.usable(); err != nil {
		return err
	}
	if l.o.Durability == Relaxed {
		return nil
	}
	if err := l.syncTail(); err != nil {
		return err
	}
	return l.inPlace() // the disk may have taken its time
}

func (l *Log) syncTail() error {
	if l.tail.synced == l.tail.size {
		return nil
	}
	if err := l.tail.file.Sync(); err != nil {
		return l.poison("sync "+l.tail.name, err)
	}
	l.tail.synced = l.tail.size
	return nil
}

func (l *Log) write(kind byte, payload []byte) error {
	l.seq++
	l.buf = appendFrame(l.buf[:0], frame{kind: kind, seq: l.seq, synced: uint32(l.tail.synced), payload: payload})
	n, err := l.tail.file.WriteAt(l.buf, l.tail.size)
	if err == nil && n < len(l.buf) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return err
	}
	l.tail.size += int64(n)
	if cap(l.buf) > 4<<20 {
		l.buf = nil
	}
	return nil
}

// ensureMark makes the mark say that the log is being written to. The first mark comes when the log's first file is
// durable, which nobody has waited for until then.
func (l *Log) ensureMark() error {
	if l.marked == markOpen {
		return nil
	}
	if l.marked == markNone {
		if err := l.settle(); err != nil {
			return l.poison("sync "+l.tail.name, err)
		}
	}
	if err := l.writeMark(false); err != nil {
		return l.refused("write "+MarkFile(l.o.Dir), err)
	}
	return nil
}

// inPlace poisons the log if somebody has removed or replaced the state directory, or the lock, since the log was
// opened. The files that are there now belong to somebody else.
func (l *Log) inPlace() error {
	if err := l.usable(); err != nil {
		return err
	}
	switch {
	case !l.changed():
	case !l.lock.InPlace():
		return l.moved(path.Join(l.o.Dir, "lock"))
	case !l.fs.InPlace(l.tail.name, l.tail.file):
		return l.moved(l.tail.name)
	}
	return nil
}

func (l *Log) moved(name string) error { return l.poison("queues' log "+name, ErrMoved) }

// rotate seals the tail and begins the next segment. The old one is synced first: only the last segment may ever
// have an unsynced tail.
func (l *Log) rotate() error {
	if l.tail != nil && l.tail.synced != l.tail.size {
		if err := l.tail.file.Sync(); err != nil {
			return err
		}
		l.tail.synced = l.tail.size
	}
	var id uint32 = 1
	if l.tail != nil {
		id = l.tail.id + 1
	}
	old, seq := l.tail, l.seq
	if err := l.create(id); err != nil {
		if noRoom(err) && old != nil {
			name, file := l.tail.name, l.tail.file
			if l.tail == old {
				return err // there is no file
			}
			l.tail, l.seq = old, seq
			return errors.Join(err, file.Close(), l.fs.Remove(name))
		}
		return err
	}
	if err := l.writeMark(false); err != nil {
		l.marked = markStale // it may say so later
		return err
	}
	return nil
}

func (l *Log) create(id uint32) error {
	name := path.Join(l.o.Dir, segmentName(id))
	file, err := l.fs.Create(name)
	if err != nil {
		return err
	}
	l.tail = &segment{id: id, name: name, file: file}
	if err := l.write(kindSegment, binary.LittleEndian.AppendUint32(nil, id)); err != nil {
		return err
	}
	// Where there is no mark, nothing was ever written: a power cut may take such a file, or leave half of it.
	if l.marked != markNone {
		if err := l.settle(); err != nil {
			return err
		}
	}
	l.mu.Lock()
	l.segments = append(l.segments, l.tail)
	l.mu.Unlock()
	return nil
}

// settle makes the newest segment durable, and that it is in the folder.
func (l *Log) settle() error {
	if err := l.tail.file.Sync(); err != nil {
		return err
	}
	l.tail.synced = l.tail.size
	return l.fs.SyncDir(l.o.Dir)
}

// ReadAt fills p from the place, which must lie inside a group that was appended or replayed and whose segment was
// not dropped.
func (l *Log) ReadAt(p []byte, at Ref) error {
	file, name, err := l.reader(at.Segment)
	if err != nil {
		return err
	}
	if _, err := file.ReadAt(p, int64(at.Offset)); err != nil {
		if errors.Is(err, io.EOF) {
			return &CorruptError{
				File:   name,
				Offset: int64(at.Offset),
				Reason: fmt.Sprintf("%d bytes were expected here", len(p)),
			}
		}
		return fmt.Errorf("read %s at %d: %w", name, at.Offset, err)
	}
	return nil
}

func (l *Log) reader(id uint32) (File, string, error) {
	l.mu.RLock()
	i, ok := l.find(id)
	if ok && l.segments[i].file != nil {
		defer l.mu.RUnlock()
		return l.segments[i].file, l.segments[i].name, nil
	}
	l.mu.RUnlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if i, ok = l.find(id); !ok {
		name := path.Join(l.o.Dir, segmentName(id))
		return nil, name, &CorruptError{File: name, Reason: "the file is missing"}
	}
	s := l.segments[i]
	if s.file == nil {
		f, err := l.fs.Open(s.name)
		if err != nil {
			return nil, s.name, fmt.Errorf("open segment: %w", err)
		}
		s.file = f
	}
	return s.file, s.name, nil
}

func (l *Log) find(id uint32) (int, bool) {
	return slices.BinarySearchFunc(
		l.segments,
		id,
		func(s *segment, id uint32) int { return int(int64(s.id) - int64(id)) },
	)
}

// FileName is the path of a segment's file.
func (l *Log) FileName(segment uint32) string { return path.Join(l.o.Dir, segmentName(segment)) }

// Segments lists the segment files, oldest first.
func (l *Log) Segments() []Segment {
	l.mu.RLock()
	defer l.mu.RUnlock()
	out := make([]Segment, len(l.segments))
	for i, s := range l.segments {
		out[i] = Segment{ID: s.id, Bytes: s.size, Sealed: s.id < l.snapshot}
	}
	return out
}

// Drop removes a sealed segment. Before that it syncs everything that was appended: what replaces the segment must not
// be lost when the segment is gone.
func (l *Log) Drop(id uint32) error {
	if err := l.inPlace(); err != nil {
		return err
	}
	if id >= l.snapshot {
		return fmt.Errorf("drop segment %d: replay begins at segment %d", id, l.snapshot)
	}
	if err := l.syncTail(); err != nil {
		return err
	}
	l.mu.Lock()
	i, ok := l.find(id)
	if !ok {
		l.mu.Unlock()
		return fmt.Errorf("drop segment %d: there is none", id)
	}
	s := l.segments[i]
	l.segments = slices.Delete(l.segments, i, i+1)
	l.mu.Unlock()
	if s.file != nil {
		if err := s.file.Close(); err != nil {
			return l.poison("close "+s.name, err)
		}
	}
	if err := l.fs.Remove(s.name); err != nil {
		return l.poison("drop "+s.name, err)
	}
	return nil
}

// Err is the reason of the poisoning, nil while the log is usable.
func (l *Log) Err() error { return l.failed }

func (l *Log) usable() error {
	if l.failed != nil {
		return fmt.Errorf("%w: %w", ErrPoisoned, l.failed)
	}
	return nil
}

func (l *Log) poison(op string, err error) error {
	if l.failed == nil {
		l.failed = fmt.Errorf("%s: %w", op, err)
	}
	return l.failed
}

// refused is poison, but for a disk that is full: what failed has been undone then.
func (l *Log) refused(op string, err error) error {
	if !fullOnly(err) {
		return l.poison(op, err)
	}
	return fmt.Errorf("%w: %s: %w", ErrFull, op, err)
}

// fullOnly tells whether nothing else has failed than that the disk is full.
func fullOnly(err error) bool {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range list.Unwrap() {
			if !fullOnly(err) {
				return false
			}
		}
		return true
	}
	return noRoom(err)
}

var errClosed = errors.New("the log is closed")

// Close syncs, whatever the durability, closes the files and gives the lock back. A second Close does nothing.
func (l *Log) Close() error {
	if errors.Is(l.failed, errClosed) {
		return nil
	}
	var errs []error
	if l.failed == nil {
		// A log that was never written to needs neither a sync nor a mark. A log that was not written to since it was
		// opened keeps its mark.
		if l.marked != markNone {
			errs = append(errs, l.syncTail())
		}
		if l.marked != markNone && l.marked != markClosed && l.failed == nil {
			errs = append(errs, l.inPlace())
		}
		if l.failed == nil && l.marked != markNone && l.marked != markClosed {
			errs = append(errs, l.writeMark(true))
		}
	}
	l.failed = errClosed
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.segments {
		if s.file != nil {
			errs = append(errs, s.file.Close())
		}
	}
	l.segments = nil
	return errors.Join(append(errs, l.unwatch(), l.lock.Release())...)
}
