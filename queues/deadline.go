package queues

import (
	"container/heap"
	"slices"
)

// deadline is when something falls due in a queue or a lane, which embeds it.
type deadline struct {
	due   int64 // ms, 0 none
	place int   // in the broker's heap: 1 for the first, 0 out of it
}

func (d *deadline) at() *deadline { return d }

// before decides between queues of one deadline.
func (q *queue) before(other *queue) bool { return q.serial < other.serial }

// before decides between lanes of one deadline, which may be of different queues.
func (l *lane) before(other *lane) bool {
	if l.queue.name != other.queue.name {
		return l.queue.name < other.queue.name
	}
	return l.key < other.key
}

// dated is a *queue or a *lane.
type dated[T any] interface {
	at() *deadline
	before(T) bool
}

// deadlines orders queues by the time at which something falls due in them, or lanes by the time at which to look at
// them again.
type deadlines[T dated[T]] []T

func (h deadlines[T]) Len() int { return len(h) }
func (h deadlines[T]) Less(i, j int) bool {
	if a, b := h[i].at().due, h[j].at().due; a != b {
		return a < b
	}
	return h[i].before(h[j])
}
func (h deadlines[T]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at().place, h[j].at().place = i+1, j+1
}
func (h *deadlines[T]) Push(x any) {
	*h = append(*h, x.(T))
	x.(T).at().place = len(*h)
}
func (h *deadlines[T]) Pop() any {
	old := *h
	x := old[len(old)-1]
	clear(old[len(old)-1:])
	x.at().place = 0
	*h = old[:len(old)-1]
	return x
}

// set moves x to where its deadline belongs; 0 is none.
func (h *deadlines[T]) set(x T, due int64) {
	d := x.at()
	switch {
	case due == 0 && d.place == 0:
	case due == 0:
		heap.Remove(h, d.place-1)
	case d.place == 0:
		d.due = due
		heap.Push(h, x)
	case d.due != due:
		d.due = due
		heap.Fix(h, d.place-1)
	}
}

// take removes those whose time has come and hands each to touch.
func (h *deadlines[T]) take(now int64, touch func(T)) {
	for len(*h) > 0 && (*h)[0].at().due <= now {
		touch(heap.Pop(h).(T))
	}
}

// housekeep brings every touched queue up to date: delays that are over, leases and messages that expired, batches
// that can go out; and notes when to look again.
func (b *Broker) housekeep(t *turn) {
	for len(b.state.touched) > 0 {
		touched := b.state.touched
		b.state.touched = nil
		slices.SortFunc(touched, bySerial) // the order must not depend on what led here
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
	var at int64
	if len(b.deadlines) > 0 {
		at = b.deadlines[0].due
	}
	if len(b.laneDeadlines) > 0 && (at == 0 || b.laneDeadlines[0].due < at) {
		at = b.laneDeadlines[0].due
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
		_ = b.post(func(*turn) { b.timerAt = 0 }) // refused: nothing is due any more
	})
}
