package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"eddy/runtime/journal"
)

// Update writes what came into the files: into the lines of events that differ, and of those of which the file says
// nothing. All other lines keep their bytes. It returns how many lines have changed.
func Update(events []*Replayed) (changed int, err error) {
	files := map[string]*rewriting{}
	var names []string
	for _, e := range events {
		f := files[e.File]
		if f == nil {
			f = &rewriting{lines: map[int]*journal.Line{}, more: map[int][]*journal.Line{}}
			files[e.File] = f
			names = append(names, e.File)
		}
		f.event(e, e.Line)
	}
	for _, name := range names {
		n, err := files[name].write(name)
		if err != nil {
			return changed, fmt.Errorf("update %s: %w", name, err)
		}
		changed += n
	}
	return changed, nil
}

// rewriting is what changes in a file. A line that is nil goes; more are lines that come after one.
type rewriting struct {
	lines map[int]*journal.Line
	more  map[int][]*journal.Line
}

func (f *rewriting) event(e *Replayed, cause *journal.Line) {
	switch {
	case e.Got == nil && e.Number > 0 && e.Line != cause:
		f.lines[e.Number] = nil // it does not happen any more
	case e.Got != nil && (len(e.Differences) > 0 || !known(e.Line)):
		f.lines[e.Number] = accepted(e.Line, e.Got)
	}
	for i, child := range e.Children {
		if child.Number == 0 {
			line := *child.Line
			line.Trace, line.Parent, line.Span, line.Links = cause.Trace, e.Line.Span, derived(e.Line.Span, i), nil
			f.more[e.Number] = append(f.more[e.Number], &line)
			continue
		}
		f.event(child, e.Line)
	}
}

// derived is the span of an event that the file does not have: the same in each update.
func derived(parent string, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", parent, n))
	return hex.EncodeToString(sum[:8])
}

// accepted is a line with what became of the event now.
func accepted(want, got *journal.Line) *journal.Line {
	line := *want
	line.Outcome, line.Error, line.Exceptions, line.Logs = got.Outcome, got.Error, got.Exceptions, got.Logs
	line.Sent, line.Cut, line.WallMS = got.Sent, got.Cut, got.WallMS
	line.Outgoing = nil
	for _, o := range got.Outgoing {
		if !strings.HasPrefix(o.Error, noAnswer) {
			line.Outgoing = append(line.Outgoing, o)
		}
	}
	line.Accesses, line.Random, line.Clock = got.Accesses, got.Random, got.Clock
	if want.Request != nil && got.Request != nil {
		r := *want.Request
		r.Status = got.Request.Status
		line.Request = &r
	}
	if want.Mail != nil && got.Mail != nil {
		m := *want.Mail
		m.Did = got.Mail.Did
		line.Mail = &m
	}
	line.Messages = nil
	for _, m := range want.Messages {
		for i := range got.Messages {
			if g := &got.Messages[i]; g.ID == m.ID {
				m.Outcome, m.Delay = g.Outcome, g.Delay
			}
		}
		line.Messages = append(line.Messages, m)
	}
	return &line
}

func (f *rewriting) write(name string) (changed int, err error) {
	if len(f.lines)+len(f.more) == 0 {
		return 0, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	var out bytes.Buffer
	number := 0
	for line := range bytes.Lines(text) {
		number++
		l, replaced := f.lines[number]
		if replaced {
			changed++
			if l == nil {
				continue
			}
			if line, err = l.Marshal(); err != nil {
				return 0, err
			}
		}
		out.Write(line)
		for _, l := range f.more[number] {
			changed++
			if line, err = l.Marshal(); err != nil {
				return 0, err
			}
			out.Write(line)
		}
	}
	return changed, replace(name, out.Bytes(), info.Mode().Perm())
}

// replace writes a file anew, whole or not at all.
func replace(name string, text []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
