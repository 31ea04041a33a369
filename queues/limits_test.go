package queues_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"eddy/queues"
)

// P-23, P-24, P-25, P-26, P-30, X-4, X-5, X-9, H-22: the limits, their codes, the coded text and the old one.
func TestSendLimits(t *testing.T) {
	b := newBench(t)
	b.must(b.Declare(b.ctx, queues.Topology{Queues: []string{"q"}}))
	of := func(sizes ...int) (out []queues.Outgoing) {
		for _, n := range sizes {
			out = append(out, queues.Outgoing{Body: make([]byte, n), ContentType: queues.ContentBytes})
		}
		return out
	}
	many := func(n int) (sizes []int) { return make([]int, n) }
	delayed := of(1)
	delayed[0].Delay = queues.DelaySeconds(-5)
	for _, c := range []struct {
		name       string
		msgs       []queues.Outgoing
		o          queues.SendOptions
		coded, old string
	}{
		{"a message at the limit", of(128_000), queues.SendOptions{}, "", ""},
		{"a message over it", of(128_001), queues.SendOptions{},
			"message length of 128001 bytes exceeds limit of 128000 (10204)",
			"message length of 128001 bytes exceeds limit of 128000"},
		{"in a batch", of(1, 128_001), queues.SendOptions{Batch: true},
			"message in batch has length 128001 bytes which exceeds single message size limit of 128000 (10204)",
			"message in batch has length 128001 bytes which exceeds single message size limit of 128000"},
		{"100 messages", of(many(100)...), queues.SendOptions{Batch: true}, "", ""},
		{"101 messages", of(many(101)...), queues.SendOptions{Batch: true},
			"batch message count of 101 exceeds limit of 100 (10206)",
			"batch message count of 101 exceeds limit of 100"},
		{"a batch at the limit", of(128_000, 128_000), queues.SendOptions{Batch: true}, "", ""},
		{"a batch over it", of(128_000, 128_000, 3), queues.SendOptions{Batch: true},
			"batch size of 256003 bytes exceeds limit of 256000 (10205)",
			"batch size of 256003 bytes exceeds limit of 256000"},
		{"a day's delay", of(1), queues.SendOptions{Delay: queues.DelaySeconds(86400)}, "", ""},
		{"more than a day", of(1), queues.SendOptions{Delay: queues.DelaySeconds(86401)},
			"delay of 86401 seconds is outside 0 to 86400 (10203)", "Internal Server Error"},
		{"a negative delay", delayed, queues.SendOptions{},
			"delay of -5 seconds is outside 0 to 86400 (10203)", "Internal Server Error"},
	} {
		_, err := b.Send(b.ctx, "q", c.msgs, c.o)
		var coded, old string
		if e, ok := err.(*queues.Error); ok {
			coded, old = e.Error(), e.Old
		} else if err != nil {
			t.Fatal(err)
		}
		if coded != c.coded || old != c.old {
			t.Errorf("%s: %q, %q; want %q, %q", c.name, coded, old, c.coded, c.old)
		}
	}
	// P-12: a bad item anywhere, and nothing is enqueued: these are the four good sends.
	equal(t, b.backlog("q"), 1+100+2+1)
	if _, err := b.Send(b.ctx, "none", of(1), queues.SendOptions{}); !isCode(err, queues.CodeQueueNotFound) {
		t.Errorf("send to a queue that does not exist: %v", err)
	}
}

// P-28: production's rate limit is not applied, a burst hurts nobody here; Z0-2: nor is the 400 a second that z0
// believes in.
func TestBurstIsTaken(t *testing.T) {
	b := newBench(t)
	b.must(b.Declare(b.ctx, queues.Topology{Queues: []string{"q"}}))
	for range 51 {
		b.send("q", make([]string, 100)...)
	}
	equal(t, b.backlog("q"), 5100)
}

// Z0-1, BE-9, BE-10, S4-2: what the projects that were handed in rely on. Z0-2: 250 batches may be in flight, and there
// is one consumer.
func TestPublishedFigures(t *testing.T) {
	const day = 24 * time.Hour
	equal(
		t,
		[]any{
			queues.MaxMessageBytes,
			queues.MaxBatchCount,
			queues.MaxBatchBytes,
			queues.MaxBacklogBytes,
			queues.MaxQueues,
		},
		[]any{128_000, 100, 256_000, 25_000_000_000, 10_000},
	)
	equal(
		t,
		[]any{
			queues.DefaultQueueSettings().Retention,
			queues.MaxRetention,
			queues.MaxVisibilityTimeout,
			queues.DeliveryWallTime,
		},
		[]any{4 * day, 14 * day, day / 2, 15 * time.Minute},
	)
	equal(
		t,
		[]any{queues.MaxBatchTimeoutLimit, queues.MaxRetriesLimit, queues.MaxConcurrencyLimit, queues.MaxDelaySeconds},
		[]any{time.Minute, 100, 250, 86_400},
	)
	d := queues.DefaultConsumer("q", queues.PullConsumer)
	equal(t, []any{d.VisibilityTimeout, d.MaxRetries}, []any{30 * time.Second, 3})
	b := newBench(t)
	b.consume("q", nil, func(c *queues.ConsumerConfig) { c.MaxConcurrency = 250 })
	if _, err := b.SetConsumer(b.ctx, queues.DefaultConsumer("q", queues.PullConsumer), false); !errors.Is(
		err,
		queues.ErrConsumerExists,
	) {
		t.Errorf("a second consumer: %v", err)
	}
}

// K-1, K-2, K-3, K-4, K-5, K-6, K-17: ranges and names, all mistakes together.
func TestDeclareReportsAllMistakes(t *testing.T) {
	b := newBench(t)
	c := queues.DefaultConsumer("q", queues.WorkerConsumer)
	c.MaxBatchSize, c.MaxBatchTimeout, c.MaxRetries, c.RetryDelay = 0, -1, 101, 1<<62
	c.MaxConcurrency, c.DeadLetterQueue = 251, "q"
	err := b.Declare(
		b.ctx,
		queues.Topology{
			Queues:    []string{"no spaces"},
			Consumers: []queues.ConsumerConfig{c, queues.DefaultConsumer("q", queues.WorkerConsumer)},
		},
	)
	for _, want := range []string{
		`"no spaces"`, "max_batch_size of 0 ", "max_batch_timeout", "max_retries of 101 is outside 0 to 100",
		"retry_delay",
		"max_concurrency of 251 is outside 0 to 250", `dead letter queue for queue "q" cannot be itself`,
		`multiple consumers defined for queue "q"`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	all, err := b.Queues(b.ctx)
	b.must(err)
	equal(t, len(all), 0)
	d := queues.DefaultConsumer("q", queues.WorkerConsumer)
	equal(
		t,
		[]any{
			d.MaxBatchSize,
			d.MaxBatchTimeout.String(),
			d.MaxRetries,
			d.RetryDelay.String(),
			d.VisibilityTimeout.String(),
		},
		[]any{10, "5s", 3, "0s", "30s"},
	)
}
