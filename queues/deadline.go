package queues

import "container/heap"

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
