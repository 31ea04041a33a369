package logstore

import (
	"encoding/binary"
	"fmt"
)

// Verify reads frames of a segment that gets no more groups. It begins at from, where a frame must begin, and ends when
// it has read limit bytes or more, or at size, the end of the segment. next is where to go on. Damage is a
// [CorruptError]. Any goroutine.
func (l *Log) Verify(id uint32, from, size, limit int64) (next int64, err error) {
	head := make([]byte, frameHeader)
	for at := from; at < size; {
		if at-from >= limit {
			return at, nil
		}
		place := Ref{Segment: id, Offset: uint32(at)}
		if err := l.ReadAt(head, place); err != nil {
			return at, err
		}
		n := int64(binary.LittleEndian.Uint32(head[4:]))
		if n > maxPayload || at+frameHeader+n > size {
			return at, &CorruptError{
				File:   l.FileName(id),
				Offset: at,
				Reason: fmt.Sprintf("a frame of %d bytes goes beyond the end", n),
			}
		}
		whole := make([]byte, frameHeader+n)
		if err := l.ReadAt(whole, place); err != nil {
			return at, err
		}
		if _, _, err := parseFrame(whole); err != nil {
			return at, &CorruptError{File: l.FileName(id), Offset: at, Reason: err.Error()}
		}
		at += int64(len(whole))
	}
	return size, nil
}
