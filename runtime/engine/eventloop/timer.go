package eventloop

import (
	"time"

	"eddy/runtime/clock"
)

// timer is one setTimeout. Timers of one loop fire in the order of their deadlines, then of their making; the clock
// alone would not promise that, so the loop keeps its own order and asks the clock only for the earliest.
type timer struct {
	clock.Deadline
	id     int64
	scope  *Scope
	repeat bool
	period time.Duration
	fn     func()
	frame  *asyncFrame
}

// Before orders timers by their deadlines.
func (t *timer) Before(other *timer) bool { return t.Earlier(&other.Deadline) }

// timers is a loop's queue of timers, and its alarm clock. It belongs to the loop's goroutine.
type timers struct {
	clock.Deadlines[*timer]
	armed time.Time // deadline that handle stands for, zero if none
	wake  clock.Timer
}

// SetTimer calls fn inside the scope after d, every d when repeat is set, until cleared. Identifiers count from 1 in
// each scope. A closed scope answers 0.
func (s *Scope) SetTimer(d time.Duration, repeat bool, fn func()) int64 {
	if s.closed {
		return 0
	}
	s.nextID++
	t := &timer{id: s.nextID, scope: s, repeat: repeat, period: max(d, 0), fn: fn, frame: s.loop.cur.within(s)}
	if s.timers == nil {
		s.timers = map[int64]*timer{}
	}
	s.timers[t.id] = t
	s.addPending(1)
	s.loop.schedule(t)
	return t.id
}

// Timers counts the timers that are out; Pending counts them too.
func (s *Scope) Timers() int { return len(s.timers) }

// ClearTimer forgets a timer; unknown identifiers are ignored.
func (s *Scope) ClearTimer(id int64) {
	t, ok := s.timers[id]
	if !ok {
		return
	}
	if s.loop.timers.Remove(t) {
		s.loop.rearm()
	}
	delete(s.timers, id)
	s.addPending(-1)
}

func (l *Loop) schedule(t *timer) {
	l.timers.Add(t, l.clock.Now().Add(t.period))
	l.rearm()
}

// rearm makes the clock wake the loop at the earliest deadline.
func (l *Loop) rearm() {
	ts := &l.timers
	var next time.Time
	if t, ok := ts.First(); ok {
		next = t.When
	}
	if next.Equal(ts.armed) {
		return
	}
	if ts.wake != nil {
		ts.wake.Stop()
		ts.wake = nil
	}
	ts.armed = next
	if next.IsZero() {
		return
	}
	ts.wake = l.clock.AfterFunc(next.Sub(l.clock.Now()), func() { l.Post(l.fireDue) })
}

// fireDue gives every due timer a turn of its own.
func (l *Loop) fireDue() {
	now := l.clock.Now()
	for {
		t, ok := l.timers.First()
		if !ok || t.When.After(now) {
			break
		}
		l.timers.Remove(t)
		fire := func() { l.Post(func() { t.scope.fire(t) }) }
		if !clock.Exploring(l.clock) ||
			!t.scope.Offer(&clock.Step{Kind: "timer", Chain: t.scope, Gone: t.over, Do: fire}) {
			fire()
		}
	}
	l.timers.armed = time.Time{}
	l.rearm()
}

// over tells whether the timer was cleared.
func (t *timer) over() bool { return t.scope.timers[t.id] != t }

func (s *Scope) fire(t *timer) {
	if s.timers[t.id] != t {
		return
	}
	s.enterNow(t.frame.section, func() {
		if s.timers[t.id] != t {
			return
		}
		s.loop.cur = t.frame
		if t.repeat {
			// The timer is armed again before it runs, so that it keeps its beat and may clear itself.
			s.loop.schedule(t)
		} else {
			delete(s.timers, t.id)
			defer s.addPending(-1)
		}
		t.fn()
	})
}
