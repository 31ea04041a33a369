package queuetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	queue "eddy/queues/workqueue"
)

// Backend is a store that the suite tries out.
type Backend struct {
	// Open makes a service over the store. If the backend is Durable it may be called several times within a case, and
	// then stands for another process each time. The suite closes what it opens.
	Open func(t *testing.T, opts ...queue.QueueOption) queue.Service
	// Durable says that jobs outlive the service that took them.
	Durable bool
	// Except are names of cases that do not apply, each with the reason, which is printed.
	Except map[string]string
}

// Run runs the suite. backend is called for each case and returns an empty store that tells time by clock.
func Run(t *testing.T, backend func(t *testing.T, clock *FakeClock) Backend) {
	for _, c := range allCases() {
		t.Run(c.name, func(t *testing.T) {
			clock := NewFakeClock(time.Date(2026, 4, 8, 12, 0, 0, 0, time.UTC))
			b := &bench{T: t, clock: clock, Backend: backend(t, clock)}
			if reason := b.Except[c.name]; reason != "" {
				t.Logf("does not apply: %s", reason)
				return
			}
			if c.processes && !b.Durable {
				t.Log("does not apply: the backend keeps nothing beyond its service")
				return
			}
			t.Logf("%q", c.says)
			c.run(b)
		})
	}
}

func allCases() []testCase {
	return slices.Concat(deliveryCases, retryCases, scheduleCases, topicCases, shutdownCases, processCases,
		clockCases, defaultCases)
}

// testCase is one case: a sentence of the documentation and what shows that it holds.
type testCase struct {
	name, says string
	run        func(*bench)
	processes  bool // needs a Durable backend
}

// bench is what a case works with.
type bench struct {
	*testing.T
	Backend
	clock *FakeClock
}

func (b *bench) open(opts ...queue.QueueOption) queue.Service {
	b.Helper()
	s := b.Open(b.T, opts...)
	b.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // handlers that a case leaves hanging are not waited for
		if err := s.Close(ctx); err != nil {
			b.Errorf("close: %v", err)
		}
	})
	return s
}

func (b *bench) enqueue(s queue.Enqueuer, topic, payload string, opts ...queue.EnqueueOption) {
	b.Helper()
	if err := s.Enqueue(b.Context(), topic, []byte(payload), opts...); err != nil {
		b.Fatal(err)
	}
}

// delivery is a job in the hands of a handler, at the time that the clock showed. The handler returns what is sent to
// result.
type delivery struct {
	queue.Job
	at     time.Time
	result chan error
	ctx    context.Context
}

// subscription hands what a handler gets to the case.
type subscription struct {
	queue.Consumer
	deliveries chan delivery
	b          *bench
}

func (b *bench) subscribe(s queue.Subscriber, topic string, opts ...queue.SubscribeOption) *subscription {
	b.Helper()
	sub := &subscription{deliveries: make(chan delivery, 1000), b: b}
	c, err := s.Subscribe(b.Context(), topic, sub.handle, opts...)
	if err != nil {
		b.Fatal(err)
	}
	sub.Consumer = c
	return sub
}

func (s *subscription) handle(ctx context.Context, job *queue.Job) error {
	d := delivery{Job: *job, at: s.b.clock.Now(), result: make(chan error, 1), ctx: ctx}
	s.deliveries <- d
	return <-d.result
}

// patience is how long the suite waits for something that must come. It ends a broken run with a message.
const patience = time.Minute

// next is the next delivery. The clock stands still.
func (s *subscription) next() delivery {
	s.b.Helper()
	return receive(s.b, s.deliveries, 0)
}

// later is the next delivery. While it is waited for, time passes on the fake clock.
func (s *subscription) later() delivery {
	s.b.Helper()
	return receive(s.b, s.deliveries, step)
}

// step is how far the fake clock moves for each millisecond that a case waits.
const step = time.Second

// receive waits for c; each millisecond the fake clock moves by step.
func receive[T any](b *bench, c <-chan T, step time.Duration) (v T) {
	b.Helper()
	select {
	case v = <-c:
		return v
	default:
	}
	end := time.NewTimer(patience)
	defer end.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case v = <-c:
			return v
		case <-tick.C:
			if step > 0 {
				b.clock.Advance(step)
			}
		case <-end.C:
			b.Fatalf("waited in vain")
		}
	}
}

// serve answers deliveries with result until n have come, and returns them.
func (s *subscription) serve(n int, result error) (all []delivery) {
	s.b.Helper()
	for range n {
		d := s.next()
		d.result <- result
		all = append(all, d)
	}
	return all
}

// quiet checks that no job but the listed ones is left in the topic: a job that is enqueued now, with the lowest
// priority, must be the next to come. The subscription must be the only one with a free worker.
func (s *subscription) quiet(e queue.Enqueuer, topic string) {
	s.b.Helper()
	s.b.enqueue(e, topic, "sentinel", queue.WithPriority(-128))
	d := s.next()
	if string(d.Payload) != "sentinel" {
		s.b.Errorf("delivered %q, want nothing", d.Payload)
	}
	d.result <- nil
}

func payloads(all []delivery) (out []string) {
	for _, d := range all {
		out = append(out, string(d.Payload))
	}
	return out
}

func (b *bench) equal(what string, got, want any) {
	b.Helper()
	if g, w := fmt.Sprintf("%v", got), fmt.Sprintf("%v", want); g != w {
		b.Errorf("%s: got %s, want %s", what, g, w)
	}
}
