package eventloop

import (
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
)

// Ticket is the right and the duty to give back one closure.
type Ticket struct {
	scope   *Scope
	frame   *asyncFrame
	release func()
	// back, if set, is called when the work has come back: see [clock.Away].
	back func()
	once sync.Once
}

// Ticket announces work off the loop. It holds the clock until Return's closure has run. Loop goroutine only.
func (s *Scope) Ticket() *Ticket {
	t := s.asked()
	t.back = clock.Away(s.loop.clock)
	return t
}

// asked takes a ticket for work that the broker or an isolate answers, or that has not begun.
func (s *Scope) asked() *Ticket {
	s.addPending(1)
	return &Ticket{scope: s, frame: s.loop.cur, release: s.loop.clock.Hold(s.loop.away)}
}

// Waiting takes a ticket for work that waits for somebody outside (a message from a peer, a long-poll): it does not
// hold the clock.
func (s *Scope) Waiting() *Ticket {
	t := s.Within()
	t.release = clock.Outside(s.loop.clock)
	return t
}

// Within takes a ticket for work that waits for another part of the session (a handler, an object, the reader of a
// stream), which may wait for the clock: it does not hold the clock.
func (s *Scope) Within() *Ticket {
	s.addPending(1)
	return &Ticket{scope: s, frame: s.loop.cur, release: func() {}}
}

// Return gives the closure back: it runs on the loop, inside the scope, through the gate, in the async context the
// ticket was taken in. Only the first call counts. Any goroutine. When the scope is closed meanwhile, the closure is
// dropped.
func (t *Ticket) Return(fn func()) {
	t.once.Do(func() {
		l := t.scope.loop
		if !l.Post(func() {
			defer t.release()
			t.scope.addPending(-1)
			t.scope.enterNow(t.frame.section, func() {
				l.cur = t.frame.within(t.scope)
				fn()
			})
		}) {
			t.release()
		}
		if t.back != nil {
			t.back()
		}
	})
}

// within returns f in the scope s: a ticket may be taken for another scope than the current one.
func (f *asyncFrame) within(s *Scope) *asyncFrame {
	if f.scope == s {
		return f
	}
	return &asyncFrame{scope: s, vars: f.vars, hops: f.hops}
}

// Promise starts work off the loop and answers with a promise for its result. work runs on its own goroutine with the
// scope's context and returns the closure that makes, on the loop, the value to resolve or the error value to reject
// with.
func (s *Scope) Promise(work func() (settle func() (value, failure goja.Value))) goja.Value {
	p, t, settle := s.deferred()
	s.begin(t, func() { settle(s.attempt(work)) }, nil)
	return p
}

// begin starts the goroutine of work, or lets the clock's Chooser decide when, if there is one. Work that has not begun
// when its scope is closed never does. fail, which may be nil, takes the place of work if the Chooser wants it to fail.
func (s *Scope) begin(t *Ticket, work, fail func()) {
	step := clock.Step{Kind: "call", Gone: s.Closed, Do: func() {
		if s.closed {
			t.Return(func() {})
			return
		}
		t.back = clock.Away(s.loop.clock)
		s.loop.Go(work)
	}}
	if fail != nil {
		step.Fail = func() {
			if s.closed {
				t.Return(func() {})
				return
			}
			fail()
		}
	}
	if !clock.Exploring(s.loop.clock) || !s.Offer(&step) {
		t.back = clock.Away(s.loop.clock)
		s.loop.Go(work)
	}
}

// Offer is [clock.Offer] for a step of the scope. It fills in the step's owner and place. Loop goroutine only.
func (s *Scope) Offer(step *clock.Step) bool {
	if !clock.Exploring(s.loop.clock) {
		return false
	}
	step.Owner, step.Where = s.seq, s.loop.Origin()
	if step.Name == "" {
		switch o := s.Owner.(type) {
		case interface{ Title() string }:
			step.Name = o.Title()
		case interface{ Computing() string }:
			step.Name = o.Computing()
		}
	}
	return clock.Offer(s.loop.clock, step)
}

// Origin returns where the script stands now, if somebody decides the order of steps and wants to show it. Loop
// goroutine only.
func (l *Loop) Origin() clock.Origin {
	if !clock.Exploring(l.clock) {
		return clock.Origin{}
	}
	return clock.Origin{Worker: l.opts.Name, Stack: l.rt.CaptureCallStack(offeredFrames, nil)}
}

// offeredFrames is how many frames a step keeps: the user's own call is near the innermost.
const offeredFrames = 12

// Deferred makes a promise and takes a ticket for it. It returns the promise and the function that settles it, which is
// called once, on any goroutine, with a closure that makes, on the loop, the value (nil for undefined) or the failure.
// Loop goroutine only.
func (s *Scope) Deferred() (goja.Value, func(func() (value, failure goja.Value))) {
	p, _, settle := s.deferred()
	return p, settle
}

// Awaited is Deferred for work that waits for something else of the session, perhaps for a week: it does not hold the
// clock (Within).
func (s *Scope) Awaited() (goja.Value, func(func() (value, failure goja.Value))) {
	p, _, settle := s.promised(s.Within())
	return p, settle
}

func (s *Scope) deferred() (goja.Value, *Ticket, func(func() (value, failure goja.Value))) {
	return s.promised(s.asked())
}

func (s *Scope) promised(t *Ticket) (goja.Value, *Ticket, func(func() (value, failure goja.Value))) {
	l := s.loop
	p := l.machine.NewPromise()
	return p, t, func(settle func() (value, failure goja.Value)) {
		t.Return(func() {
			v, e := settle()
			switch {
			case e != nil:
				if l.opts.Rejecting != nil {
					l.Rejecting(p.Export().(*goja.Promise), e)
				}
				l.machine.Settle(p, true, e)
			case v == nil:
				l.machine.Settle(p, false, goja.Undefined())
			default:
				l.machine.Settle(p, false, v)
			}
		})
	}
}

// Rejecting tells that a promise is about to be rejected from outside of any script. Loop goroutine.
func (l *Loop) Rejecting(promise *goja.Promise, failure goja.Value) {
	if l.opts.Rejecting != nil {
		l.opts.Rejecting(promise, failure)
	}
}

// attempt runs work. A panic in it is raised again on the loop, where it ends the turn and not the process.
func (s *Scope) attempt(work func() func() (value, failure goja.Value)) (settle func() (value, failure goja.Value)) {
	if s.loop.opts.Lost == nil {
		return work()
	}
	defer func() {
		if x := recover(); x != nil {
			err := NewInternalError(x)
			settle = func() (value, failure goja.Value) { panic(err) }
		}
	}()
	return work()
}
