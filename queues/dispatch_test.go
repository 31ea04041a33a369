package queues_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"eddy/queues"
	"eddy/queues/logstore/logstoretest"
	"eddy/queues/queuestest"
)

func hold(*queues.Batch, int) *queues.Outcome { return nil }

// K-6, D-13: deliveries in flight grow with the backlog, one step per batch that ends, up to max_concurrency; most
// of them failing with an exception brings them down again.
func TestConcurrencyFollowsBacklog(t *testing.T) {
	b := newBench(t)
	c := b.consume("q", hold, func(c *queues.ConsumerConfig) {
		c.MaxBatchSize, c.MaxBatchTimeout, c.MaxConcurrency, c.MaxRetries = 1, 0, 4, 100
	})
	for range 40 {
		b.send("q", "m")
	}
	b.clock.Advance(t.Context(), 0)
	inFlight := func() int {
		q, err := b.Queue(b.ctx, "q")
		b.must(err)
		return q.Consumer.InFlight
	}
	settled := 0
	settle := func(o queues.Outcome) {
		c.Batches()[settled].Done(o)
		settled++
		b.clock.Advance(t.Context(), 0)
	}
	equal(t, inFlight(), 1)
	var seen []int
	for range 5 {
		settle(queues.Outcome{})
		seen = append(seen, inFlight())
	}
	equal(t, seen, []int{2, 3, 4, 4, 4})
	// retry() is no failure.
	settle(queues.Outcome{RetryAll: true})
	equal(t, inFlight(), 4)
	for range 12 {
		settle(queues.Outcome{Failure: &queues.Failure{Reason: "exception"}})
	}
	equal(t, inFlight(), 1)
}

// D-14: queues are consumed independently of each other. Of one queue no second batch runs beside the first until one
// has ended, also if it fills meanwhile: that is production's scaling (D-13), not the reference's.
func TestQueuesAreIndependent(t *testing.T) {
	b := newBench(t)
	slow := func(c *queues.ConsumerConfig) { c.MaxBatchSize, c.MaxBatchTimeout = 2, time.Second }
	a, other := b.consume("a", hold, slow), b.consume("b", hold, slow)
	b.send("a", "1")
	b.send("b", "1")
	b.clock.Advance(t.Context(), time.Second)
	equal(t, []int{len(a.Batches()), len(other.Batches())}, []int{1, 1}) // both in flight
	b.send("a", "2", "3")
	b.clock.Advance(t.Context(), time.Minute)
	equal(t, len(a.Batches()), 1)
	a.Batches()[0].Done(queues.Outcome{})
	b.clock.Advance(t.Context(), 0)
	equal(t, a.Bodies(), [][]string{{"1"}, {"2", "3"}})
	equal(t, len(other.Batches()), 1)
}

// D-15: after 15 minutes the delivery's context ends and its messages are retried; what the handler says later
// changes nothing.
func TestWallTime(t *testing.T) {
	b := newBench(t)
	c := b.consume("q", hold, func(c *queues.ConsumerConfig) { c.MaxBatchTimeout = 0 })
	b.send("q", "slow")
	b.clock.Advance(t.Context(), 15*time.Minute-time.Millisecond)
	first := c.Batches()[0]
	equal(t, first.Ctx.Err(), nil)
	b.clock.Advance(t.Context(), time.Millisecond)
	if !errors.Is(context.Cause(first.Ctx), queues.ErrWallTime) {
		t.Fatalf("the context ended with %v", context.Cause(first.Ctx))
	}
	equal(t, c.Batches()[1].Messages[0].Attempts, 2)
	first.Done(queues.Outcome{AckAll: true})
	b.clock.Advance(t.Context(), 0)
	equal(t, b.backlog("q"), 1)
	c.Batches()[1].Done(queues.Outcome{})
	b.clock.Advance(t.Context(), 0)
	equal(t, b.backlog("q"), 0)
}

// A reload swaps the code: the batch in flight finishes with the old code, the next goes to the new; between the two
// nothing is lost.
func TestReload(t *testing.T) {
	b := newBench(t)
	old := b.consume("q", hold, func(c *queues.ConsumerConfig) { c.MaxBatchTimeout = 0; c.MaxConcurrency = 1 })
	b.send("q", "one")
	b.clock.Advance(t.Context(), 0)
	renewed := queuestest.NewConsumer(nil)
	detach, err := b.Attach("q", renewed)
	b.must(err)
	b.send("q", "two")
	b.clock.Advance(t.Context(), 0)
	equal(t, len(renewed.Batches()), 0) // max_concurrency 1 holds across the swap
	old.Batches()[0].Done(queues.Outcome{})
	b.clock.Advance(t.Context(), 0)
	equal(t, renewed.Bodies(), [][]string{{"two"}})
	detach()
	b.send("q", "three")
	b.clock.Advance(t.Context(), time.Hour)
	equal(t, len(renewed.Batches()), 1)
	equal(t, b.backlog("q"), 1)
}

