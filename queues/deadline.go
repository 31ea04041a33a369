package queues

import "container/heap"

// deadlines orders the queues by the time at which something falls due in them.
type deadlines []*queue

func (h deadlines) Len() int { return len(h) }
func (h deadlines) Less(i, j int) bool {
	if h[i].deadline != h[j].deadline {
		return h[i].deadline < h[j].deadline
	}
	return h[i].serial < h[j].serial
}
func (h deadlines) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].deadlineIndex, h[j].deadlineIndex = i+1, j+1
}
func (h *deadlines) Push(x any) {
	q := x.(*queue)
	*h = append(*h, q)
	q.deadlineIndex = len(*h)
}
func (h *deadlines) Pop() any {
	old := *h
	q := old[len(old)-1]
	old[len(old)-1] = nil
	q.deadlineIndex = 0
	*h = old[:len(old)-1]
	return q
}

// set moves q to where its deadline belongs.
func (h *deadlines) set(q *queue, at int64) {
	switch {
	case at == 0 && q.deadlineIndex == 0:
	case at == 0:
		heap.Remove(h, q.deadlineIndex-1)
	case q.deadlineIndex == 0:
		q.deadline = at
		heap.Push(h, q)
	case q.deadline != at:
		q.deadline = at
		heap.Fix(h, q.deadlineIndex-1)
	}
}

// due touches the queues whose time has come.
func (h *deadlines) due(t *turn) {
	for len(*h) > 0 && (*h)[0].deadline <= t.now {
		q := heap.Pop(h).(*queue)
		t.state.touch(q)
	}
}

// laneDeadlines orders lanes by the time at which to look at them again.
type laneDeadlines []*lane

func (h laneDeadlines) Len() int { return len(h) }
func (h laneDeadlines) Less(i, j int) bool {
	a, b := h[i], h[j]
	if a.deadline != b.deadline {
		return a.deadline < b.deadline
	}
	if a.queue.name != b.queue.name {
		return a.queue.name < b.queue.name
	}
	return a.key < b.key
}
func (h laneDeadlines) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].deadlineIndex, h[j].deadlineIndex = i+1, j+1
}
func (h *laneDeadlines) Push(x any) {
	l := x.(*lane)
	*h = append(*h, l)
	l.deadlineIndex = len(*h)
}
func (h *laneDeadlines) Pop() any {
	old := *h
	l := old[len(old)-1]
	old[len(old)-1] = nil
	l.deadlineIndex = 0
	*h = old[:len(old)-1]
	return l
}

func (h *laneDeadlines) set(l *lane, at int64) {
	switch {
	case at == 0 && l.deadlineIndex == 0:
	case at == 0:
		heap.Remove(h, l.deadlineIndex-1)
	case l.deadlineIndex == 0:
		l.deadline = at
		heap.Push(h, l)
	case l.deadline != at:
		l.deadline = at
		heap.Fix(h, l.deadlineIndex-1)
	}
}

func (h *laneDeadlines) due(t *turn) {
	for len(*h) > 0 && (*h)[0].deadline <= t.now {
		l := heap.Pop(h).(*lane)
		t.state.touchLane(l)
	}
}
