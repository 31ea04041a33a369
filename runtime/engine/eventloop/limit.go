package eventloop

import (
	"sync"
	"time"

	"github.com/dop251/goja"
)

// ErrCPU is the value JavaScript is interrupted with when a scope has used up its CPU time.
const ErrCPU = "Worker exceeded CPU time limit."

// watch interrupts the engine when the scope that runs passes its limit. The fields are shared by the loop
// goroutine and the timer.
type watch struct {
	mu struct {
		sync.Mutex
		scope    *Scope
		begun    time.Time
		left     time.Duration // what the scope had left then
		deadline time.Time     // zero once it has passed, whatever the turn got
		shortage shortage
		hit      bool
		cut      bool
		memory   memoryWatch
		told     []func(over bool)
		// suspended is how long a person has held up the turn.
		suspended time.Duration
		held      bool // a person does so now
		sampled   bool // a Sampler looks at the turn
		timer     *time.Timer
		due       time.Time // when the timer is to come

		computing computingWatch
	}
}

// LimitCPU interrupts JavaScript when the turns of this scope have taken d together, and then calls fn on the loop at
// the end of that turn. 0 means no limit. Processor time is the wall time of turns, less what the process did not get
// of it. The machine's clock measures it, also when time is virtual.
func (s *Scope) LimitCPU(d time.Duration, fn func()) {
	s.limit, s.onLimit = d, fn
	s.counted, s.computingTold = s.cpu, false
}

// Bounded runs fn, which belongs to no scope, and interrupts JavaScript when it takes longer than d, or when the loop
// is cut; limited is then called when the turn ends, and over is true if fn came back at all. 0 means no limit but the
// cut. Loop goroutine only.
func (l *Loop) Bounded(d time.Duration, fn, limited func()) (over bool) {
	over, _ = l.Measured(d, fn, limited)
	return over
}

// Measured does what Bounded does, and says how much processor time fn took.
func (l *Loop) Measured(d time.Duration, fn, limited func()) (over bool, used time.Duration) {
	if d <= 0 {
		d = unbounded
	}
	account := &Scope{loop: l, limit: d, onLimit: limited}
	l.charge(account, fn)
	return account.over, account.cpu
}

// HasMicrotasks tells whether microtasks wait for the script that runs to end. Loop goroutine only.
func (l *Loop) HasMicrotasks() bool { return l.machine.HasJobs() }

// unbounded is longer than any session.
const unbounded = 1 << 62

// CPU is the time the scope's turns have taken so far; it is counted only under a limit.
func (s *Scope) CPU() time.Duration { return s.cpu }

// Over tells whether a limit ended a turn of the scope: what that turn did is to be undone, not kept. Loop goroutine
// only.
func (s *Scope) Over() bool { return s.over }

// rest runs the microtasks that an interrupt has left behind, but for a moment only, because they may be many. It drops
// those that remain: they would run on the account of the next event.
func (l *Loop) rest() {
	account := &Scope{loop: l, limit: cutLimit, rest: true}
	defer l.machine.DropJobs()
	l.charge(account, l.machine.RunJobs)
}

// Interrupt ends the script that runs. Any goroutine.
func (l *Loop) Interrupt(reason any) { l.machine.Interrupt(reason) }

// Interrupted is the interrupt that ended the script of the current turn, with the stack it met; nil if none did. It is
// for functions that a limit calls at the end of a turn. Loop goroutine only.
func (l *Loop) Interrupted() *goja.InterruptedError { return l.interrupted }

// OnOverrun registers fn for code that the engine does not run itself. fn(true) is called when a limit ends the turn
// that runs, beside the interrupt of the engine and on any goroutine; fn(false) when that turn has ended.
func (l *Loop) OnOverrun(fn func(over bool)) {
	l.watch.mu.Lock()
	defer l.watch.mu.Unlock()
	l.watch.mu.told = append(l.watch.mu.told, fn)
}

// cutLimit is what a turn may take after Cut: enough to clean up, too little to be noticed.
const cutLimit = 20 * time.Millisecond

// Cut ends the turn that runs as though its scope had used up its CPU time. Every later turn of a scope with a limit
// gets no more than a moment: the loop is about to be stopped and nothing may hold that up. Any goroutine.
func (l *Loop) Cut() {
	w := &l.watch
	w.mu.Lock()
	w.mu.cut = true
	w.mu.deadline = time.Time{}
	w.mu.Unlock()
	l.overrun()
}

// EndTurn ends the turn that runs as though its scope, if it has a limit, had used up its CPU time. Later turns are as
// before. Any goroutine.
func (l *Loop) EndTurn() {
	w := &l.watch
	w.mu.Lock()
	w.mu.deadline = time.Time{}
	w.mu.Unlock()
	l.overrun()
}

