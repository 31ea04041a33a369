package queuetest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	queue "eddy/queues/workqueue"
)

var errHandler = errors.New("the handler failed")

// unhurried keeps a case that is not about the visibility timeout from one: on a slow machine the fake clock passes the
// default while a claim is on its way to its handler.
var unhurried = queue.WithVisibilityTimeout(1000 * hour)

func every(d time.Duration) queue.SubscribeOption {
	return queue.WithBackoff(func(int) time.Duration { return d })
}

var retryCases = []testCase{
	{
		name: "retry",
		says: "Returning a non-nil error schedules a retry according to the configured backoff",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t", unhurried, every(10*time.Second))
			b.enqueue(s, "t", "a")
			first := sub.next()
			first.result <- errHandler
			second := sub.later()
			b.equal("ID", second.ID, first.ID)
			b.equal("Attempt is 2 on the first retry", second.Attempt, 2)
			b.equal("EnqueuedAt is preserved across retries", second.EnqueuedAt.UTC(), first.EnqueuedAt.UTC())
			if waited := second.at.Sub(first.at); waited < 10*time.Second {
				b.Errorf("tried again after %s, want 10s at least", waited)
			}
			second.result <- nil
			sub.quiet(s, "t")
		}},
	{
		name: "backoff counts from 1",
		says: "attempt is 1 after the first failure, 2 after the second, and so on.",
		run: func(b *bench) {
			s := b.open()
			var mu sync.Mutex
			var asked []int
			sub := b.subscribe(s, "t", unhurried, queue.WithBackoff(func(attempt int) time.Duration {
				mu.Lock()
				defer mu.Unlock()
				asked = append(asked, attempt)
				return time.Duration(attempt) * time.Second
			}))
			b.enqueue(s, "t", "a")
			var last time.Time
			for i := range 4 {
				d := sub.later()
				if waited := d.at.Sub(last); i > 0 && waited < time.Duration(i)*time.Second {
					b.Errorf("retry %d came after %s", i, waited)
				}
				last = d.at
				if i == 3 {
					d.result <- nil
				} else {
					d.result <- errHandler
				}
			}
			mu.Lock()
			defer mu.Unlock()
			b.equal("attempts given to the back-off", asked, []int{1, 2, 3})
		}},
	{name: "default max retries", says: "DefaultMaxRetries = 3", run: func(b *bench) {
		s := b.open()
		b.exhausted(s, b.subscribe(s, "t", unhurried, every(time.Second)), 4)
	}},
	{
		name: "max retries",
		says: "WithMaxRetries sets the maximum number of retries before routing to the dead letter topic.",
		run: func(b *bench) {
			s := b.open()
			b.exhausted(s, b.subscribe(s, "t", unhurried, every(time.Second), queue.WithMaxRetries(1)), 2)
		}},
	{name: "infinite retries", says: "-1 means infinite retries.", run: func(b *bench) {
		s := b.open()
		sub := b.subscribe(s, "t", unhurried, every(time.Second), queue.WithMaxRetries(-1))
		b.enqueue(s, "t", "a")
		for i := range 30 {
			d := sub.later()
			b.equal("attempt", d.Attempt, i+1)
			d.result <- errHandler
		}
		sub.later().result <- nil
	}},
	{
		name: "skip retry",
		says: "unless the error matches ErrSkipRetry, in which case the job is routed straight to the dead letter " +
			"topic on this attempt",
		run: func(b *bench) {
			s := b.open()
			for _, err := range []error{queue.ErrSkipRetry, fmt.Errorf("wrapped: %w", queue.ErrSkipRetry),
				queue.SkipRetry(errHandler)} {
				sub := b.subscribe(s, "t", unhurried, queue.WithMaxRetries(-1))
				b.enqueue(s, "t", "a")
				sub.serve(1, err)
				dead := b.subscribe(s, "t.dead")
				b.equal("dead", payloads(dead.serve(1, nil)), "[a]")
				b.close(sub, dead)
			}
		}},
	{
		name: "dead letter",
		says: "A dead letter topic is just another queue topic; subscribe to it to inspect, alert on, or reprocess " +
			"failed jobs.",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t")
			b.enqueue(s, "t", "poison", queue.WithPriority(queue.PriorityHigh))
			first := sub.next()
			b.clock.Advance(time.Second)
			first.result <- queue.ErrSkipRetry
			d := b.subscribe(s, "t.dead").next()
			b.equal("Topic", d.Topic, queue.DeadLetterTopic("app.default.t"))
			b.equal("Payload", string(d.Payload), "poison")
			b.equal("Attempt is 1 on first delivery", d.Attempt, 1)
			b.equal("EnqueuedAt is when the job was first enqueued", d.EnqueuedAt.UTC(), first.EnqueuedAt.UTC())
			d.result <- nil
			sub.quiet(s, "t") // and nothing of it is left
		}},
	{
		name: "dead letter of a dead letter",
		says: "A dead letter topic is just another queue topic",
		run: func(b *bench) {
			s := b.open()
			b.enqueue(s, "t", "poison")
			for _, topic := range []string{"t", "t.dead", "t.dead.dead"} {
				sub := b.subscribe(s, topic)
				b.equal("dead", payloads(sub.serve(1, queue.ErrSkipRetry)), "[poison]")
			}
		}},
	{
		name: "custom dead letter topic",
		says: "WithDeadLetterTopic sets a custom dead letter topic.",
		run: func(b *bench) {
			s := b.open()
			for _, name := range []string{"graveyard", queue.FormatTopic("app", "default", "graveyard")} {
				sub := b.subscribe(s, "t", queue.WithDeadLetterTopic(name))
				b.enqueue(s, "t", "a")
				sub.serve(1, queue.ErrSkipRetry)
				dead := b.subscribe(s, "graveyard")
				b.equal("dead", payloads(dead.serve(1, nil)), "[a]")
				b.close(sub, dead)
			}
		}},
	{
		name: "other jobs overtake a retry",
		says: "Returning a non-nil error schedules a retry according to the configured backoff",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t", unhurried, every(time.Minute))
			b.enqueue(s, "t", "bad")
			b.enqueue(s, "t", "good")
			bad := sub.next()
			bad.result <- errHandler
			b.equal("next", payloads(sub.serve(1, nil)), "[good]")
			d := sub.later()
			b.equal("later", string(d.Payload), "bad")
			d.result <- nil
		}},
}

// exhausted shows that a job is delivered the given number of times and then is dead.
func (b *bench) exhausted(s queue.Service, sub *subscription, deliveries int) {
	b.Helper()
	b.enqueue(s, "t", "a")
	for i := range deliveries {
		d := sub.later()
		b.equal("attempt", d.Attempt, i+1)
		d.result <- errHandler
	}
	b.equal("dead", payloads(b.subscribe(s, "t.dead").serve(1, nil)), "[a]")
	b.clock.Advance(time.Hour)
	sub.quiet(s, "t")
}

func (b *bench) close(subs ...*subscription) {
	b.Helper()
	for _, s := range subs {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}
}
