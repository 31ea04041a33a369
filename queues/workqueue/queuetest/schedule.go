package queuetest

import (
	"fmt"
	"time"

	queue "eddy/queues/workqueue"
)

var scheduleCases = []testCase{
	{
		name: "priority",
		says: "Higher priority jobs are delivered before lower priority jobs once they are eligible to run.",
		run: func(b *bench) {
			s := b.open()
			for _, p := range []queue.Priority{queue.PriorityLow, queue.PriorityNormal, queue.PriorityHigh, -128, 127,
				queue.PriorityNormal} {
				b.enqueue(s, "t", fmt.Sprint(p), queue.WithPriority(p))
			}
			b.equal("order", payloads(b.subscribe(s, "t").serve(6, nil)), "[127 1 0 0 -1 -128]")
		}},
	{
		name: "first in first out",
		says: "Priority controls relative ordering of jobs in the same topic.",
		run: func(b *bench) {
			s := b.open()
			var want []string
			for i := range 30 {
				want = append(want, fmt.Sprint(i))
				b.enqueue(s, "t", want[i])
			}
			b.equal("order of equal priorities", payloads(b.subscribe(s, "t").serve(30, nil)), want)
		}},
	{name: "normal priority is the default", says: "PriorityNormal Priority = 0", run: func(b *bench) {
		s := b.open()
		b.enqueue(s, "t", "low", queue.WithPriority(queue.PriorityLow))
		b.enqueue(s, "t", "none")
		b.enqueue(s, "t", "high", queue.WithPriority(queue.PriorityHigh))
		b.equal("order", payloads(b.subscribe(s, "t").serve(3, nil)), "[high none low]")
	}},
	{name: "priority of a delayed job", says: "once they are eligible to run", run: func(b *bench) {
		s := b.open()
		b.enqueue(s, "t", "high later", queue.WithPriority(queue.PriorityHigh), queue.WithDelay(time.Minute))
		for i := range 3 {
			b.enqueue(s, "t", fmt.Sprint("low ", i), queue.WithPriority(queue.PriorityLow))
		}
		sub := b.subscribe(s, "t")
		b.equal("before", payloads(sub.serve(1, nil)), "[low 0]")
		d := sub.next()
		b.clock.Advance(time.Minute)
		d.result <- nil
		b.equal("after", payloads(sub.serve(2, nil)), "[high later low 2]")
	}},
	{
		name: "priority of a retry",
		says: "Higher priority jobs are delivered before lower priority jobs",
		run: func(b *bench) {
			s := b.open()
			b.enqueue(s, "t", "high", queue.WithPriority(queue.PriorityHigh))
			for i := range 3 {
				b.enqueue(s, "t", fmt.Sprint(i))
			}
			sub := b.subscribe(s, "t", every(time.Minute))
			sub.next().result <- errHandler
			d := sub.next()
			b.clock.Advance(time.Hour)
			d.result <- nil
			b.equal("order", payloads(sub.serve(3, nil)), "[high 1 2]")
		}},
	{name: "delay", says: "WithDelay schedules the job to run no earlier than now+d.", run: func(b *bench) {
		s := b.open()
		sub := b.subscribe(s, "t")
		b.enqueue(s, "t", "later", queue.WithDelay(time.Minute), queue.WithPriority(queue.PriorityHigh))
		b.notBefore(s, sub, b.clock.Now().Add(time.Minute))
	}},
	{name: "run at", says: "WithRunAt schedules the job to run no earlier than t.", run: func(b *bench) {
		s := b.open()
		sub := b.subscribe(s, "t")
		at := b.clock.Now().Add(time.Minute)
		b.enqueue(s, "t", "later", queue.WithRunAt(at), queue.WithPriority(queue.PriorityHigh))
		b.notBefore(s, sub, at)
	}},
	{name: "run at overrides delay", says: "Overrides WithDelay. WithRunAt always wins", run: func(b *bench) {
		s := b.open()
		sub := b.subscribe(s, "t")
		high, delay := queue.WithPriority(queue.PriorityHigh), queue.WithDelay(time.Second)
		at := b.clock.Now().Add(time.Minute)
		b.enqueue(s, "t", "later", high, delay, queue.WithRunAt(at))
		b.notBefore(s, sub, at)
		at = b.clock.Now().Add(time.Minute)
		b.enqueue(s, "t", "later", high, queue.WithRunAt(at), delay)
		b.notBefore(s, sub, at)
	}},
	{name: "the past is now", says: "Zero means \"now\".", run: func(b *bench) {
		s := b.open()
		sub := b.subscribe(s, "t")
		b.enqueue(s, "t", "a", queue.WithRunAt(b.clock.Now().Add(-time.Hour)))
		b.enqueue(s, "t", "b", queue.WithRunAt(time.Time{}))
		b.enqueue(s, "t", "c", queue.WithDelay(-time.Hour))
		b.enqueue(s, "t", "d", queue.WithDelay(0))
		b.equal("delivered", payloads(sub.serve(4, nil)), "[a b c d]")
	}},
	{
		name: "a wake-up comes before the poll",
		says: "Push-based wake-ups (NOTIFY, BLPOP, Cond) preempt this interval where supported.",
		run: func(b *bench) {
			// The clock stands still: no poll is ever due.
			s := b.open()
			sub := b.subscribe(s, "t", queue.WithPollInterval(time.Hour))
			for range 5 {
				b.enqueue(s, "t", "a")
				sub.serve(1, nil)
			}
		}},
	{
		name: "a due job needs no wake-up",
		says: "EnqueueConfig.RunAt is the absolute time at which the job becomes eligible.",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t", queue.WithPollInterval(1000*time.Hour))
			b.enqueue(s, "t", "later", queue.WithDelay(time.Minute))
			d := sub.later()
			if d.at.Sub(d.EnqueuedAt) < time.Minute {
				b.Errorf("delivered %s after it was enqueued", d.at.Sub(d.EnqueuedAt))
			}
			d.result <- nil
		}},
}

// notBefore shows that the job "later" is delivered once, and not before the clock shows at.
func (b *bench) notBefore(s queue.Service, sub *subscription, at time.Time) {
	b.Helper()
	sub.quiet(s, "t")
	d := sub.later()
	b.equal("payload", string(d.Payload), "later")
	if d.at.Before(at) {
		b.Errorf("delivered %s early", at.Sub(d.at))
	}
	d.result <- nil
}