// charge runs fn on the account of s.
func (l *Loop) charge(s *Scope, fn func()) {
	w := &l.watch
	w.mu.Lock()
	nested := w.mu.scope != nil
	if nested || s.limit == 0 {
		w.mu.Unlock()
		fn()
		return
	}
	start := time.Now()
	left := max(s.limit-s.cpu, 0)
	if w.mu.cut {
		left = min(left, cutLimit)
	}
	w.mu.scope, w.mu.begun, w.mu.left, w.mu.deadline, w.mu.hit = s, start, left, start.Add(left), false
	w.mu.memory.start()
	w.mu.suspended = 0
	first := min(left/2, firstWait)
	w.mu.shortage = shortage{planned: start.Add(first), ceiling: start.Add(max(patience*left, leastPatience))}
	if patience*left < left || w.mu.cut { // the limit is longer than a session, or shorter than a moment
		w.mu.shortage.ceiling = w.mu.deadline
	}
	left = first
	w.mu.computing.start(l, s, start)
	left = w.mu.computing.until(left)
	w.mu.due = start.Add(left)
	if w.mu.timer == nil {
		w.mu.timer = time.AfterFunc(left, l.tick)
	} else {
		w.mu.timer.Reset(left)
	}
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.mu.timer.Stop()
		w.mu.scope = nil
		computing, computes := w.mu.computing.end(s)
		hit, told, full := w.mu.hit, w.mu.told, w.mu.memory.hit
		missed, now := time.Duration(0), time.Now()
		// A process that stood still goes on with the turn before its timer comes.
		if !w.mu.shortage.looked.IsZero() || now.Sub(w.mu.shortage.planned) > lookEvery {
			missed = w.mu.shortage.look(now, l.opts.processTime)
		}
		missed = max(missed, w.mu.suspended)
		w.mu.Unlock()
		if computes {
			l.opts.Computes(computing)
		}
		s.cpu += max(now.Sub(start)-missed, 0)
		if !hit && !full {
			return
		}
		l.rt.ClearInterrupt()
		if !s.rest {
			l.AtTurnEnd(l.rest)
		}
		s.over = true
		for _, fn := range told {
			fn(false)
		}
		switch {
		case full:
			l.AtTurnEnd(func() { l.lose(s, ErrMemoryLimit) })
		case s.onLimit != nil:
			l.AtTurnEnd(s.onLimit)
		}
	}()
	fn()
}

// Suspend says that a person holds up the turn that runs, until resume is called: what passes meanwhile is on nobody's
// account. Loop goroutine only.
func (l *Loop) Suspend() (resume func()) {
	w := &l.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mu.scope == nil {
		return func() {}
	}
	w.mu.timer.Stop()
	w.mu.held = true
	since := time.Now()
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.mu.held = false
		d := time.Since(since)
		w.mu.suspended += d
		w.mu.begun = w.mu.begun.Add(d)
		if !w.mu.deadline.IsZero() { // else the turn was cut meanwhile
			w.mu.deadline = w.mu.deadline.Add(d)
		}
		for _, t := range []*time.Time{&w.mu.shortage.planned, &w.mu.shortage.ceiling, &w.mu.computing.begun,
			&w.mu.computing.at} {
			if !t.IsZero() {
				*t = t.Add(d)
			}
		}
		w.reset(min(time.Until(w.mu.deadline), lookEvery))
	}
}

// reset lets the timer come after d. mu is held.
func (w *watch) reset(d time.Duration) {
	d = max(d, 0)
	w.mu.due = time.Now().Add(d)
	w.mu.timer.Reset(d)
}

// tick is the timer's callback. A timer stopped too late may find another scope running: then that one's deadline is
// not reached.
func (l *Loop) tick() {
	w := &l.watch
	w.mu.Lock()
	if late := time.Since(w.mu.due); w.mu.scope != nil && late > 0 {
		w.mu.shortage.ceiling = w.mu.shortage.ceiling.Add(late) // the process stood still
	}
	w.mu.Unlock()
	l.overrun()
	l.look()
	l.lookAtComputing(time.Now())
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mu.scope == nil || w.mu.hit || w.mu.memory.hit {
		return
	}
	if w.mu.shortage.looked.IsZero() {
		w.mu.shortage.look(time.Now(), l.opts.processTime)
	}
	left := time.Until(w.mu.deadline)
	if l.opts.MemoryLimit > 0 {
		left = min(left, w.mu.memory.wait)
	}
	w.reset(w.mu.computing.until(left))
}

// overrun ends the turn that runs if its deadline is reached.
func (l *Loop) overrun() {
	w := &l.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if w.mu.scope == nil || now.Before(w.mu.deadline) {
		return
	}
	if !w.mu.deadline.IsZero() {
		missed := w.mu.shortage.look(now, l.opts.processTime)
		later := w.mu.begun.Add(w.mu.left + missed)
		if later.After(w.mu.shortage.ceiling) {
			later = w.mu.shortage.ceiling
		}
		if now.Before(later) {
			w.mu.deadline = later
			return
		}
	}
	w.mu.hit = true
	l.Interrupt(ErrCPU)
	for _, fn := range w.mu.told {
		fn(true)
	}
}
