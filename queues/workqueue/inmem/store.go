package inmem

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"eddy/queues/workqueue/internal/work"

	queue "eddy/queues/workqueue"
)

// store is a work.Store in memory.
type store struct {
	clock queue.Clock
	wakes work.Watchers

	mu      sync.Mutex // guards everything below
	closed  bool
	lastID  uint64
	lastPos uint64
	topics  map[string]*topic
}

type topic struct {
	name   string
	jobs   map[string]*job
	ready  jobHeap // by priority, then by position
	hidden jobHeap // delayed and claimed ones, by time
}

type job struct {
	id       string
	payload  []byte
	priority queue.Priority
	attempt  int
	enqueued time.Time
	trace    string
	token    string    // of the latest claim
	pos      uint64    // order among those of equal priority
	due      time.Time // when a hidden job becomes eligible
	index    int       // in its heap
	in       *jobHeap
}

func newStore(clock queue.Clock) *store { return &store{clock: clock, topics: map[string]*topic{}} }

func (s *store) topic(name string) *topic {
	t := s.topics[name]
	if t == nil {
		t = &topic{name: name, jobs: map[string]*job{}}
		t.ready.less = func(a, b *job) bool {
			return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.pos, b.pos)) < 0
		}
		t.hidden.less = func(a, b *job) bool { return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.pos, b.pos)) < 0 }
		s.topics[name] = t
	}
	return t
}

// Enqueue implements work.Store.
func (s *store) Enqueue(_ context.Context, name string, jobs []work.NewJob) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return queue.ErrClosed
	}
	t, now := s.topic(name), s.clock.Now()
	for _, n := range jobs {
		s.lastID++
		due := now.Add(n.Delay)
		if !n.RunAt.IsZero() {
			due = n.RunAt
		}
		s.put(t, &job{
			id: strconv.FormatUint(s.lastID, 10), payload: bytes.Clone(n.Payload), priority: n.Priority, enqueued: now,
			trace: n.Trace, due: due,
		}, now)
	}
	return nil
}

// put places a job by its time and wakes the topic's subscriptions.
func (s *store) put(t *topic, j *job, now time.Time) {
	t.jobs[j.id] = j
	if j.due.After(now) {
		t.hidden.add(j)
	} else {
		s.ready(t, j)
	}
	s.wakes.Wake(t.name)
}

func (s *store) ready(t *topic, j *job) {
	s.lastPos++
	j.pos = s.lastPos
	t.ready.add(j)
}

// Exchange implements work.Store.
func (s *store) Exchange(_ context.Context, x *work.Exchange) (work.Claimed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return work.Claimed{}, queue.ErrClosed
	}
	t, now := s.topic(x.Topic), s.clock.Now()
	for i := range x.Settle {
		s.settle(t, &x.Settle[i], now)
	}
	for t.hidden.Len() > 0 && !t.hidden.jobs[0].due.After(now) {
		s.ready(t, t.hidden.take())
	}
	c := work.Claimed{Next: -1}
	for len(c.Deliveries) < x.Want && t.ready.Len() > 0 {
		j := t.ready.take()
		j.attempt++
		j.token, j.due = x.Token, now.Add(x.Visibility)
		t.hidden.add(j)
		c.Deliveries = append(c.Deliveries, work.Delivery{
			Job: queue.Job{
				ID: j.id, Topic: x.Topic, Payload: bytes.Clone(j.payload), Attempt: j.attempt, EnqueuedAt: j.enqueued,
			},
			Token: j.token, Trace: j.trace,
		})
	}
	if t.hidden.Len() > 0 {
		c.Next = t.hidden.jobs[0].due.Sub(now)
	}
	return c, nil
}

func (s *store) settle(t *topic, o *work.Settlement, now time.Time) {
	j := t.jobs[o.ID]
	if j == nil || j.token != o.Token {
		return
	}
	j.in.remove(j)
	delete(t.jobs, j.id)
	j.token = ""
	switch o.Verdict {
	case work.Retry:
		j.due = now.Add(o.Delay)
		s.put(t, j, now)
	case work.Dead:
		j.due, j.attempt = now, 0
		s.put(s.topic(o.DeadTopic), j, now)
	}
}

// Watch implements work.Store.
func (s *store) Watch(name string, w *work.Watcher) (stop func(), err error) {
	return s.wakes.Add(name, w), nil
}

// Close implements work.Store.
func (s *store) Close(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.topics = true, map[string]*topic{}
	return nil
}

// jobHeap is a heap of jobs that know where they are in it.
type jobHeap struct {
	jobs []*job
	less func(a, b *job) bool
}

func (h *jobHeap) add(j *job) {
	j.in = h
	heap.Push(h, j)
}
func (h *jobHeap) take() *job    { return heap.Pop(h).(*job) }
func (h *jobHeap) remove(j *job) { heap.Remove(h, j.index) }

// The methods of heap.Interface.

func (h *jobHeap) Len() int           { return len(h.jobs) }
func (h *jobHeap) Less(i, k int) bool { return h.less(h.jobs[i], h.jobs[k]) }
func (h *jobHeap) Swap(i, k int) {
	h.jobs[i], h.jobs[k] = h.jobs[k], h.jobs[i]
	h.jobs[i].index, h.jobs[k].index = i, k
}
func (h *jobHeap) Push(x any) {
	j := x.(*job)
	j.index = len(h.jobs)
	h.jobs = append(h.jobs, j)
}
func (h *jobHeap) Pop() any {
	last := len(h.jobs) - 1
	j := h.jobs[last]
	h.jobs = slices.Delete(h.jobs, last, last+1)
	return j
}