// K-11, D-17: a paused queue takes messages and delivers none; resumed, it delivers them.
func TestPause(t *testing.T) {
	b := newBench(t)
	c := b.consume("q", nil, nil)
	b.must(b.Pause(b.ctx, "q", true))
	b.send("q", "a")
	b.clock.Advance(t.Context(), time.Hour)
	equal(t, len(c.Batches()), 0)
	b.must(b.Pause(b.ctx, "q", false))
	b.clock.Advance(t.Context(), 5*time.Second)
	equal(t, c.Bodies(), [][]string{{"a"}})
}

// D-17, K-11: pausing beside a change of other settings takes none of them back.
func TestPauseKeepsSettings(t *testing.T) {
	b := newBench(t)
	b.consume("q", nil, nil)
	s := queues.DefaultQueueSettings()
	for i := range 300 {
		s.Retention = queues.MinRetention + time.Duration(i)*time.Second
		changed := make(chan error, 1)
		go func() {
			_, err := b.UpdateQueue(b.ctx, "q", "", s)
			changed <- err
		}()
		b.must(b.Pause(b.ctx, "q", true))
		b.must(<-changed)
		q, err := b.Queue(b.ctx, "q")
		b.must(err)
		equal(t, q.Settings.Retention, s.Retention)
	}
}

// C-6: a batch carries the backlog without itself. P-5: a send is answered with the backlog before it, in-flight
// messages included.
func TestMetrics(t *testing.T) {
	b := newBench(t)
	c := b.consume("q", hold, func(c *queues.ConsumerConfig) { c.MaxBatchSize = 2 })
	start := b.clock.Now()
	equal(t, b.send("q", "aa", "b"), queues.Metrics{})
	b.clock.Advance(t.Context(), time.Second)
	equal(t, b.send("q", "ccc"), queues.Metrics{BacklogCount: 2, BacklogBytes: 3, OldestMessageTimestamp: start})
	b.clock.Advance(t.Context(), 0)
	equal(t, c.Batches()[0].Metrics, queues.Metrics{})
	b.clock.Advance(t.Context(), 0)
	b.send("q", "dddd")
	c.Batches()[0].Done(queues.Outcome{})
	b.clock.Advance(t.Context(), 0)
	equal(t, c.Batches()[1].Metrics, queues.Metrics{})
	equal(t, b.backlog("q"), 2)
}

// An orderly end: what is in flight finishes, nothing new begins, sends are still accepted.
func TestDrain(t *testing.T) {
	b := newBench(t)
	c := b.consume("q", hold, func(c *queues.ConsumerConfig) { c.MaxBatchTimeout = 0 })
	b.send("q", "a")
	b.clock.Advance(t.Context(), 0)
	impatient, cancel := context.WithCancelCause(b.ctx)
	enough := errors.New("enough")
	cancel(enough)
	if err := b.Drain(impatient); err != enough {
		t.Fatalf("a drain with a batch in flight gave %v", err)
	}
	b.send("q", "x")
	b.clock.Advance(t.Context(), 0)
	c.Batches()[0].Done(queues.Outcome{})
	b.must(b.Drain(b.ctx))
	equal(t, b.backlog("q"), 1)
	equal(t, len(c.Batches()), 1)
}

// Closing without draining: the interrupted delivery never happened, and the message is delivered again with the
// same attempt (D-12).
func TestInterruptedDeliveryDoesNotCount(t *testing.T) {
	b := newBench(t)
	c := b.consume("q", hold, func(c *queues.ConsumerConfig) { c.MaxBatchTimeout, c.MaxRetries = 0, 0 })
	b.send("q", "a")
	b.clock.Advance(t.Context(), 0)
	b.must(b.Close())
	if !errors.Is(context.Cause(c.Batches()[0].Ctx), queues.ErrClosed) {
		t.Fatal("the delivery was not cancelled")
	}
	c.Batches()[0].Done(queues.Outcome{})
	b.open()
	c = queuestest.NewConsumer(nil)
	_, err := b.Attach("q", c)
	b.must(err)
	b.clock.Advance(t.Context(), 0)
	equal(t, c.Batches()[0].Messages[0].Attempts, 1)
}

