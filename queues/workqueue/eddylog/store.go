package eddylog

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"eddy/queues"
	"eddy/queues/workqueue/internal/work"

	queue "eddy/queues/workqueue"
)

// log is what has the queues: a broker in this process (local) or the session of a state directory (remote).
type log interface {
	// now is what the broker's clock shows.
	now() time.Time
	work(ctx context.Context, w queues.Work) (queues.Worked, error)
	// observe calls changed when queues may have new messages, with their names, or with none if it may be any queue.
	// It goes on until stop is called.
	observe(changed func(queues ...string)) (stop func(), err error)
}

// store is a work.Store on queues.
type store struct {
	log     log
	owned   *queues.Broker // closed with the store
	names   map[string]string
	content queues.ContentType
	wakes   work.Watchers // by queue
	slog    *slog.Logger
	told    sync.Map // queues whose retention the log has told

	mu     sync.Mutex // guards what follows
	closed bool
	stop   func() // ends observing; nil before the first Watch
}

// queue is the queue of a topic.
func (s *store) queue(topic string) string {
	if name, ok := s.names[topic]; ok {
		return name
	}
	// "<app>.<namespace>.<topic>"
	if parts := strings.SplitN(topic, ".", 3); len(parts) == 3 {
		if name, ok := s.names[parts[2]]; ok {
			return name
		}
	}
	return topic
}

// Enqueue implements work.Store.
func (s *store) Enqueue(ctx context.Context, topic string, jobs []work.NewJob) error {
	w := queues.Work{Queue: s.queue(topic)}
	for i := range jobs {
		j := &jobs[i]
		d := j.Delay
		if !j.RunAt.IsZero() {
			d = max(j.RunAt.Sub(s.log.now()), 0)
		}
		w.Send = append(w.Send, queues.WorkSend{ContentType: s.content, Body: j.Payload, Priority: int8(j.Priority),
			Delay: d, Trace: j.Trace})
	}
	_, err := s.work(ctx, w)
	return err
}

// work carries out a step, and says once for each queue that it does not keep jobs for ever.
func (s *store) work(ctx context.Context, w queues.Work) (queues.Worked, error) {
	out, err := s.log.work(ctx, w)
	if err == nil && out.Retention > 0 {
		if _, told := s.told.LoadOrStore(w.Queue, true); !told {
			s.slog.Warn("queue/eddylog: jobs that are not done in time are deleted: the queue has a retention",
				"queue", w.Queue, "retention", out.Retention)
		}
	}
	return out, err
}

// Exchange implements work.Store. A claim whose answer was lost comes back after its visibility timeout.
func (s *store) Exchange(ctx context.Context, x *work.Exchange) (work.Claimed, error) {
	w := queues.Work{Queue: s.queue(x.Topic), Want: x.Want, Visibility: x.Visibility}
	for i := range x.Settle {
		o := &x.Settle[i]
		where, lease, _ := strings.Cut(o.Token, " ")
		r := queues.WorkResult{Queue: where, LeaseID: lease, Retry: o.Verdict == work.Retry, Delay: o.Delay,
			Reason: o.Reason}
		if o.Verdict == work.Dead {
			// A dead job keeps its priority, so the name of its queue keeps its ending.
			r.DeadTo = s.queue(o.DeadTopic) + strings.TrimPrefix(where, w.Queue)
		}
		w.Settle = append(w.Settle, r)
	}
	out, err := s.work(ctx, w)
	if err != nil {
		return work.Claimed{}, err
	}
	c := work.Claimed{Next: out.Next}
	for _, j := range out.Jobs {
		c.Deliveries = append(c.Deliveries, work.Delivery{
			Job: queue.Job{
				ID: j.ID.UUID(), Topic: x.Topic, Payload: j.Body, Attempt: j.Attempts, EnqueuedAt: j.Timestamp,
			},
			Token: j.Queue + " " + j.LeaseID, Trace: j.Trace,
		})
	}
	return c, nil
}

// Watch implements work.Store.
func (s *store) Watch(topic string, w *work.Watcher) (stop func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, queue.ErrClosed
	}
	if s.stop == nil {
		if s.stop, err = s.log.observe(s.changed); err != nil {
			return nil, err
		}
	}
	return s.wakes.Add(s.queue(topic), w), nil
}

// changed wakes the watchers of the queues, or all watchers if no queue is named.
func (s *store) changed(names ...string) {
	if len(names) == 0 {
		s.wakes.WakeAll()
		return
	}
	s.wakes.Wake(names...)
	for _, n := range names {
		// "<queue>.p<priority>"
		if end := strings.LastIndex(n, ".p"); end >= 0 {
			s.wakes.Wake(n[:end])
		}
	}
}

// Close implements work.Store.
func (s *store) Close(context.Context) error {
	s.mu.Lock()
	s.closed = true
	stop := s.stop
	s.mu.Unlock()
	if stop != nil {
		stop()
	}
	if s.owned != nil {
		return s.owned.Close()
	}
	return nil
}
