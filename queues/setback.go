package queues

import (
	"container/heap"
	"fmt"
	"math"
	"strings"
	"time"
)

// A clock that was ahead and is set back must not stop what waits until its old time comes again. The broker goes on
// from the machine's time, and what was due after a while is due after the same while again: delays, leases and the
// pauses of lanes move by as much as the clock did. What arrived at a time that is still to come counts as that much
// older, so that its retention ends when it would have ended.
//
// A clock that is set forward cannot be told from time that passed while the machine slept or eddy did not run: what is
// due by then is due.

// setBackFrom is the smallest step back that counts. A smaller one, as a time server makes, is waited out.
const setBackFrom = time.Second

// ClockSetBack goes on from an earlier time.
type ClockSetBack struct {
	// From is the time that the broker had come to, To the machine's.
	From, To time.Time
}

func (*ClockSetBack) kind() uint16    { return 24 }
func (e *ClockSetBack) code(c *coder) { c.time(&e.From); c.time(&e.To) }

func (e *ClockSetBack) apply(s *State) error {
	from, to := max(s.now, millis(e.From)), millis(e.To)
	if to >= from {
		return fmt.Errorf("the clock is set back from %s to %s", e.From, e.To)
	}
	for _, q := range s.queues {
		q.promote(from)
		q.setBack(from, to)
		s.touch(q)
	}
	for _, q := range s.lanes {
		for _, l := range q.order {
			l.setBack(from, to)
			s.touchLane(l)
		}
	}
	s.now = to
	return nil
}

// moved is the new due time of something after the clock was set back. What was due stays due; what was not due yet
// keeps its distance from now.
func moved(due, from, to int64) int64 {
	if due <= from {
		return min(due, to)
	}
	return due - (from - to)
}

// setBack moves what waits for a time.
func (q *queue) setBack(from, to int64) {
	for _, m := range q.delayed {
		m.key = moved(m.key, from, to)
	}
	for _, l := range q.expiry {
		l.until, l.began = moved(l.until, from, to), l.began-(from-to)
	}
	heap.Init(&q.expiry) // what was due at different times is due at one now
	last := int64(math.MinInt64)
	for m := q.arrival.head; m != nil; m = m.link[byArrival].next {
		if at := m.arrived(); at > to {
			// It stays behind the message that arrived before it, because the oldest must be the one whose retention
			// ends first.
			m.history().arrived = max(at-(from-to), last)
		}
		last = m.arrived()
	}
	if d := q.dispatcher; d != nil && d.batching.since != 0 {
		d.batching.since -= from - to
	}
}

func (l *lane) setBack(from, to int64) {
	for m := l.msgs.head; m != nil; m = m.link[byArrival].next {
		m.key = moved(m.key, from, to)
	}
	l.notBefore = moved(l.notBefore, from, to)
	if f := l.flight; f != nil {
		f.until, f.began = moved(f.until, from, to), f.began-(from-to)
	}
}

// checkClock sees whether the machine's clock was set back since the last turn, or since the log was closed, and
// returns the time to go on from. On the machine's clock, now has the monotonic reading, which tells how much time
// really passed.
func (b *Broker) checkClock(now time.Time) (from int64, setBack bool) {
	from = b.state.now
	if !b.turned.IsZero() {
		from = max(from, millis(b.turned.Add(now.Sub(b.turned))))
	}
	b.turned = now
	if from-millis(now) >= setBackFrom.Milliseconds() {
		return from, true
	}
	return max(b.state.now, millis(now)), false
}

// setBack records that the clock was set back, and says so with figures.
func (t *turn) setBack(now time.Time) {
	s, from := t.state, t.now
	var text []string
	count := func(n int, one, many string) {
		switch {
		case n == 1:
			text = append(text, "1 "+one)
		case n > 1:
			text = append(text, fmt.Sprintf("%d %s", n, many))
		}
	}
	delayed, leases, ahead, paused := 0, 0, 0, 0
	for _, q := range s.queues {
		delayed += len(q.delayed)
		leases += len(q.expiry)
		for m := q.arrival.tail; m != nil && m.arrived() > millis(now); m = m.link[byArrival].prev {
			ahead++
		}
	}
	for _, q := range s.lanes {
		for _, l := range q.order {
			if l.msgs.n > 0 && l.msgs.head.key > from {
				paused++
			}
		}
	}
	t.emit(&ClockSetBack{From: fromMillis(from), To: now})
	t.now = s.now
	// Deadlines that were set by the old time.
	t.b.deadlines.Change(func(q *queue) { q.due = moved(q.due, from, t.now) })
	t.b.laneDeadlines.Change(func(l *lane) { l.due = moved(l.due, from, t.now) })
	for d := range t.b.deliveries {
		d.began -= from - t.now
	}
	count(delayed, "delayed message", "delayed messages")
	count(leases, "delivery or lease", "deliveries and leases")
	count(paused, "lane that waits for a retry", "lanes that wait for a retry")
	count(ahead, "message from the time that is to come", "messages from the time that is to come")
	what := "Nothing waited for a time."
	if len(text) > 0 {
		what = "What waits keeps the time that was left to it: " + strings.Join(text, ", ") + "."
	}
	t.b.warn(fmt.Sprintf(
		"The machine's clock was ahead by %s: from %s it is back at %s. %s",
		roughly(
			time.Duration(from-t.now)*time.Millisecond,
		),
		fromMillis(from).Format(time.RFC3339),
		now.UTC().Format(time.RFC3339),
		what,
	))
}

// roughly is a duration for people, with the two largest units, from days down, that are not 0.
func roughly(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= day:
		text := fmt.Sprintf("%dd", d/day)
		if h := d % day / time.Hour; h > 0 {
			text += fmt.Sprintf("%dh", h)
		}
		return text
	case d >= time.Hour:
		return strings.TrimSuffix(strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s"), "0m")
	}
	return d.Truncate(time.Second).String()
}

// warn tells whoever opened the broker.
func (b *Broker) warn(text string) {
	if b.warning != nil {
		b.warning(text)
	}
}