// A disk that is full: sends fail, and what asks is refused with the reason. When there is room again all goes on by
// itself, with what was acknowledged and nothing of what was refused; so it is after a restart, too.
func TestFullDisk(t *testing.T) {
	b := newBench(t)
	b.must(b.Close())
	fs := logstoretest.NewCrashFS()
	b.fs = fs
	b.open()
	b.must(b.Declare(b.ctx, queues.Topology{Queues: []string{"q"}}))
	b.send("q", "kept")
	fs.FailWith(func(op, _ string) error {
		if op == "write" {
			return syscall.ENOSPC
		}
		return nil
	})
	for range 2 {
		if _, err := b.Send(b.ctx, "q", []queues.Outgoing{{Body: []byte("lost")}}, queues.SendOptions{}); !errors.Is(
			err,
			syscall.ENOSPC,
		) {
			t.Fatalf("send on a full disk: %v", err)
		}
	}
	if _, err := b.Queues(b.ctx); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a full broker answers: %v", err)
	}
	if _, err := b.LaneSend(b.ctx, "lanes", "k", queues.Outgoing{Body: []byte("lost")}); !errors.Is(
		err,
		syscall.ENOSPC,
	) {
		t.Fatalf("send to a lane on a full disk: %v", err)
	}
	fs.FailWith(nil)
	b.send("q", "later")
	_, err := b.LaneSend(b.ctx, "lanes", "k", queues.Outgoing{Body: []byte("later")})
	b.must(err)
	var got []string
	b.consume("q", func(batch *queues.Batch, n int) *queues.Outcome {
		for _, m := range batch.Messages {
			got = append(got, string(m.Body))
		}
		return &queues.Outcome{}
	}, func(c *queues.ConsumerConfig) { c.MaxBatchTimeout = 0 })
	b.clock.Advance(t.Context(), 0)
	equal(t, strings.Join(got, " "), "kept later")
	b.send("q", "last")
	b.clock.Advance(t.Context(), 0)
	fs.FailWith(func(op, _ string) error {
		if op == "write" {
			return syscall.ENOSPC
		}
		return nil
	})
	if _, err := b.Send(b.ctx, "q", []queues.Outgoing{{Body: []byte("lost")}}, queues.SendOptions{}); err == nil {
		t.Fatal("send on a full disk")
	}
	b.must(b.Close())
	fs.FailWith(nil)
	broker, report, err := queues.Open(queues.Options{Dir: "log", FS: fs, Clock: b.clock, Rand: b.rand})
	b.must(err)
	b.Broker = broker
	equal(t, len(report.Cut), 0)
	equal(t, b.backlog("q"), 0)
}

// Observers are told what happened, in order, once it is durable; attempts count as the log lines want them (C-33,
// C-34).
func TestActivity(t *testing.T) {
	b := newBench(t)
	b.consume("q", func(batch *queues.Batch, n int) *queues.Outcome {
		return &queues.Outcome{
			Acks:    []queues.ID{batch.Messages[0].ID},
			Failure: &queues.Failure{Reason: "exception", Error: "Error: x"},
		}
	}, func(c *queues.ConsumerConfig) { c.MaxBatchTimeout, c.MaxRetries, c.DeadLetterQueue = 0, 1, "dead" })
	var lines []string
	cancel, err := b.Observe(func(a queues.Activity) {
		line := fmt.Sprintf("%s %s %d", a.Kind, a.Queue, a.Count)
		for _, m := range a.Messages {
			line += fmt.Sprintf(" @%d", m.Attempts)
		}
		if a.Kind == queues.ActivityBatch {
			line += fmt.Sprintf(" acked %d in %v", a.Acked, a.Duration)
		}
		lines = append(lines, line+" "+a.Reason+a.DeadLetterQueue)
	})
	b.must(err)
	b.send("q", "a", "b", "c")
	b.clock.Advance(t.Context(), 0)
	_, err = b.Purge(b.ctx, "dead")
	b.must(err)
	b.must(b.Pause(b.ctx, "q", true))
	cancel()
	b.send("q", "unseen")
	equal(t, lines, []string{
		"sent q 3 @0 @0 @0 ",
		"delivered q 3 @1 @1 @1 ",
		"acked q 1 @1 exception",
		"retried q 2 @1 @1 exception",
		"batch q 3 acked 1 in 0s exception",
		"delivered q 2 @2 @2 ",
		"acked q 1 @2 exception",
		"dead-lettered q 1 @2 exceptiondead",
		"batch q 2 acked 1 in 0s exceptiondead",
		"purged dead 1 ",
		"paused q 0 ",
	})
}
