package work

import "time"

// machine decides what a subscription does next. It knows no goroutines, no storage and no clock: its callers tell it
// what happened and when, and its method next says what to do. The consumer's goroutine owns it.
type machine struct {
	concurrency int
	poll        time.Duration

	running  int          // handlers in flight
	pending  []Settlement // not yet in the store
	lost     []string     // tokens whose exchange failed
	flight   *Exchange    // nil when none
	hungry   bool         // jobs may be waiting
	again    bool         // a wake-up came during the flight
	closing  bool
	failures int       // in a row
	pause    time.Time // no exchange before that; zero for none
	due      time.Time // when to look again without a wake-up; zero for never
}

func newMachine(concurrency int, poll time.Duration) *machine {
	return &machine{concurrency: concurrency, poll: poll, hungry: true}
}

// The pause after failed exchanges doubles between these.
const (
	minPause = 50 * time.Millisecond
	maxPause = 5 * time.Second
)

// maxSettle is how many settlements go into one exchange at most.
const maxSettle = 1000

// wake tells that jobs may have become eligible.
func (m *machine) wake() {
	m.hungry = true
	m.again = m.flight != nil
}

// tick tells the time.
func (m *machine) tick(now time.Time) {
	if !m.pause.IsZero() && !now.Before(m.pause) {
		m.pause = time.Time{}
	}
	if !m.due.IsZero() && !now.Before(m.due) {
		m.due = time.Time{}
		m.wake()
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

// done reports whether a closing machine has nothing left to do.
func (m *machine) done() bool {
	return m.closing && m.running == 0 && m.flight == nil && len(m.pending) == 0 && len(m.lost) == 0
}

// next returns the exchange to start, or nil.
func (m *machine) next(newToken func() string) *Exchange {
	if m.flight != nil || !m.pause.IsZero() {
		return nil
	}
	want := 0
	if !m.closing {
		want = m.concurrency - m.running
	}
	if len(m.pending) == 0 && len(m.lost) == 0 && (!m.hungry || want == 0) {
		return nil
	}
	x := &Exchange{Settle: m.pending, Lost: m.lost, Want: want}
	if len(x.Settle) > maxSettle {
		x.Settle = m.pending[:maxSettle:maxSettle]
	}
	if want > 0 {
		x.Token = newToken()
	}
	m.flight, m.pending, m.lost = x, m.pending[len(x.Settle):], nil
	return x
}

// answered tells that the exchange in flight has happened; began is when it was started.
func (m *machine) answered(c Claimed, began time.Time) {
	x := m.flight
	m.flight, m.failures = nil, 0
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

// failed tells that nobody knows whether the exchange in flight has happened. Its settlements are tried again, which
// does no harm if they happened. The jobs that it may have claimed are given back.
func (m *machine) failed(now time.Time) {
	x := m.flight
	m.flight, m.again, m.hungry = nil, false, true
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
	if m.flight != nil {
		n += len(m.flight.Settle)
	}
	m.flight, m.pending, m.lost, m.closing = nil, nil, nil, true
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
