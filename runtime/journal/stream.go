package journal

import (
	"errors"
	"fmt"
	"io"
)

// Send writes an entry to a stream, in the form that it has in a file; [Receive] reads it.
func Send(w io.Writer, e *Entry) error {
	b, err := appendFrame(nil, e)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// Receive calls f with the entries of a stream until it ends, or f returns an error. A stream that breaks off within an
// entry ends with io.ErrUnexpectedEOF; damage is an error. It takes up to 128 MB, as much as two entries may have.
func Receive(r io.Reader, f func(*Entry) error) error {
	var data []byte
	piece := make([]byte, 32<<10)
	for {
		n, err := r.Read(piece)
		data = append(data, piece[:n]...)
		for {
			e, used, skipped, damage := nextFrame(data)
			if damage != nil || skipped > 0 {
				return fmt.Errorf("what was recorded elsewhere has arrived damaged: %w", damage)
			}
			data = data[used:]
			if e == nil {
				break
			}
			if err := f(e); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF) && len(data) > 0:
			return io.ErrUnexpectedEOF
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
