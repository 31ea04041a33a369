package queues

import (
	"cmp"
	"container/heap"
	"context"
	"slices"
	"time"
)

// DueKind says what falls due.
type DueKind string

// What falls due in queues. A pull lease and a retention period end, the others are deliveries.
const (
	DueDelay     DueKind = "delay"
	DueRetry     DueKind = "retry"
	DueLane      DueKind = "lane"
	DueLease     DueKind = "lease"
	DueRetention DueKind = "retention"
)

// DueItem is something that falls due in a queue. ID is the message that it concerns, Lane the key of its lane; a lease
// names its first message.
type DueItem struct {
	At    time.Time
	Kind  DueKind
	Queue string
	Lane  string
	ID    ID
}

// Due lists what falls due next in all queues, at most limit, in order of time; of retention, only the next end of each
// queue. What it costs grows with the limit and with the number of queues and lanes that wait, not with that of
// messages.
func (b *Broker) Due(ctx context.Context, limit int) (list []DueItem, err error) {
	err = b.call(ctx, func(t *turn) error {
		for _, q := range t.state.sorted() {
			list = append(list, q.firstDue(limit)...)
		}
		for _, q := range t.state.lanes {
			for _, l := range q.order {
				if i := l.info(t.now); !i.Due.IsZero() {
					list = append(list, DueItem{i.Due, DueLane, q.name, l.key, i.HeadID})
				}
			}
		}
		return nil
	})
	slices.SortStableFunc(list, func(a, b DueItem) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.Lane, b.Lane))
	})
	return list[:min(len(list), limit)], err
}

// firstDue lists what falls due next in a queue.
func (q *queue) firstDue(limit int) (list []DueItem) {
	for i := range firstOf(len(q.delayed), limit, q.delayed.Less) {
		m := q.delayed[i]
		kind := DueDelay
		if m.fails > 0 {
			kind = DueRetry
		}
		list = append(list, DueItem{fromMillis(m.key), kind, q.name, "", m.id})
	}
	for i := range firstOf(len(q.expiry), limit, q.expiry.Less) {
		if l := q.expiry[i]; !l.push && len(l.msgs) > 0 {
			list = append(list, DueItem{fromMillis(l.until), DueLease, q.name, "", l.msgs[0].id})
		}
	}
	if m := q.waiting.oldest(); m != nil && q.settings.Retention != KeepForever {
		end := fromMillis(m.arrived()).Add(q.settings.Retention)
		list = append(list, DueItem{end, DueRetention, q.name, "", m.id})
	}
	return list
}

// firstOf gives the indices of the first entries of a heap of n, in order, without changing it: below an entry that was
// given there are at most two that may come next.
func firstOf(n, limit int, less func(i, j int) bool) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		next := &indexHeap{less: less}
		if n > 0 {
			next.list = []int{0}
		}
		for given := 0; given < limit && len(next.list) > 0; given++ {
			i := heap.Pop(next).(int)
			if !yield(i) {
				return
			}
			for _, below := range []int{2*i + 1, 2*i + 2} {
				if below < n {
					heap.Push(next, below)
				}
			}
		}
	}
}

// indexHeap orders indices of another heap.
type indexHeap struct {
	list []int
	less func(i, j int) bool
}

func (h *indexHeap) Len() int           { return len(h.list) }
func (h *indexHeap) Less(a, b int) bool { return h.less(h.list[a], h.list[b]) }
func (h *indexHeap) Swap(a, b int)      { h.list[a], h.list[b] = h.list[b], h.list[a] }
func (h *indexHeap) Push(x any)         { h.list = append(h.list, x.(int)) }
func (h *indexHeap) Pop() any {
	x := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return x
}
