package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"eddy/runtime/journal"
)

// Recorded is an event of a file.
type Recorded struct {
	// File and Number are its place. Lines count from 1.
	File   string
	Number int
	Line   *journal.Line
	// At is Line.At.
	At time.Time
}

// LineError is a line that cannot be used.
type LineError struct {
	File   string
	Number int
	Err    error
}

// Error implements error.
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Number, e.Err) }

// Unwrap returns the reason.
func (e *LineError) Unwrap() error { return e.Err }

// maxLine bounds a line: a batch has up to 12.8 MB of bodies, and what it sent up to 8 MB.
const maxLine = 64 << 20

// Read reads a file. damaged has an error for each line that cannot be used; list has the other lines.
func Read(name string, from io.Reader) (list []*Recorded, damaged []error, err error) {
	r := bufio.NewReaderSize(from, 1<<16)
	for number := 1; ; number++ {
		text, ended, err := readLine(r)
		if err != nil {
			return list, damaged, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if len(bytes.TrimSpace(text)) > 0 {
			rec, bad := parse(text)
			if bad != nil {
				damaged = append(damaged, &LineError{name, number, bad})
			} else {
				rec.File, rec.Number = name, number
				list = append(list, rec)
			}
		}
		if ended {
			return list, damaged, nil
		}
	}
}

// readLine reads to the next end of a line; ended says that there is no next line.
func readLine(r *bufio.Reader) (text []byte, ended bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if text = append(text, part...); len(text) > maxLine {
			return nil, false, fmt.Errorf("the line is longer than %d MB", maxLine>>20)
		}
		switch {
		case err == nil:
			return text, false, nil
		case errors.Is(err, io.EOF):
			return text, true, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}

func parse(text []byte) (*Recorded, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if trimmed := bytes.TrimSpace(text); trimmed[0] == '{' && cut(trimmed) {
		return nil, fmt.Errorf("the line breaks off after %d characters; it is left out", len(trimmed))
	}
	line, err := journal.ParseLine(text)
	if err != nil {
		return nil, err
	}
	if line.Kind == journal.Ignore {
		return &Recorded{Line: line}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, line.At)
	if err != nil {
		return nil, err // ParseLine has checked it
	}
	return &Recorded{Line: line, At: at}, check(line)
}

// cut tells whether a text is the beginning of a JSON value.
func cut(text []byte) bool {
	var v json.RawMessage
	err := json.NewDecoder(bytes.NewReader(text)).Decode(&v)
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// check returns an error if a line lacks what a replay needs.
func check(l *journal.Line) error {
	for i := range l.Outgoing {
		o := &l.Outgoing[i]
		for _, b := range []*journal.FileBody{o.Body, answerBody(o)} {
			if b == nil {
				continue
			}
			if _, err := b.Bytes(); err != nil {
				return fmt.Errorf("outgoing request %d: %w", i+1, err)
			}
		}
	}
	switch l.Kind {
	case journal.Socket:
		if l.Object == nil || l.Socket == nil {
			return errors.New("an event of kind websocket: expected object and socket")
		}
	case journal.Email:
		if l.Mail != nil && l.Mail.Text != nil {
			if _, err := mailOf(l); err != nil {
				return err
			}
		}
	case journal.Queue, journal.Lane, journal.Dead:
		if l.Queue == "" || len(l.Messages) == 0 {
			return fmt.Errorf("an event of kind %s: expected queue and messages", l.Kind)
		}
		for i := range l.Messages {
			if _, err := message(&l.Messages[i]); err != nil {
				return fmt.Errorf("message %d: %w", i+1, err)
			}
		}
	case journal.Fetch:
		if l.Request == nil {
			return errors.New("an event of kind fetch: expected request")
		}
		if _, err := request(l); err != nil {
			return err
		}
	case journal.Scheduled, journal.Alarm:
		if _, err := time.Parse(time.RFC3339Nano, l.Scheduled); err != nil {
			return fmt.Errorf("scheduledTime %q: expected a time", l.Scheduled)
		}
	}
	return nil
}

func answerBody(o *journal.FileOutgoing) *journal.FileBody {
	if o.Answer == nil {
		return nil
	}
	return o.Answer.Body
}

// sorted sorts events by the time at which they began. Files have them in the order in which they ended.
func sorted(list []*Recorded) []*Recorded {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *Recorded) int { return cmp.Compare(a.At.UnixMicro(), b.At.UnixMicro()) })
	return list
}
