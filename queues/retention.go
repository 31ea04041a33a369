package queues

import "container/heap"

// waiting finds the oldest message of a queue that nobody is working on: the one whose retention ends first, because
// messages arrive in the order of their time. It costs a logarithm, however many messages are leased: none that was
// passed once is looked at again, unless it comes back.
type waiting struct {
	// front walks over the messages in the order of their arrival. Every message that it has passed was leased at that
	// moment. It is nil when it has passed them all.
	front *message
	// returned are the messages before front that are not leased any more.
	returned returnedHeap
	// passed counts the steps that front has made, for the test that bounds them.
	passed int
}

// arrive notes a new message at the end of the arrival order.
func (w *waiting) arrive(m *message) {
	if w.front == nil {
		w.front = m
	}
}

// release notes that a message is not leased any more, or never was.
func (w *waiting) release(m *message) {
	if w.front == nil || m.num < w.front.num {
		heap.Push(&w.returned, m)
	}
}

// lease notes that a message is leased, or on its way out.
func (w *waiting) lease(m *message) {
	if m.back != 0 {
		heap.Remove(&w.returned, int(m.back)-1)
	}
}

// leave notes that a message is about to be taken out of the arrival order.
func (w *waiting) leave(m *message) {
	if w.front == m {
		w.front = m.link[byArrival].next
	}
}

// oldest is the first message by arrival that is not leased, nil if there is none.
func (w *waiting) oldest() *message {
	if len(w.returned) > 0 {
		return w.returned[0] // all of these are before front
	}
	for w.front != nil && w.front.at == atLease {
		w.front = w.front.link[byArrival].next
		w.passed++
	}
	return w.front
}

// until gives the messages that are not leased and arrived at a time or before, in the order of arrival. They must be
// removed next.
func (w *waiting) until(limit int64) []*message {
	var old []*message
	for len(w.returned) > 0 && w.returned[0].arrived() <= limit {
		old = append(old, heap.Pop(&w.returned).(*message))
	}
	for m := w.front; m != nil && m.arrived() <= limit; m = m.link[byArrival].next {
		if m.at != atLease {
			old = append(old, m)
		}
	}
	return old
}

// returnedHeap orders messages by arrival.
type returnedHeap []*message

func (h returnedHeap) Len() int           { return len(h) }
func (h returnedHeap) Less(i, j int) bool { return h[i].num < h[j].num }
func (h returnedHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].back, h[j].back = int32(i)+1, int32(j)+1
}
func (h *returnedHeap) Push(x any) {
	*h = append(*h, x.(*message))
	x.(*message).back = int32(len(*h))
}
func (h *returnedHeap) Pop() any {
	old := *h
	m := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	m.back = 0
	return m
}
