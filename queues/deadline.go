package queues

import (
	"slices"

	"eddy/runtime/clock"
)

// deadline is when something falls due in a queue or a lane, which embeds it.
type deadline struct {
	clock.Slot       // in the broker's deadlines
	due        int64 // ms; valid only while there is a place
}

func (d *deadline) at() *deadline { return d }

// Before orders queues by their deadlines, then by the order in which they were made.
func (q *queue) Before(other *queue) bool {
	if q.due != other.due {
		return q.due < other.due
	}
	return q.serial < other.serial
}

// Before orders lanes by their deadlines, then by queue and key.
func (l *lane) Before(other *lane) bool {
	switch {
	case l.due != other.due:
		return l.due < other.due
	case l.queue.name != other.queue.name:
		return l.queue.name < other.queue.name
	}
	return l.key < other.key
}

// dated is a *queue or a *lane.
type dated[T any] interface {
	clock.Placed[T]
	at() *deadline
}

// deadlines orders queues by the time at which something falls due in them, or lanes by the time at which to look at
// them again.
type deadlines[T dated[T]] struct{ clock.Ordered[T] }

// set moves x to where its deadline belongs; 0 is none.
func (h *deadlines[T]) set(x T, due int64) {
	d := x.at()
	if due == 0 {
		h.Remove(x)
	} else if d.due != due || !d.Placed() {
		d.due = due
		h.Put(x)
	}
}

// next is the first deadline, 0 if there is none.
func (h *deadlines[T]) next() int64 {
	if x, ok := h.First(); ok {
		return x.at().due
	}
	return 0
}

// take removes those whose time has come and hands each to touch.
func (h *deadlines[T]) take(now int64, touch func(T)) {
	for {
		x, ok := h.First()
		if !ok || x.at().due > now {
			return
		}
		h.Remove(x)
		touch(x)
	}
}

// housekeep brings every touched queue up to date: delays that are over, leases and messages that expired, batches
// that can go out; and notes when to look again.
func (b *Broker) housekeep(t *turn) {
	for len(b.state.touched) > 0 {
		touched := b.state.touched
		b.state.touched = nil
		slices.SortFunc(touched, bySerial) // the order must be the same in every run
		for _, q := range touched {
			q.isTouched = false
			if q.deleted {
				b.deadlines.set(q, 0)
				continue
			}
			q.promote(t.now)
			t.expire(q)
			again := b.dispatch(t, q)
			next := q.nextDeadline()
			if again != 0 && (next == 0 || again < next) {
				next = again
			}
			q.isTouched = false
			b.deadlines.set(q, next)
		}
	}
	b.dispatchLanes(t)
}

// arm sets the one timer to the nearest deadline.
func (b *Broker) arm() {
	at := b.deadlines.next()
	if lanes := b.laneDeadlines.next(); at == 0 || lanes != 0 && lanes < at {
		at = lanes
	}
	if at == b.timerAt {
		return
	}
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
	b.timerAt = at
	if at == 0 {
		return
	}
	b.timer = b.clock.AfterFunc(fromMillis(at).Sub(b.clock.Now()), func() {
		_ = b.post(func(*turn) { b.timerAt = 0 }) // a closed broker refuses it: nothing is due any more
	})
}
