package queuetest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	queue "eddy/queues/workqueue"
)

var deliveryCases = []testCase{
	{
		name: "one worker at a time",
		says: "Each enqueued job is processed by exactly one worker at a time.",
		run: func(b *bench) {
			s := b.open()
			one, two := b.subscribe(s, "t", queue.WithConcurrency(4)), b.subscribe(s, "t", queue.WithConcurrency(4))
			const jobs = 100
			for i := range jobs {
				b.enqueue(s, "t", fmt.Sprint(i))
			}
			seen := map[string]bool{}
			for range jobs {
				var d delivery
				select {
				case d = <-one.deliveries:
				case d = <-two.deliveries:
				case <-time.After(patience):
					b.Fatalf("%d of %d jobs were delivered", len(seen), jobs)
				}
				if seen[string(d.Payload)] {
					b.Errorf("job %s was delivered twice", d.Payload)
				}
				seen[string(d.Payload)] = true
				d.result <- nil
			}
		}},
	{
		name: "competing consumers",
		says: "a work queue with single-worker delivery semantics (competing consumers)",
		run: func(b *bench) {
			s := b.open()
			one, two := b.subscribe(s, "t"), b.subscribe(s, "t")
			b.enqueue(s, "t", "a")
			b.enqueue(s, "t", "b")
			// Neither handler returns before both have a job: each has one.
			d, e := one.next(), two.next()
			if string(d.Payload) == string(e.Payload) {
				b.Errorf("both have %q", d.Payload)
			}
			d.result <- nil
			e.result <- nil
		}},
	{
		name: "acknowledged",
		says: "Returning nil acknowledges the job and the backend removes it from the queue.",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t")
			b.enqueue(s, "t", "a")
			sub.serve(1, nil)
			sub.quiet(s, "t")
			b.clock.Advance(time.Hour) // beyond its visibility
			sub.quiet(s, "t")
		}},
	{
		name: "visibility timeout",
		says: "how long a claimed job stays hidden from other workers before becoming re-claimable",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t", queue.WithConcurrency(2), queue.WithVisibilityTimeout(time.Minute))
			b.enqueue(s, "t", "slow")
			first := sub.next()
			sub.quiet(s, "t") // the other worker does not see it
			second := sub.later()
			if hidden := second.at.Sub(first.at); hidden < time.Minute {
				b.Errorf("claimed again after %s, want a minute at least", hidden)
			}
			b.equal("same job", second.ID, first.ID)
			b.equal("attempt", second.Attempt, 2)
			first.result <- nil
			second.result <- nil
		}},
	{
		name: "another subscription takes over",
		says: "Handlers exceeding this timeout will see their job re-claimed.",
		run: func(b *bench) {
			s := b.open()
			opts := []queue.SubscribeOption{queue.WithVisibilityTimeout(time.Minute),
				queue.WithPollInterval(1000 * time.Hour)}
			one, two := b.subscribe(s, "t", opts...), b.subscribe(s, "t", opts...)
			b.enqueue(s, "t", "1")
			b.enqueue(s, "t", "2")
			stuck, d := one.next(), two.next()
			d.result <- nil
			d = two.later()
			b.equal("job", string(d.Payload), string(stuck.Payload))
			d.result <- nil
			stuck.result <- nil
		}},
	{
		name: "both invocations may succeed",
		says: "another worker may re-claim the same job and run the handler again concurrently. Both invocations " +
			"may succeed.",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t", queue.WithConcurrency(2), queue.WithVisibilityTimeout(time.Minute))
			b.enqueue(s, "t", "slow")
			first := sub.next()
			second := sub.later()
			if first.ctx.Err() != nil {
				b.Errorf("the first invocation was cancelled: %v", first.ctx.Err())
			}
			// On a slow machine the second claim too has run out by now. Its success must be stored before the first
			// worker is free, or that one claims the job a third time, and rightly.
			second.result <- nil
			sub.quiet(s, "t")
			first.result <- nil
			sub.quiet(s, "t")
			b.clock.Advance(time.Hour)
			sub.quiet(s, "t")
		}},
	{name: "a late failure does not undo a success", says: "Both invocations may succeed.", run: func(b *bench) {
		s := b.open()
		sub := b.subscribe(s, "t", queue.WithConcurrency(2), queue.WithVisibilityTimeout(time.Minute))
		b.enqueue(s, "t", "slow")
		first := sub.next()
		second := sub.later()
		second.result <- nil
		sub.quiet(s, "t")
		first.result <- fmt.Errorf("too late")
		sub.quiet(s, "t")
		b.clock.Advance(time.Hour)
		sub.quiet(s, "t")
	}},
	{name: "late success", says: "A handler runs longer than the configured visibility timeout.", run: func(b *bench) {
		// Nobody else is free to claim the job: the handler's success still counts.
		s := b.open()
		sub := b.subscribe(s, "t", queue.WithVisibilityTimeout(time.Minute))
		b.enqueue(s, "t", "slow")
		first := sub.next()
		b.clock.Advance(2 * time.Minute)
		first.result <- nil
		sub.quiet(s, "t")
	}},
	{name: "job", says: "Job is the unit of work delivered to a Handler.", run: func(b *bench) {
		s := b.open()
		before := b.clock.Now()
		sub := b.subscribe(s, "t")
		seen := map[string]bool{}
		for i := range 3 {
			b.enqueue(s, "t", fmt.Sprint(i))
			d := sub.next()
			if d.ID == "" || seen[d.ID] {
				b.Errorf("ID %q is empty or was there before: always non-empty, unique", d.ID)
			}
			seen[d.ID] = true
			b.equal("Topic is the fully formatted topic name", d.Topic, "app.default.t")
			b.equal("Payload", string(d.Payload), fmt.Sprint(i))
			b.equal("Attempt is 1 on first delivery", d.Attempt, 1)
			b.equal("EnqueuedAt", d.EnqueuedAt.UTC(), before)
			d.result <- nil
		}
	}},
	{name: "payload", says: "Payload is the opaque body supplied to Enqueue.", run: func(b *bench) {
		s := b.open()
		sub := b.subscribe(s, "t")
		all := make([]byte, 256)
		for i := range all {
			all[i] = byte(i)
		}
		for _, p := range [][]byte{nil, {}, all, []byte(strings.Repeat("0123456789", 10_000))} {
			given := bytes.Clone(p)
			if err := s.Enqueue(b.Context(), "t", given); err != nil {
				b.Fatal(err)
			}
			clear(given) // the caller may use it again
			d := sub.next()
			if !bytes.Equal(d.Payload, p) {
				b.Errorf("%d bytes came out as %d other ones", len(p), len(d.Payload))
			}
			d.result <- nil
		}
	}},
	{
		name: "the payload belongs to the handler",
		says: "Payload is the opaque body supplied to Enqueue.",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t", unhurried)
			b.enqueue(s, "t", "abc")
			d := sub.next()
			clear(d.Payload)
			d.result <- fmt.Errorf("again")
			d = sub.later()
			b.equal("payload of the retry", string(d.Payload), "abc")
			d.result <- nil
		}},
	{
		name: "default concurrency",
		says: "WithConcurrency sets the number of worker goroutines for this subscription. Default 1.",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t")
			b.onlyAtATime(s, sub, 1)
		}},
	{
		name: "concurrency",
		says: "WithConcurrency sets the number of worker goroutines for this subscription.",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t", queue.WithConcurrency(3))
			b.onlyAtATime(s, sub, 3)
		}},
	{name: "concurrency is clamped", says: "Values < 1 are clamped to 1.", run: func(b *bench) {
		s := b.open()
		sub := b.subscribe(s, "t", queue.WithConcurrency(-5))
		b.onlyAtATime(s, sub, 1)
	}},
	{name: "batch", says: "Enqueuer enqueues jobs onto a topic.", run: func(b *bench) {
		s := b.open()
		batch, ok := s.(interface {
			EnqueueBatch(context.Context, string, [][]byte, ...queue.EnqueueOption) error
		})
		if !ok {
			b.Log("does not apply: the backend has no EnqueueBatch, which is beyond the documentation")
			return
		}
		var bodies [][]byte
		var want []string
		for i := range 50 {
			want = append(want, fmt.Sprint(i))
			bodies = append(bodies, []byte(want[i]))
		}
		if err := batch.EnqueueBatch(b.Context(), "t", bodies); err != nil {
			b.Fatal(err)
		}
		if err := batch.EnqueueBatch(b.Context(), "t", nil); err != nil {
			b.Errorf("an empty batch: %v", err)
		}
		b.equal("order", payloads(b.subscribe(s, "t").serve(50, nil)), want)
	}},
	{name: "a panic is a failure", says: "Returning a non-nil error schedules a retry", run: func(b *bench) {
		s := b.open()
		attempts := make(chan int, 10)
		c, err := s.Subscribe(b.Context(), "t", func(_ context.Context, job *queue.Job) error {
			attempts <- job.Attempt
			if job.Attempt == 1 {
				panic("oops")
			}
			return nil
		}, unhurried)
		if err != nil {
			b.Fatal(err)
		}
		b.enqueue(s, "t", "a")
		b.equal("attempt", receive(b, attempts, 0), 1)
		b.equal("attempt", receive(b, attempts, step), 2)
		if err := c.Close(); err != nil {
			b.Error(err)
		}
	}},
}

// onlyAtATime shows that sub has n jobs in its handlers at a time, no more and no less.
func (b *bench) onlyAtATime(s queue.Service, sub *subscription, n int) {
	b.Helper()
	for i := range 3 * n {
		b.enqueue(s, "t", fmt.Sprint(i))
	}
	var inFlight []delivery
	for range n {
		inFlight = append(inFlight, sub.next())
	}
	for range 2 * n {
		// Each end makes room for exactly one.
		inFlight[0].result <- nil
		inFlight = append(inFlight[1:], sub.next())
		if extra := len(sub.deliveries); extra > 0 {
			b.Errorf("%d handlers more than %d", extra, n)
		}
	}
	for _, d := range inFlight {
		d.result <- nil
	}
}
