package queuetest

import (
	"context"
	"time"

	queue "eddy/queues/workqueue"
)

const hour = time.Hour

var shutdownCases = []testCase{
	{
		name: "close waits for handlers",
		says: "Consumer.Close stops claiming new jobs and waits up to WithShutdownTimeout for in-flight handlers to " +
			"return.",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t")
			b.enqueue(s, "t", "a")
			d := sub.next()
			closed := b.closing(sub)
			if d.ctx.Err() != nil {
				b.Errorf("the handler was cancelled: %v", d.ctx.Err())
			}
			select {
			case <-closed:
				b.Error("Close did not wait")
			default:
			}
			d.result <- nil
			if err := receive(b, closed, 0); err != nil {
				b.Error(err)
			}
			// The result of the handler was stored, and nothing new is claimed.
			b.clock.Advance(hour)
			b.enqueue(s, "t", "b")
			other := b.subscribe(s, "t")
			b.equal("left", payloads(other.serve(1, nil)), "[b]")
			b.equal("claimed after Close", len(sub.deliveries), 0)
		}},
	{
		name: "shutdown timeout",
		says: "Handlers that exceed the shutdown timeout continue running as orphaned goroutines until they return " +
			"on their own",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t", queue.WithShutdownTimeout(time.Minute), queue.WithVisibilityTimeout(24*hour))
			b.enqueue(s, "t", "a")
			d := sub.next()
			start := b.clock.Now()
			closed := b.closing(sub)
			if err := receive(b, closed, step); err != nil {
				b.Error(err)
			}
			if waited := b.clock.Now().Sub(start); waited < time.Minute {
				b.Errorf("Close returned after %s, want a minute at least", waited)
			}
			// The orphan ends on its own, and its success counts.
			d.result <- nil
			if err := sub.Close(); err != nil {
				b.Error(err)
			}
			other := b.subscribe(s, "t")
			b.clock.Advance(48 * hour)
			other.quiet(s, "t")
		}},
	{name: "closing again", says: "Safe to call once; subsequent calls return nil.", run: func(b *bench) {
		s := b.open()
		sub := b.subscribe(s, "t")
		b.close(sub, sub)
		for range 3 {
			if err := s.Close(b.Context()); err != nil {
				b.Errorf("Close: %v", err)
			}
		}
		if err := s.Enqueue(b.Context(), "t", nil); err == nil {
			b.Error("Enqueue on a closed service: no error")
		}
		if _, err := s.Subscribe(b.Context(), "t", sub.handle); err == nil {
			b.Error("Subscribe on a closed service: no error")
		}
	}},
	{name: "closing the service closes its consumers", says: "Close releases backend resources.", run: func(b *bench) {
		s := b.open()
		sub := b.subscribe(s, "t")
		b.enqueue(s, "t", "a")
		d := sub.next()
		closed := make(chan error, 1)
		go func() { closed <- s.Close(context.WithoutCancel(b.Context())) }()
		d.result <- nil
		if err := receive(b, closed, 0); err != nil {
			b.Error(err)
		}
	}},
	{
		name: "cancelled context",
		says: "Enqueue(ctx context.Context, …), Subscribe(ctx context.Context, …)",
		run: func(b *bench) {
			s := b.open()
			ctx, cancel := context.WithCancel(b.Context())
			one := &subscription{deliveries: make(chan delivery, 10), b: b}
			c, err := s.Subscribe(ctx, "t", one.handle)
			if err != nil {
				b.Fatal(err)
			}
			b.enqueue(s, "t", "a")
			d := one.next()
			cancel()
			<-d.ctx.Done() // the handler hears of it
			d.result <- nil
			if err := c.Close(); err != nil {
				b.Error(err)
			}
			b.enqueue(s, "t", "b")
			b.equal("the next subscription gets", payloads(b.subscribe(s, "t").serve(1, nil)), "[b]")
			b.equal("the cancelled one gets", len(one.deliveries), 0)
			if err := s.Enqueue(ctx, "t", nil); err == nil {
				b.Error("Enqueue: no error")
			}
			if _, err := s.Subscribe(ctx, "t", one.handle); err == nil {
				b.Error("Subscribe: no error")
			}
		}},
}

// closing calls Close on a goroutine of its own.
func (b *bench) closing(sub *subscription) <-chan error {
	closed := make(chan error, 1)
	go func() { closed <- sub.Close() }()
	return closed
}
