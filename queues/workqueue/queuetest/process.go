package queuetest

import (
	"context"
	"fmt"
	"time"

	queue "eddy/queues/workqueue"
)

// processCases need a store that outlives a service.
var processCases = []testCase{
	{
		name: "jobs survive the service", processes: true,
		says: "Durable backends accumulate jobs for topics that have no subscriber.",
		run: func(b *bench) {
			first := b.open()
			b.enqueue(first, "t", "a")
			b.enqueue(first, "t", "later", queue.WithDelay(time.Minute))
			if err := first.Close(b.Context()); err != nil {
				b.Fatal(err)
			}
			sub := b.subscribe(b.open(), "t")
			b.equal("after", payloads(sub.serve(1, nil)), "[a]")
			d := sub.later()
			b.equal("delayed", string(d.Payload), "later")
			d.result <- nil
		}},
	{
		name: "a worker crashes", processes: true,
		says: "A worker crashes mid-handler. The job becomes visible again after the visibility timeout and will be " +
			"re-delivered.",
		run: func(b *bench) {
			doomed := b.open()
			sub := b.subscribe(doomed, "t", queue.WithVisibilityTimeout(time.Minute))
			b.enqueue(doomed, "t", "a")
			first := sub.next()
			b.crash(doomed)
			other := b.subscribe(b.open(), "t")
			second := other.later()
			b.equal("same job", second.ID, first.ID)
			b.equal("attempt", second.Attempt, 2)
			if hidden := second.at.Sub(first.at); hidden < time.Minute {
				b.Errorf("visible again after %s, want a minute at least", hidden)
			}
			second.result <- nil
			first.result <- nil
		}},
	{
		name: "an acknowledgement fails", processes: true,
		says: "A handler succeeds but the backend acknowledgement (DELETE / ack) fails. The job will be " +
			"re-delivered after the visibility timeout.",
		run: func(b *bench) {
			doomed := b.open()
			sub := b.subscribe(doomed, "t", queue.WithVisibilityTimeout(time.Minute))
			b.enqueue(doomed, "t", "a")
			first := sub.next()
			b.crash(doomed)
			first.result <- nil // the store is gone: the result is lost
			other := b.subscribe(b.open(), "t")
			second := other.later()
			b.equal("same job", second.ID, first.ID)
			second.result <- nil
			other.quiet(b.open(), "t")
		}},
	{
		name: "processes compete", processes: true,
		says: "Each enqueued job is processed by exactly one worker at a time.",
		run: func(b *bench) {
			one, two, producer := b.open(), b.open(), b.open()
			opts := []queue.SubscribeOption{queue.WithConcurrency(3), queue.WithVisibilityTimeout(1000 * hour)}
			subs := []*subscription{b.subscribe(one, "t", opts...), b.subscribe(two, "t", opts...)}
			const jobs = 60
			seen := map[string]bool{}
			for i := range jobs {
				b.enqueue(producer, "t", fmt.Sprint(i))
			}
			all := make(chan delivery)
			for _, sub := range subs {
				go func() {
					for d := range sub.deliveries {
						all <- d
					}
				}()
			}
			for range jobs {
				d := receive(b, all, step)
				if seen[d.ID] {
					b.Errorf("%s was delivered twice", d.Payload)
				}
				seen[d.ID] = true
				d.result <- nil
			}
		}},
	{
		name: "another process's job is found", processes: true,
		says: "DefaultPollInterval is the fallback wake-up cadence for backends that poll",
		run: func(b *bench) {
			sub := b.subscribe(b.open(), "t")
			producer := b.open()
			b.enqueue(producer, "t", "a")
			d := sub.later()
			b.equal("payload", string(d.Payload), "a")
			d.result <- nil
		}},
}

// crash ends a service without letting it store anything more.
func (b *bench) crash(s queue.Service) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Close(ctx); err != nil {
		b.Error(err)
	}
}
