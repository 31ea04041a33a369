package queuetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	queue "eddy/queues/workqueue"
)

// soon is less than what a clock is set back by, and much more than a slow machine needs.
const soon = 12 * hour

// clockCases are about clocks that are set. They need a store that outlives a service.
var clockCases = []testCase{
	{
		name: "the clock is set back", processes: true,
		says: "DefaultVisibilityTimeout is how long a claimed job stays hidden from other workers before becoming " +
			"re-claimable.",
		run: func(b *bench) {
			doomed := b.open()
			sub := b.subscribe(doomed, "t", queue.WithVisibilityTimeout(time.Minute))
			b.enqueue(doomed, "t", "claimed")
			first := sub.next()
			b.enqueue(doomed, "t", "delayed", queue.WithDelay(time.Minute))
			b.crash(doomed)
			b.clock.Set(b.clock.Now().Add(-24 * hour))
			back := b.clock.Now()
			other := b.subscribe(b.open(), "t")
			for range 2 {
				d := other.later()
				if hidden := d.at.Sub(back); hidden > soon {
					b.Errorf("%q stayed hidden for %s after the clock was set back", d.Payload, hidden)
				}
				d.result <- nil
			}
			first.result <- nil
		}},
	{
		name: "the clock is set forward", processes: true,
		says: "A worker crashes mid-handler. The job becomes visible again after the visibility timeout and will be " +
			"re-delivered.",
		run: func(b *bench) {
			doomed := b.open()
			sub := b.subscribe(doomed, "t", queue.WithVisibilityTimeout(time.Minute))
			b.enqueue(doomed, "t", "claimed")
			first := sub.next()
			b.enqueue(doomed, "t", "delayed", queue.WithDelay(hour))
			b.crash(doomed)
			b.clock.Set(b.clock.Now().Add(24 * hour))
			// Both are due now.
			other := b.subscribe(b.open(), "t")
			seen := map[string]bool{}
			for _, d := range other.serve(2, nil) {
				seen[string(d.Payload)] = true
			}
			b.equal("delivered", seen, map[string]bool{"claimed": true, "delayed": true})
			other.quiet(b.open(), "t")
			first.result <- nil
		}},
	{name: "the clock jumps about", processes: true, says: "Delivery is at-least-once", run: jumpAbout},
}

// jumpAbout lets workers die with jobs in their hands and sets the clock each time, up to two days either way. In the
// end no job is lost or hidden, and priorities hold.
func jumpAbout(b *bench) {
	seed := rand.Uint64()
	b.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	open := map[string]bool{}
	var hanging []delivery
	settle := func(d delivery, result error) {
		d.result <- result
		if result == nil {
			delete(open, string(d.Payload))
		}
	}
	opts := []queue.SubscribeOption{
		queue.WithConcurrency(3), queue.WithVisibilityTimeout(time.Minute), queue.WithMaxRetries(-1),
	}
	for round := range 12 {
		doomed := b.open()
		for i := range 3 {
			payload := fmt.Sprint(round, ".", i)
			open[payload] = true
			b.enqueue(doomed, "t", payload, queue.WithPriority(queue.Priority(random.IntN(3)-1)),
				queue.WithDelay(time.Duration(i*random.IntN(60))*time.Second))
		}
		sub := b.subscribe(doomed, "t", opts...)
		start := b.clock.Now()
		d := sub.later() // the first has no delay, but a server that fails a claim is asked again after a while
		if hidden := d.at.Sub(start); hidden > soon {
			b.Errorf("%q came %s after it was enqueued without a delay", d.Payload, hidden)
		}
		switch random.IntN(3) {
		case 0:
			settle(d, nil)
		case 1:
			settle(d, errors.New("fails"))
		default:
			hanging = append(hanging, d)
		}
		b.clock.Set(b.clock.Now().Add(time.Duration(random.IntN(97)-48) * hour))
		b.crash(doomed)
	}
	last := b.clock.Now()
	s := b.open()
	sub := b.subscribe(s, "t", opts...)
	for len(open) > 0 {
		d := sub.later()
		if hidden := d.at.Sub(last); hidden > soon {
			b.Errorf("%q stayed hidden for %s after the clock was set", d.Payload, hidden)
		}
		settle(d, nil)
	}
	for _, p := range []queue.Priority{0, -1, 1} {
		b.enqueue(s, "order", fmt.Sprint(p), queue.WithPriority(p))
	}
	b.equal("order", payloads(b.subscribe(s, "order").serve(3, nil)), "[1 0 -1]")
	for _, d := range hanging {
		d.result <- nil
	}
}
