package eventloop

import (
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// Computing tells of a scope whose turns have taken long.
type Computing struct {
	// Scope is nil for what belongs to no scope: the top level of a script.
	Scope *Scope
	// For is the time that the scope's turns have taken together, without what a busy machine kept from the process.
	For time.Duration
	// Stack is what runs, innermost first; nil where that cannot be told: a native function that does not poll.
	Stack []goja.StackFrame
}

// computingAfter is how long a scope may compute before Options.Computes is told.
const computingAfter = 2 * time.Second

// computingPatience is how long what runs may take to answer.
const computingPatience = time.Second

// computingWatch looks at the turn that runs when its scope has computed for long. Guarded by watch.mu.
type computingWatch struct {
	at    time.Time // when to look, or when that was done; zero if nobody is to look at the scope, or to look again
	begun time.Time // when the account would have begun if it had never paused, and had got all the time since
	look  *gojainternals.Look
}

// start is called when a turn of s begins.
func (c *computingWatch) start(l *Loop, s *Scope, now time.Time) {
	*c = computingWatch{}
	if l.opts.Computes != nil && !s.rest && !s.computingTold {
		c.begun = now.Add(s.counted - s.cpu)
		c.at = c.begun.Add(l.computesAfter())
	}
}

func (l *Loop) computesAfter() time.Duration {
	if l.opts.ComputesAfter > 0 {
		return l.opts.ComputesAfter
	}
	return computingAfter
}

// until is how long the timer may sleep for the watch's sake, no longer than d.
func (c *computingWatch) until(d time.Duration) time.Duration {
	switch {
	case c.at.IsZero():
		return d
	case c.look != nil:
		return min(d, lookEvery)
	}
	return min(d, max(time.Until(c.at), 0))
}

// lookAtComputing begins a look, or tells what it has found. Any goroutine.
func (l *Loop) lookAtComputing(now time.Time) {
	w := &l.watch
	w.mu.Lock()
	c := &w.mu.computing
	if w.mu.scope == nil || c.at.IsZero() || now.Before(c.at) || w.mu.sampled { // one look at a time
		w.mu.Unlock()
		return
	}
	if c.look == nil {
		begun := c.begun.Add(w.mu.shortage.look(now, l.opts.processTime))
		if later := begun.Add(l.computesAfter()); now.Before(later) {
			c.at = later
			w.mu.Unlock()
			return
		}
		c.begun, c.look, c.at = begun, l.machine.Look(), now // what runs has its time from here, however late that is
		w.mu.Unlock()
		return
	}
	var told Computing
	stack, ok := c.look.Stack()
	if !ok {
		c.look.Ask()
		stack, ok = c.look.Stack()
	}
	if ok = ok || now.Sub(c.at) >= computingPatience; ok {
		told = c.found(w.mu.scope, now, stack)
	}
	w.mu.Unlock()
	if ok {
		l.opts.Computes(told)
	}
}

// found ends the look. Under watch.mu.
func (c *computingWatch) found(s *Scope, now time.Time, stack []goja.StackFrame) Computing {
	c.look.End()
	c.look, c.at = nil, time.Time{}
	if s.Owner == nil {
		s = nil
	}
	return Computing{Scope: s, For: now.Sub(c.begun), Stack: stack}
}

// end is called when the turn ends. It returns what a look under way has found; one that has found nothing yet begins
// anew in the scope's next turn. Under watch.mu, on the loop.
func (c *computingWatch) end(s *Scope) (told Computing, tell bool) {
	if c.look == nil {
		s.computingTold = s.computingTold || !c.begun.IsZero() && c.at.IsZero()
		return Computing{}, false
	}
	stack, ok := c.look.Stack()
	told = c.found(s, time.Now(), stack)
	s.computingTold = ok
	return told, ok
}
