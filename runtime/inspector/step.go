package inspector

import (
	"github.com/dop251/goja"
)

// stepKind is what a client has asked for when it let a script go on.
type stepKind int

const (
	stepNone stepKind = iota
	stepInto
	stepOver
	stepOut
)

// step is how far a script shall go on: up to the next statement of from, if that is not over; else up to that of
// whoever
// called it. into also stops in what from calls.
type step struct {
	kind stepKind
	from *call
}

// stopReason is why a script pauses.
type stopReason struct {
	breakpoints []string
	exception   goja.Value
	uncaught    bool
	step        bool
	debugger    bool
	start       bool
}

// reason decides whether a call pauses at a statement, nil if not.
func (r *realm) reason(c *call, n int) *stopReason {
	stop := &r.stops.Stops[n]
	hidden := r.target.hides(r, stop.File)
	var why stopReason
	if armed := r.armed.Load(); armed != nil && r.target.active.Load() {
		for _, b := range (*armed)[n] {
			if r.meets(c, b) {
				why.breakpoints = append(why.breakpoints, b.id)
			}
		}
	}
	switch {
	case len(why.breakpoints) > 0:
	case stop.Debugger && r.target.active.Load():
		why.debugger = true
	case r.target.breakNow.CompareAndSwap(true, false):
		why.step = true
	case r.target.breakStart.CompareAndSwap(true, false):
		why.start = true
	case !hidden && r.steps(c):
		why.step = true
	default:
		return nil
	}
	if r.target.skip.Load() {
		return nil
	}
	return &why
}

// steps tells whether a step ends at a call's next statement.
func (r *realm) steps(c *call) bool {
	s := &r.step
	switch s.kind {
	case stepNone:
		return false
	case stepOut:
		return c == r.until(s.from.parent)
	}
	aim := r.until(s.from)
	if c == aim {
		return true
	}
	if s.kind != stepInto {
		return false
	}
	for p := c.parent; p != nil; p = p.parent {
		if p == aim || p == s.from {
			return true
		}
	}
	return aim == nil
}

// until is the innermost of a call and its callers that is not over. Nobody is left when the event is: then the script
// goes on.
func (r *realm) until(c *call) *call {
	for c != nil && r.over(c) {
		c = c.parent
	}
	return c
}
