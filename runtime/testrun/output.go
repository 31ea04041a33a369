package testrun

import (
	"slices"

	"eddy/runtime/engine/host"
)

// Output is a text that a test, or a Worker under test, wrote to the console.
type Output struct {
	// Stderr tells what console.error, warn, trace and assert write from what the other methods write.
	Stderr bool
	// Text has no colours. Coloured, if not empty, is the same text with ANSI colours.
	Text, Coloured string
}

// Silence says which console output of a run nobody hears of.
type Silence string

// The kinds of silence, in the words of vitest's option silent.
const (
	Loud       Silence = ""
	Silent     Silence = "true"
	PassedOnly Silence = "passed-only" // output of tests that fail is told when they have failed
)

// Silences are the values that the option silent takes.
func Silences() []string { return []string{"true", "false", string(PassedOnly)} }

// ParseSilence reads a value of the option. What is none of [Silences] silences nothing.
func ParseSilence(value string) Silence {
	if s := Silence(value); s == Silent || s == PassedOnly {
		return s
	}
	return Loud
}

// place is what runs in a session: a test of a file, or none of them while the file is imported or its hooks run.
type place struct {
	file *File
	task *Task
}

// console takes console output of a Worker of the file's session. Any goroutine.
func (f *fileRun) console(several bool) func(worker string, e host.ConsoleLine) {
	return func(worker string, e host.ConsoleLine) {
		o := Output{Stderr: e.Level == host.LevelError || e.Level == host.LevelWarn, Text: e.Text,
			Coloured: e.Coloured}
		if several {
			o.Text = "[" + worker + "] " + o.Text
			if o.Coloured != "" {
				o.Coloured = "[" + worker + "] " + o.Coloured
			}
		}
		if at := f.running.Load(); at != nil {
			f.run.wrote(at.file, at.task, o)
		}
	}
}

// wrote tells the observer of console output, or keeps it until it is known whether the test fails.
func (r *run) wrote(f *File, t *Task, o Output) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.to == nil || r.o.Silent == Silent:
	case r.o.Silent == PassedOnly:
		at := place{f, t}
		if r.unheard == nil {
			r.unheard = map[place][]Output{}
		}
		r.unheard[at] = append(r.unheard[at], o)
	default:
		r.to.Wrote(f, t, o)
	}
}

// heardLocked is called when a test or a file is over, with mu held: it tells of the output of one that has failed.
func (p *pass) heardLocked(f *File, t *Task, failed bool) {
	at := place{f, t}
	list := slices.Clone(p.unheard[at])
	delete(p.unheard, at)
	if !failed {
		return
	}
	for _, o := range list {
		p.to.Wrote(f, t, o)
	}
}
