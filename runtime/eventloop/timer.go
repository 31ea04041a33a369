package eventloop

import (
	"container/heap"
	"time"

	"eddy/runtime/clock"
)

// timer is one setTimeout. Timers of one loop fire in the order of their deadlines, then of their making; the clock
// alone would not promise that, so the loop keeps its own heap and asks the clock only for the earliest.
type timer struct {
	id     int64
	scope  *Scope
	when   time.Time
	seq    uint64
	repeat bool
	period time.Duration
	fn     func()
	frame  *frame
	index  int // position in the heap, -1 when out of it
}

// timers is the heap and the alarm clock of a loop. Loop goroutine only.
type timers struct {
	heap  timerHeap
	seq   uint64
	armed time.Time // deadline that handle stands for, zero if none
	wake  clock.Timer
}

// SetTimer calls fn inside the scope after d, every d when repeat is set, until cleared. Identifiers count from 1 in
// each scope. A closed scope answers 0.
func (s *Scope) SetTimer(d time.Duration, repeat bool, fn func()) int64 {
	if s.closed {
		return 0
	}
	s.nextID++
	t := &timer{id: s.nextID, scope: s, repeat: repeat, period: max(d, 0), fn: fn, frame: s.loop.cur.within(s)}
	if s.timers == nil {
		s.timers = map[int64]*timer{}
	}
	s.timers[t.id] = t
	s.addPending(1)
	s.loop.schedule(t)
	return t.id
}

// ClearTimer forgets a timer; unknown identifiers are ignored.
func (s *Scope) ClearTimer(id int64) {
	t, ok := s.timers[id]
	if !ok {
		return
	}
	if t.index >= 0 {
		heap.Remove(&s.loop.timers.heap, t.index)
		s.loop.rearm()
	}
	delete(s.timers, id)
	s.addPending(-1)
}

func (l *Loop) schedule(t *timer) {
	l.timers.seq++
	t.seq = l.timers.seq
	t.when = l.clock.Now().Add(t.period)
	heap.Push(&l.timers.heap, t)
	l.rearm()
}

// rearm makes the clock wake the loop at the earliest deadline.
func (l *Loop) rearm() {
	ts := &l.timers
	var next time.Time
	if len(ts.heap) > 0 {
		next = ts.heap[0].when
	}
	if next.Equal(ts.armed) {
		return
	}
	if ts.wake != nil {
		ts.wake.Stop()
		ts.wake = nil
	}
	ts.armed = next
	if next.IsZero() {
		return
	}
	ts.wake = l.clock.AfterFunc(next.Sub(l.clock.Now()), func() { l.Post(l.fireDue) })
}

// fireDue gives every due timer a turn of its own.
func (l *Loop) fireDue() {
	now := l.clock.Now()
	for len(l.timers.heap) > 0 && !l.timers.heap[0].when.After(now) {
		t := heap.Pop(&l.timers.heap).(*timer)
		l.Post(func() { t.scope.fire(t) })
	}
	l.timers.armed = time.Time{}
	l.rearm()
}

func (s *Scope) fire(t *timer) {
	if s.timers[t.id] != t {
		return
	}
	s.enterNow(t.frame.section, func() {
		if s.timers[t.id] != t {
			return
		}
		s.loop.cur = t.frame
		if t.repeat {
			// Re-armed before it runs, so that it keeps its beat and may clear itself.
			s.loop.schedule(t)
		} else {
			delete(s.timers, t.id)
			defer s.addPending(-1)
		}
		t.fn()
	})
}

// timerHeap orders by deadline, then by age.
type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if !h[i].when.Equal(h[j].when) {
		return h[i].when.Before(h[j].when)
	}
	return h[i].seq < h[j].seq
}
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i]; h[i].index = i; h[j].index = j }
func (h *timerHeap) Push(x any)   { t := x.(*timer); t.index = len(*h); *h = append(*h, t) }
func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	t.index = -1
	*h = old[:len(old)-1]
	return t
}
