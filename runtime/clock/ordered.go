package clock

import "container/heap"

// Slot is where something stands in [Ordered]. What is put there embeds it.
type Slot struct {
	at int // 1 for the first, 0 out of it
}

func (p *Slot) place() *Slot { return p }

// Placed tells whether it stands in one.
func (p *Slot) Placed() bool { return p.at > 0 }

// Placed is what embeds a [Slot] and has an order.
type Placed[T any] interface {
	place() *Slot
	// Before tells whether this one comes before another. Of two, one always does.
	Before(T) bool
}

// Ordered keeps things in their order and finds each of them by its place, so that one can be moved or taken out
// without a search. The zero value is empty. It has one user at a time.
type Ordered[T Placed[T]] struct{ list ordered[T] }

// Len counts what is in it.
func (o *Ordered[T]) Len() int { return len(o.list) }

// First is what comes first; ok is false if there is nothing.
func (o *Ordered[T]) First() (x T, ok bool) {
	if len(o.list) == 0 {
		return x, false
	}
	return o.list[0], true
}

// Put puts x into its place, also if it is in another one because its order has changed.
func (o *Ordered[T]) Put(x T) {
	if at := x.place().at; at > 0 {
		heap.Fix(&o.list, at-1)
		return
	}
	heap.Push(&o.list, x)
}

// Remove takes x out and reports whether it was there.
func (o *Ordered[T]) Remove(x T) bool {
	at := x.place().at
	if at == 0 {
		return false
	}
	heap.Remove(&o.list, at-1)
	return true
}

// Change calls f for everything that is in it. f may change the order.
func (o *Ordered[T]) Change(f func(T)) {
	for _, x := range o.list {
		f(x)
	}
	heap.Init(&o.list)
}

// ordered is the heap.
type ordered[T Placed[T]] []T

func (h ordered[T]) Len() int           { return len(h) }
func (h ordered[T]) Less(i, j int) bool { return h[i].Before(h[j]) }
func (h ordered[T]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place().at, h[j].place().at = i+1, j+1
}
func (h *ordered[T]) Push(x any) {
	*h = append(*h, x.(T))
	x.(T).place().at = len(*h)
}
func (h *ordered[T]) Pop() any {
	old := *h
	x := old[len(old)-1]
	clear(old[len(old)-1:])
	x.place().at = 0
	*h = old[:len(old)-1]
	return x
}
