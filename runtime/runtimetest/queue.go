package runtimetest

import (
	"context"
	"encoding/json"
	"fmt"

	"eddy/queues"
	"eddy/runtime/trial"
)

// Queue is a queue of the session.
type Queue struct {
	s    *Session
	name string
}

// Queue names a queue.
func (s *Session) Queue(name string) *Queue { return &Queue{s, name} }

// asks runs f, which asks the broker, and ends the test with its error.
func (q *Queue) asks(what string, f func(context.Context, *queues.Broker) error) {
	q.s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), trial.Patience)
	defer cancel()
	// The broker's own calls say that the test waits.
	if err := f(ctx, q.s.Runtime().Broker()); err != nil {
		q.s.t.Fatalf("queue %q: %s: %v", q.name, what, err)
	}
}

// Send sends a message whose body is JSON.
func (q *Queue) Send(body any) {
	q.s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		q.s.t.Fatal(err)
	}
	q.asks("send", func(ctx context.Context, b *queues.Broker) (err error) {
		_, err = b.Send(ctx, q.name, []queues.Outgoing{{Body: text, ContentType: queues.ContentJSON}},
			queues.SendOptions{})
		return err
	})
}

// Messages are what the queue has, in order of arrival.
func (q *Queue) Messages() (list []queues.Peeked) {
	q.s.t.Helper()
	q.asks("messages", func(ctx context.Context, b *queues.Broker) (err error) {
		list, err = b.Peek(ctx, q.name, 100_000)
		return err
	})
	return list
}

// DeadLetters are the messages in its dead letter queue that came from it.
func (q *Queue) DeadLetters() (list []queues.Peeked) {
	q.s.t.Helper()
	q.asks("dead letters", func(ctx context.Context, b *queues.Broker) error {
		info, err := b.Queue(ctx, q.name)
		if err != nil {
			return err
		}
		if info.Consumer == nil || info.Consumer.Config.DeadLetterQueue == "" {
			return fmt.Errorf("it has no dead letter queue")
		}
		all, err := b.Peek(ctx, info.Consumer.Config.DeadLetterQueue, 100_000)
		for _, m := range all {
			if m.DeadLetter != nil && m.DeadLetter.Source == q.name {
				list = append(list, m)
			}
		}
		return err
	})
	return list
}

// Pause stops deliveries, or lets them go on.
func (q *Queue) Pause(paused bool) {
	q.s.t.Helper()
	q.asks("pause", func(ctx context.Context, b *queues.Broker) error { return b.Pause(ctx, q.name, paused) })
}

// Drain moves time on until the queue is empty. If nothing is due that could empty it, the test fails.
func (q *Queue) Drain() {
	q.s.t.Helper()
	for range 100_000 {
		q.s.Advance(0)
		left := 0
		q.asks("drain", func(ctx context.Context, b *queues.Broker) error {
			info, err := b.Queue(ctx, q.name)
			left = info.Ready + info.Delayed + info.InFlight
			return err
		})
		if left == 0 {
			return
		}
		at, ok := q.s.trial.Clock().Next()
		if !ok || at.Sub(q.s.trial.Clock().Now()) > horizon {
			q.s.t.Fatalf("queue %q: drain: nothing is due that could deliver its %d messages", q.name, left)
		}
		q.s.Advance(at.Sub(q.s.trial.Clock().Now()))
	}
	q.s.t.Fatalf("queue %q: drain: the messages come back without end", q.name)
}
