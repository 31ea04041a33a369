package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// segmentLog appends entries to the segments of a folder. A segment has the form that tidwall/wal gave it, whose files
// it goes on with: entries, each after its length as a varint, in a file that is named after the index of its first.
// Nothing is held in memory. One goroutine uses it.
type segmentLog struct {
	dir   string
	limit int64 // from which size on a segment is full
	file  *os.File
	size  int64  // of file
	next  uint64 // index of the next entry
}

// errCut is the error of a last segment that ends within an entry.
var errCut = errors.New("the last segment ends within an entry")

// openSegments opens the log of a folder, or begins one.
func openSegments(dir string, limit int) (*segmentLog, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	list, err := segmentsOf(dir)
	if err != nil {
		return nil, err
	}
	l := &segmentLog{dir: dir, limit: int64(limit), next: 1}
	if len(list) == 0 {
		return l, l.begin()
	}
	last := list[len(list)-1]
	data, err := os.ReadFile(last.path)
	if err != nil {
		return nil, err
	}
	n, err := countEntries(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", last.path, err)
	}
	l.next, l.size = last.index+n, int64(len(data))
	l.file, err = os.OpenFile(last.path, os.O_WRONLY|os.O_APPEND, 0o600)
	return l, err
}

// countEntries counts those of a segment.
func countEntries(data []byte) (n uint64, err error) {
	for len(data) > 0 {
		length, head := binary.Uvarint(data)
		if head <= 0 || length > uint64(len(data)-head) {
			return 0, errCut
		}
		data = data[uint64(head)+length:]
		n++
	}
	return n, nil
}

// begin begins the next segment.
func (l *segmentLog) begin() error {
	file, err := os.OpenFile(filepath.Join(l.dir, fmt.Sprintf("%020d", l.next)),
		os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if l.file != nil {
		err = l.file.Close()
	}
	l.file, l.size = file, 0
	return err
}

// Write appends entries, each of which has its length before it (see appendEntry).
func (l *segmentLog) Write(entries []byte) error {
	for len(entries) > 0 {
		if l.size >= l.limit {
			if err := l.begin(); err != nil {
				return err
			}
		}
		end, count := 0, uint64(0)
		for end < len(entries) && l.size+int64(end) < l.limit {
			length, head := binary.Uvarint(entries[end:])
			end += head + int(length)
			count++
		}
		n, err := l.file.Write(entries[:end])
		l.size += int64(n)
		if err != nil {
			return err
		}
		l.next += count
		entries = entries[end:]
	}
	return nil
}

// LastIndex is that of the last entry, 0 for none.
func (l *segmentLog) LastIndex() uint64 { return l.next - 1 }

// Close ends the log.
func (l *segmentLog) Close() error { return l.file.Close() }

// appendEntry appends an entry as segments have it.
func appendEntry(b, frame []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(frame))), frame...)
}
