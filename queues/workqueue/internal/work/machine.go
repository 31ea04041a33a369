package work

import (
	"slices"
	"time"
)

// machine decides what a subscription does next. It knows no goroutines, no storage and no clock: its callers tell it
// what happened and when, and its method next says what to do. The consumer's goroutine owns it.
//
// Acknowledgements may go apart from claims: in a store whose writes take long and can overlap, the next handler then
// does not wait until the result of the last one is on disk. Only acknowledgements in time do: a retry is to be seen by
// the next claim, and so is the end of a job that the next claim would otherwise take for given up.
type machine struct {
	concurrency int
	poll        time.Duration
	apart       bool

	running  int          // handlers in flight
	pending  []Settlement // not yet in the store
	lost     []string     // tokens whose exchange failed
	flight   *Exchange    // that may claim; nil when none
	acking   *Exchange    // that only acknowledges; nil when none
	hungry   bool         // jobs may be waiting
	again    bool         // a wake-up came during the flight
	told     bool         // a wake-up came that no claim has followed
	closing  bool
	failures int       // in a row
	pause    time.Time // no exchange before that; zero for none
	due      time.Time // when to look again without a wake-up; zero for never
	now      time.Time // of the last tick
}

func newMachine(concurrency int, poll time.Duration, apart bool) *machine {
	return &machine{concurrency: concurrency, poll: poll, apart: apart, hungry: true}
}

// The pause after failed exchanges doubles between these.
const (
	minPause = 50 * time.Millisecond
	maxPause = 5 * time.Second
)

// maxAhead is how many acknowledgements may wait when jobs are claimed. Their jobs would run again after a crash.
const maxAhead = 256

// maxSettle is how many settlements go into one exchange at most.
const maxSettle = 1000

// wake tells that somebody else says that jobs may have become eligible.
func (m *machine) wake() {
	m.told = true
	m.look()
}

// look tells that jobs may have become eligible.
func (m *machine) look() {
	m.hungry = true
	m.again = m.flight != nil
}

// passOn reports whether a wake-up came that nobody here has followed, or can, and forgets it: a store that wakes one
// subscription of many must wake another one.
func (m *machine) passOn() bool {
	if !m.told || m.idle() {
		return false
	}
	m.told = false
	return true
}

// tick tells the time.
func (m *machine) tick(now time.Time) {
	m.now = now
	if !m.pause.IsZero() && !now.Before(m.pause) {
		m.pause = time.Time{}
	}
	if !m.due.IsZero() && !now.Before(m.due) {
		m.due = time.Time{}
		m.look()
	}
}

// finished tells that a handler has ended.
func (m *machine) finished(s Settlement) {
	m.running--
	m.pending = append(m.pending, s)
}

// close stops claiming.
func (m *machine) close() { m.closing = true }

// idle reports whether a worker waits for a job.
func (m *machine) idle() bool { return !m.closing && m.running < m.concurrency }

// waits reports whether only a wake-up or the time will make it claim.
func (m *machine) waits() bool { return m.idle() && m.flight == nil && !m.hungry }

// done reports whether a closing machine has nothing left to do.
func (m *machine) done() bool {
	return m.closing && m.running == 0 && m.flight == nil && m.acking == nil && len(m.pending) == 0 && len(m.lost) == 0
}

// next returns the exchange to start, or nil. It is asked again after each that it returns.
func (m *machine) next(newToken func() string) *Exchange {
	if !m.pause.IsZero() {
		return nil
	}
	want := 0
	if !m.closing {
		want = m.concurrency - m.running
	}
	apart := m.apart && len(m.lost) == 0 && !slices.ContainsFunc(m.pending, func(s Settlement) bool {
		return s.Verdict != Acked || m.late(s)
	})
	if apart && m.acking == nil && len(m.pending) > 0 {
		m.acking = &Exchange{Settle: m.settlements()}
		return m.acking
	}
	settles := !apart && (len(m.pending) > 0 || len(m.lost) > 0)
	if m.flight != nil || !settles && (!m.hungry || want == 0 || len(m.pending) >= maxAhead) {
		return nil
	}
	if m.acking != nil && slices.ContainsFunc(m.acking.Settle, m.late) {
		return nil // the claim could take a job that has ended, but whose end is not stored yet
	}
	x := &Exchange{Want: want}
	if settles {
		x.Settle, x.Lost, m.lost = m.settlements(), m.lost, nil
	}
	if want > 0 {
		x.Token, m.told = newToken(), false
	}
	m.flight = x
	return x
}

// late tells of the end of a job that a claim now could take for given up.
func (m *machine) late(s Settlement) bool { return !s.until.IsZero() && !m.now.Before(s.until) }

// settlements takes what goes into one exchange.
func (m *machine) settlements() (all []Settlement) {
	n := min(len(m.pending), maxSettle)
	all, m.pending = m.pending[:n:n], m.pending[n:]
	return all
}

// answered tells that exchange x has happened; began is when it was started.
func (m *machine) answered(x *Exchange, c Claimed, began time.Time) {
	m.failures = 0
	if x == m.acking {
		m.acking = nil
		return
	}
	m.flight = nil
	m.running += len(c.Deliveries)
	if x.Want > 0 {
		m.hungry = m.again || len(c.Deliveries) == x.Want
		m.due = time.Time{}
		if c.Next >= 0 {
			m.due = began.Add(c.Next)
		}
		if poll := began.Add(m.poll); m.poll > 0 && (m.due.IsZero() || poll.Before(m.due)) {
			m.due = poll
		}
	}
	m.again = false
}

// failed tells that nobody knows whether exchange x has happened. Its settlements are tried again, which does no harm
// if they happened. The jobs that it may have claimed are given back.
func (m *machine) failed(x *Exchange, now time.Time) {
	if x == m.acking {
		m.acking = nil
	} else {
		m.flight, m.again, m.hungry = nil, false, true
	}
	m.pending = append(x.Settle[:len(x.Settle):len(x.Settle)], m.pending...)
	m.lost = append(m.lost, x.Lost...)
	if x.Token != "" {
		m.lost = append(m.lost, x.Token)
	}
	m.pause = now.Add(min(minPause<<min(m.failures, 10), maxPause))
	m.failures++
}

// abandon forgets what is left to settle, because the store is closed. It returns the number of settlements.
func (m *machine) abandon() int {
	n := len(m.pending)
	for _, x := range []*Exchange{m.flight, m.acking} {
		if x != nil {
			n += len(x.Settle)
		}
	}
	m.flight, m.acking, m.pending, m.lost, m.closing = nil, nil, nil, nil, true
	return n
}

// alarm is when tick is to be called next, zero for never.
func (m *machine) alarm() time.Time {
	switch {
	case !m.pause.IsZero():
		return m.pause
	case m.closing || m.running >= m.concurrency:
		return time.Time{} // no time needed: when a handler ends, next is called
	}
	return m.due
}
