package queues_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"eddy/queues"
	"eddy/queues/logstore/logstoretest"
	"eddy/queues/queuestest"
	"eddy/runtime/clock"
)

// With the power cut at any moment, and all that was not synced lost: every acknowledged send is processed,
// and no message whose ack the broker had made durable comes back (D-12, P-6). The consumers fail now and then; what
// fails for good is processed from the dead letter queue.
func TestPowerCutLosesNothingAcknowledged(t *testing.T) {
	for seed := range uint64(20) {
		c := &crashRun{
			t:         t,
			r:         rand.New(rand.NewPCG(seed, 9)),
			luck:      rand.New(rand.NewPCG(seed, 11)),
			fs:        logstoretest.NewCrashFS(),
			seed:      seed,
			sent:      map[string]bool{},
			processed: map[string]bool{},
			gone:      map[string]bool{},
		}
		c.now = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
		for range 8 {
			c.round(false)
		}
		c.round(true)
		for body := range c.sent {
			if !c.processed[body] {
				t.Fatalf("seed %d: %q was sent, and never processed", seed, body)
			}
		}
	}
}

type crashRun struct {
	t    *testing.T
	r    *rand.Rand // the test's
	luck *rand.Rand // the consumers', on the broker's goroutine
	fs   *logstoretest.CrashFS
	now  time.Time
	seed uint64
	n    int
	// sent are bodies whose send was answered, processed those a consumer acknowledged, gone those whose ack was told
	// to observers, which happens when it is durable.
	sent, processed, gone map[string]bool
}

func (c *crashRun) round(last bool) {
	c.t.Helper()
	clk := clock.NewVirtual(c.now, c.seed)
	clk.Pause()
	b, report, err := queues.Open(
		queues.Options{
			Dir:           "log",
			FS:            c.fs,
			Clock:         clk,
			Rand:          rand.NewChaCha8([32]byte{byte(c.n)}),
			SegmentBytes:  8 << 10,
			SnapshotBytes: 20 << 10,
		},
	)
	if err != nil {
		c.t.Fatalf("seed %d: %v (%v)", c.seed, err, report)
	}
	must := func(err error) {
		c.t.Helper()
		if err != nil {
			c.t.Fatalf("seed %d: %v", c.seed, err)
		}
	}
	config := queues.DefaultConsumer("q", queues.WorkerConsumer)
	config.MaxRetries, config.DeadLetterQueue, config.MaxBatchSize = 2, "dead", 7
	if c.seed%2 == 1 {
		must(b.LeaveSyncs())
	}
	must(
		b.Declare(
			c.t.Context(),
			queues.Topology{
				Consumers: []queues.ConsumerConfig{config, queues.DefaultConsumer("dead", queues.WorkerConsumer)},
			},
		),
	)

	ids := map[queues.ID]string{}
	consumer := func(fails bool) *queuestest.Consumer {
		return queuestest.NewConsumer(func(batch *queues.Batch, _ int) *queues.Outcome {
			for _, m := range batch.Messages {
				ids[m.ID] = string(m.Body)
				if c.gone[string(m.Body)] {
					c.t.Errorf("seed %d: %q came back after its ack was durable", c.seed, m.Body)
				}
			}
			if fails && c.luck.IntN(3) == 0 {
				c.processed[string(batch.Messages[0].Body)] = true
				return &queues.Outcome{
					Failure: &queues.Failure{Reason: "exception"},
					Acks:    []queues.ID{batch.Messages[0].ID},
				}
			}
			for _, m := range batch.Messages {
				c.processed[string(m.Body)] = true
			}
			return &queues.Outcome{}
		})
	}
	_, err = b.Observe(func(a queues.Activity) {
		if a.Kind == queues.ActivityAcked {
			for _, m := range a.Messages {
				c.gone[ids[m.ID]] = true
			}
		}
	})
	must(err)
	_, err = b.Attach("q", consumer(true))
	must(err)
	_, err = b.Attach("dead", consumer(false))
	must(err)
	if last {
		clk.Advance(context.Background(), time.Hour)
		must(b.Close())
		return
	}
	// The disk stops in the middle of some operation; what follows is refused.
	ops, cut := 0, c.r.IntN(200)
	c.fs.FailWith(func(string, string) error {
		if ops++; ops > cut {
			return syscall.EIO
		}
		return nil
	})
	for range 60 {
		var msgs []queues.Outgoing
		var bodies []string
		for range 1 + c.r.IntN(9) {
			c.n++
			bodies = append(bodies, fmt.Sprint("m", c.n, " ", c.r.Int64()))
			msgs = append(
				msgs,
				queues.Outgoing{Body: []byte(bodies[len(bodies)-1]), Delay: queues.DelaySeconds(int32(c.r.IntN(3)))},
			)
		}
		// Asynchronous, so that the cut falls between sends that share a group too.
		b.SendAsync("q", msgs, queues.SendOptions{Batch: true}, func(_ queues.Metrics, err error) {
			if err != nil {
				return
			}
			for _, body := range bodies {
				c.sent[body] = true
			}
		})
		if c.r.IntN(2) == 0 {
			clk.Advance(context.Background(), time.Duration(c.r.IntN(4000))*time.Millisecond)
		}
	}
	clk.Advance(context.Background(), 0) // nobody works any more
	c.now = clk.Now()
	if err := b.Close(); err != nil && !errors.Is(err, syscall.EIO) { // the disk may refuse the end too
		c.t.Fatalf("seed %d: %v", c.seed, err)
	}
	c.fs = c.fs.PowerCut(c.r)
}
