package clock

import (
	"container/heap"
	"time"
)

// Deadline is the place of something in [Deadlines]. What waits there embeds it.
type Deadline struct {
	When  time.Time
	seq   uint64
	place int // 1 for the first, 0 when it does not wait
}

func (d *Deadline) deadline() *Deadline { return d }

// Dated is what embeds a [Deadline].
type Dated interface{ deadline() *Deadline }

// Deadlines orders what waits for a time: by the time, then by the order in which it was added. The zero value is
// empty. It has one user at a time.
type Deadlines[T Dated] struct {
	order order[T]
	seq   uint64
}

// Add makes x wait until when. x must not be waiting already.
func (d *Deadlines[T]) Add(x T, when time.Time) {
	d.seq++
	*x.deadline() = Deadline{When: when, seq: d.seq}
	heap.Push(&d.order, x)
}

// First is what falls due first; ok is false if nothing waits.
func (d *Deadlines[T]) First() (x T, ok bool) {
	if len(d.order) == 0 {
		return x, false
	}
	return d.order[0], true
}

// Remove takes x out and reports whether it was waiting.
func (d *Deadlines[T]) Remove(x T) bool {
	place := x.deadline().place
	if place == 0 {
		return false
	}
	heap.Remove(&d.order, place-1)
	return true
}

// order is the heap.
type order[T Dated] []T

func (h order[T]) Len() int { return len(h) }
func (h order[T]) Less(i, j int) bool {
	a, b := h[i].deadline(), h[j].deadline()
	if !a.When.Equal(b.When) {
		return a.When.Before(b.When)
	}
	return a.seq < b.seq
}
func (h order[T]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].deadline().place, h[j].deadline().place = i+1, j+1
}
func (h *order[T]) Push(x any) {
	*h = append(*h, x.(T))
	x.(T).deadline().place = len(*h)
}
func (h *order[T]) Pop() any {
	old := *h
	x := old[len(old)-1]
	clear(old[len(old)-1:])
	x.deadline().place = 0
	*h = old[:len(old)-1]
	return x
}
