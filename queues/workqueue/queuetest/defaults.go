package queuetest

import (
	"regexp"
	"strconv"
	"time"

	queue "eddy/queues/workqueue"
)

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// defaultCases are about what holds without options.
var defaultCases = []testCase{
	{
		name: "job ID",
		says: "ID is the backend-assigned unique identifier (UUID for durable backends, monotonic for inmem).",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t")
			var last uint64
			for range 12 {
				b.enqueue(s, "t", "a")
				d := sub.next()
				d.result <- nil
				if b.Durable {
					if !uuid.MatchString(d.ID) {
						b.Errorf("ID %q is no UUID", d.ID)
					}
					continue
				}
				n, err := strconv.ParseUint(d.ID, 10, 64)
				if err != nil || n <= last {
					b.Errorf("ID %q after %d is not monotonic: %v", d.ID, last, err)
				}
				last = n
			}
		}},
	{
		name: "default visibility timeout",
		says: "DefaultVisibilityTimeout is how long a claimed job stays hidden from other workers before becoming " +
			"re-claimable. DefaultVisibilityTimeout = 30 * time.Second",
		run: func(b *bench) {
			s := b.open()
			one := b.subscribe(s, "t")
			b.enqueue(s, "t", "a")
			first := one.next()
			other := b.subscribe(s, "t")
			b.clock.Advance(queue.DefaultVisibilityTimeout - time.Second)
			other.quiet(s, "t")
			second := other.later()
			b.equal("job", second.ID, first.ID)
			b.atLeast("hidden for", second.at.Sub(first.at), 30*time.Second)
			second.result <- nil
			first.result <- nil
		}},
	{
		name: "default shutdown timeout",
		says: "DefaultShutdownTimeout is how long Consumer.Close waits for in-flight handlers before returning. " +
			"DefaultShutdownTimeout = 30 * time.Second",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t", queue.WithVisibilityTimeout(24*hour))
			b.enqueue(s, "t", "a")
			d := sub.next()
			start := b.clock.Now()
			closed := b.closing(sub)
			if err := receive(b, closed, step); err != nil {
				b.Error(err)
			}
			b.atLeast("Close waited", b.clock.Now().Sub(start), 30*time.Second)
			d.result <- nil
		}},
	{
		name: "default backoff",
		says: "Zero value means DefaultBackoff. DefaultBackoff implements exponential backoff (1s base, 5 min cap) " +
			"with uniform ±25% jitter.",
		run: func(b *bench) {
			s := b.open()
			sub := b.subscribe(s, "t", unhurried, queue.WithMaxRetries(-1))
			b.enqueue(s, "t", "a")
			d := sub.next()
			for _, base := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second} {
				failed := b.clock.Now()
				d.result <- errHandler
				d = sub.later()
				b.atLeast("tried again after", d.at.Sub(failed), base*3/4)
			}
			d.result <- nil
		}},
	{
		name: "orphans of a worker that is gone", processes: true,
		says: "Their jobs will be re-claimed after the visibility timeout if they outlive the worker process.",
		run: func(b *bench) {
			doomed := b.open()
			sub := b.subscribe(doomed, "t", queue.WithShutdownTimeout(time.Second),
				queue.WithVisibilityTimeout(10*time.Minute))
			b.enqueue(doomed, "t", "a")
			first := sub.next()
			if err := receive(b, b.closing(sub), step); err != nil {
				b.Error(err)
			}
			b.crash(doomed)
			second := b.subscribe(b.open(), "t").later()
			b.equal("job", second.ID, first.ID)
			b.equal("attempt", second.Attempt, 2)
			b.atLeast("hidden for", second.at.Sub(first.at), 10*time.Minute)
			second.result <- nil
			first.result <- nil
		}},
}

// atLeast shows that a duration is not too short. How much longer it is depends on the machine.
func (b *bench) atLeast(what string, got, low time.Duration) {
	b.Helper()
	if got < low {
		b.Errorf("%s %s, want %s at least", what, got, low)
	}
}
