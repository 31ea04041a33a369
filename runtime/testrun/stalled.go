package testrun

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"eddy/runtime/worker"
)

// Stalled is called when nothing of the isolate can go on. If nothing is due on the clock either, what the test waits
// for will never come.
func (e *fileEvent) Stalled() {
	f := e.f
	if f.clock == nil {
		return // somebody may still come; the time-out of the test decides
	}
	go func() {
		if f.clock.WaitIdle(f.inv.Scope.Context()) == nil {
			f.iso.Loop.Post(func() {
				if !f.inv.Over() {
					f.inv.Scope.OnStall(f.inv)
					f.endStalled()
				}
			})
		}
	}()
}

// watch ends l when the whole session can go no further. That is so, too, when the isolate still waits for a handler,
// an object or a stream, which itself waits for what will never come. over ends the watch.
func (f *fileRun) watch(l *limit, over context.Context) {
	if f.clock == nil {
		return
	}
	go func() {
		if f.clock.WaitDead(over) {
			f.iso.Loop.Post(func() {
				if !f.inv.Over() && f.limits[l] {
					f.endStalled()
				}
			})
		}
	}()
}

// endStalled fails what runs.
func (f *fileRun) endStalled() {
	for l := range f.limits {
		f.drop(l)
		text, at := f.waiting(l)
		f.inv.Scope.EnterNow(func() { l.stalled(text, at) })
	}
}

const stalledText = "Nothing is left that could settle what this waits for: no timer, no request and no delivery is " +
	"due."

// maxWaits is how many places a text about a stall has: those that matter are the first.
const maxWaits = 10

// waiting says what a test or hook waits for: each promise that is pending, by the place that awaits it, the test's own
// first, then those of the handlers that have begun since. at are the frames of the test's own, nil if nothing of it
// awaits.
func (f *fileRun) waiting(l *limit) (text string, at any) {
	var own, others []string
	for _, w := range f.iso.Awaits(l.since) {
		who, list := "It", &own
		if w.Scope != f.inv.Scope {
			who, list = waiter(w.Scope.Owner), &others
		} else if w.Key == nil || !w.Key.SameAs(l.mark) {
			continue // of another test
		}
		line := f.awaits(who, w)
		if !slices.Contains(*list, line) {
			*list = append(*list, line)
		}
		if list == &own && at == nil {
			var frames []StackFrame
			for _, s := range w.Frames {
				frames = append(frames, StackFrame{s.Function, s.File, s.Line, s.Column})
			}
			at = frames
		}
	}
	if len(own) == 0 {
		own = []string{"It waits for the promise that it returned."}
	}
	lines := append(own, others...)
	if more := len(lines) - maxWaits; more > 0 {
		lines = append(lines[:maxWaits], fmt.Sprintf("And %d more.", more))
	}
	return strings.Join(append([]string{stalledText}, lines...), "\n"), at
}

// awaits is one line of the text.
func (f *fileRun) awaits(who string, w worker.Await) string {
	where := func(file string, line, column int) string {
		path := strings.TrimPrefix(file, "file://")
		if rel, err := filepath.Rel(f.run.o.Dir, path); err == nil {
			path = filepath.ToSlash(rel)
		}
		return fmt.Sprintf("%s:%d:%d", path, line, column)
	}
	line := who + " waits at " + where(w.Frames[0].File, w.Frames[0].Line, w.Frames[0].Column)
	if m := w.Made; m != nil && (m.File != w.Frames[0].File || m.Line != w.Frames[0].Line) {
		line += ", for the promise made at " + where(m.File, m.Line, m.Column)
	}
	if text, ok := f.run.source("").SourceLine(strings.TrimPrefix(w.Frames[0].File, "file://"), w.Frames[0].Line); ok {
		if text = strings.TrimSpace(text); len(text) <= 200 {
			line += ": " + text
		}
	}
	return line
}

// waiter is what a text calls whoever runs a script that waits.
func waiter(owner any) string {
	inv, ok := owner.(*worker.Invocation)
	if !ok {
		if c, ok := owner.(worker.Computer); ok {
			return "The " + c.Computing()
		}
		return "Another event"
	}
	switch kind, name := inv.Event.Kind(), inv.Computing(); kind {
	case "fetch":
		return "The fetch handler (" + name + ")"
	case "queue":
		return fmt.Sprintf("The queue handler of %q", strings.TrimPrefix(name, "QUEUE "))
	case "rpc":
		return "The method " + name
	default:
		return "The " + kind + " handler"
	}
}
