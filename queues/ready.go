package queues

import "container/heap"

// Lists a message can be in; indexes of message.link.
const (
	byArrival = 0
	byReady   = 1
)

// list is an intrusive doubly linked list: every operation is O(1) and allocates nothing.
type list struct {
	which      int
	head, tail *message
	n          int
}

func (l *list) pushBack(m *message) {
	m.link[l.which] = link{prev: l.tail}
	if l.tail == nil {
		l.head = m
	} else {
		l.tail.link[l.which].next = m
	}
	l.tail = m
	l.n++
}

// insertByKey puts m back where its key says. It looks from after on, a message with a smaller key; nil is the front,
// where messages come back to.
func (l *list) insertByKey(m, after *message) {
	at := l.head
	if after != nil {
		at = after.link[l.which].next
	}
	for at != nil && at.key < m.key {
		at = at.link[l.which].next
	}
	if at == nil {
		l.pushBack(m)
		return
	}
	prev := at.link[l.which].prev
	m.link[l.which] = link{prev: prev, next: at}
	at.link[l.which].prev = m
	if prev == nil {
		l.head = m
	} else {
		prev.link[l.which].next = m
	}
	l.n++
}

func (l *list) remove(m *message) {
	k := m.link[l.which]
	if k.prev == nil {
		l.head = k.next
	} else {
		k.prev.link[l.which].next = k.next
	}
	if k.next == nil {
		l.tail = k.prev
	} else {
		k.next.link[l.which].prev = k.prev
	}
	m.link[l.which] = link{}
	l.n--
}

// delayHeap orders delayed messages by the time they become visible, then by arrival.
type delayHeap []*message

func (h delayHeap) Len() int { return len(h) }
func (h delayHeap) Less(i, j int) bool {
	if h[i].key != h[j].key {
		return h[i].key < h[j].key
	}
	return h[i].num < h[j].num
}
func (h delayHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = int32(i), int32(j)
}
func (h *delayHeap) Push(x any) {
	m := x.(*message)
	m.index = int32(len(*h))
	*h = append(*h, m)
}
func (h *delayHeap) Pop() any {
	old := *h
	m := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	if cap(*h) > 1024 && len(*h) < cap(*h)/4 {
		*h = append(make(delayHeap, 0, cap(*h)/2), *h...)
	}
	return m
}

// numbers finds messages by number. Numbers ascend and most messages leave in about the order they came, so a table
// of chunks costs 8 bytes per message where a map costs 20 to 40. A chunk lives as long as one message in it.
type numbers struct{ chunks map[uint64]*chunk }

const chunkSize = 128

type chunk struct {
	n int
	m [chunkSize]*message
}

func (t *numbers) get(num uint64) *message {
	if c := t.chunks[num/chunkSize]; c != nil {
		return c.m[num%chunkSize]
	}
	return nil
}

func (t *numbers) put(m *message) {
	if t.chunks == nil {
		t.chunks = map[uint64]*chunk{}
	}
	c := t.chunks[m.num/chunkSize]
	if c == nil {
		c = &chunk{}
		t.chunks[m.num/chunkSize] = c
	}
	c.m[m.num%chunkSize] = m
	c.n++
}

func (t *numbers) remove(num uint64) {
	c := t.chunks[num/chunkSize]
	c.m[num%chunkSize] = nil
	if c.n--; c.n == 0 {
		delete(t.chunks, num/chunkSize)
	}
}

// place puts a message that is nowhere into the delay heap or at the end of the ready order.
func (q *queue) place(m *message, visible, now int64) {
	q.waiting.release(m)
	if visible > now {
		m.at, m.key = atDelayed, visible
		heap.Push(&q.delayed, m)
		return
	}
	m.at = atReady
	q.position++
	m.key = q.position
	q.ready.pushBack(m)
}

// unplace takes a message out of the ready order, the delay heap or its lease; it stays in the queue.
func (q *queue) unplace(m *message) {
	q.waiting.lease(m)
	switch m.at {
	case atReady:
		q.ready.remove(m)
	case atDelayed:
		heap.Remove(&q.delayed, int(m.index))
	case atLease:
		q.unlease(m)
	}
	m.at = atNone
}

// promote ends the delays that are over: the messages join the end of the ready order in the order in which they
// became visible (D-4). It depends on the time alone, so it need not be logged: every change of a queue promotes
// first, in replay as in life.
func (q *queue) promote(now int64) {
	for len(q.delayed) > 0 && q.delayed[0].key <= now {
		m := heap.Pop(&q.delayed).(*message)
		m.at = atReady
		q.position++
		m.key = q.position
		q.ready.pushBack(m)
	}
}
