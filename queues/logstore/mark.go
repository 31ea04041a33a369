package logstore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The mark is the file <folder>.mark beside the log's folder. It says which files the folder must hold. Without it, a
// tail that was acknowledged could not be told from one that a crash left half written, and a log whose newest files
// are gone would look whole:
//
//	eddy log mark 1
//	sealed 1 16777300       a segment that gets no more groups, and its size
//	newest 2
//	closed 4711 120         after an orderly end: size of the newest segment, sequence number of its last frame
//	sum 1a2b3c4d            CRC-32C of the lines above
//
// It is replaced when a segment is begun, when the log is closed, and before the first write after that. A log without
// a mark was made by an older eddy, or was never written to.
type mark struct {
	newest uint32
	sealed map[uint32]int64
	// closed says that the log ended in order, with size and seq.
	closed bool
	size   int64
	seq    uint64
}

const markHead = "eddy log mark 1\n"

// MarkFile is the file of a log's mark.
func MarkFile(dir string) string { return strings.TrimSuffix(dir, "/") + ".mark" }

func (m *mark) encode() []byte {
	var b bytes.Buffer
	b.WriteString(markHead)
	ids := make([]uint32, 0, len(m.sealed))
	for id := range m.sealed {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		fmt.Fprintf(&b, "sealed %d %d\n", id, m.sealed[id])
	}
	fmt.Fprintf(&b, "newest %d\n", m.newest)
	if m.closed {
		fmt.Fprintf(&b, "closed %d %d\n", m.size, m.seq)
	}
	b.WriteString(sumLine(b.Bytes()))
	return b.Bytes()
}

// sumLine is the last line below those given.
func sumLine(lines []byte) string { return fmt.Sprintf("sum %08x\n", Checksum(lines)) }

var errMark = errors.New("this is not the mark of a log, or it is damaged")

func parseMark(text []byte) (*mark, error) {
	i := bytes.LastIndex(text, []byte("sum "))
	if i < 0 || !bytes.HasPrefix(text, []byte(markHead)) ||
		string(text[i:]) != sumLine(text[:i]) {
		return nil, errMark
	}
	m := &mark{sealed: map[uint32]int64{}}
	for line := range strings.Lines(string(text[len(markHead):i])) {
		var id uint32
		var size int64
		switch word, _, _ := strings.Cut(line, " "); word {
		case "sealed":
			if _, err := fmt.Sscanf(line, "sealed %d %d\n", &id, &size); err != nil {
				return nil, errMark
			}
			m.sealed[id] = size
		case "newest":
			if _, err := fmt.Sscanf(line, "newest %d\n", &m.newest); err != nil {
				return nil, errMark
			}
		case "closed":
			if _, err := fmt.Sscanf(line, "closed %d %d\n", &m.size, &m.seq); err != nil {
				return nil, errMark
			}
			m.closed = true
		default:
			return nil, errMark
		}
	}
	return m, nil
}

// readMark returns nil if there is no mark.
func readMark(files FS, dir string) (*mark, error) {
	f, err := files.Open(MarkFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := readAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", MarkFile(dir), err)
	}
	m, err := parseMark(text)
	if err != nil {
		return nil, &CorruptError{File: MarkFile(dir), Reason: err.Error()}
	}
	return m, nil
}

// writeMark writes durably what the log consists of now.
func (l *Log) writeMark(closed bool) error {
	m := &mark{newest: l.tail.id, sealed: map[uint32]int64{}, closed: closed, size: l.tail.size, seq: l.seq}
	l.mu.RLock()
	for _, s := range l.segments {
		if s != l.tail {
			m.sealed[s.id] = s.size
		}
	}
	l.mu.RUnlock()
	name := MarkFile(l.o.Dir)
	f, err := l.fs.Create(name + ".tmp")
	if err != nil {
		return err
	}
	_, err = f.WriteAt(m.encode(), 0)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := l.fs.Rename(name+".tmp", name); err != nil {
		return err
	}
	if err := l.fs.SyncDir(path.Dir(name)); err != nil {
		return err
	}
	l.marked = markOpen
	if closed {
		l.marked = markClosed
	}
	return nil
}

// What the mark on disk says of the log as it is.
const (
	markNone   = iota // there is none
	markStale         // the log was closed, or a crash ended it
	markOpen          // the log is being written to
	markClosed        // the log ended in order and nothing was written since
)

// check compares the segments that were found with the mark.
func (m *mark) check(dir string, segments []uint32) error {
	if len(segments) > 0 && segments[len(segments)-1] >= m.newest {
		return nil
	}
	return &CorruptError{File: path.Join(dir, segmentName(m.newest)), Reason: "the file is missing"}
}

// checkSize compares the size of a segment with the mark.
func (m *mark) checkSize(s *segment, size int64) error {
	want, ok := m.sealed[s.id]
	why := "when it was full"
	if m.closed && s.id == m.newest {
		want, ok, why = m.size, true, "when the log was closed"
	}
	if !ok || size == want {
		return nil
	}
	return &CorruptError{
		File:   s.name,
		Offset: min(size, want),
		Reason: fmt.Sprintf("it has %d bytes, and had %d %s", size, want, why),
	}
}
