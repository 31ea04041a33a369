package queues_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"eddy/queues"
	"eddy/queues/logstore/logstoretest"
	"eddy/queues/queuestest"
	"eddy/runtime/clock"
)

// The sync of acks that nobody waits for comes with the next send, the next question or after five milliseconds. Nobody
// hears of them before, and a cut of the power before it delivers the messages again.
func TestAcksAreSyncedLate(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	for name, act := range map[string]func(b *queues.Broker, clk *clock.Virtual){
		"nothing": nil,
		"a send": func(b *queues.Broker, clk *clock.Virtual) {
			b.SendAsync("other", []queues.Outgoing{{Body: []byte("m")}}, queues.SendOptions{},
				func(_ queues.Metrics, err error) { must(err) })
			clk.Advance(ctx, 0)
		},
		"a question": func(b *queues.Broker, clk *clock.Virtual) {
			b.MetricsAsync("other", func(_ queues.Metrics, err error) { must(err) })
			clk.Advance(ctx, 0)
		},
		"five milliseconds": func(_ *queues.Broker, clk *clock.Virtual) { clk.Advance(ctx, 5*time.Millisecond) },
		"the end":           func(b *queues.Broker, _ *clock.Virtual) { must(b.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			fs := logstoretest.NewCrashFS()
			clk := clock.NewVirtual(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), 1)
			clk.Pause()
			o := queues.Options{Dir: "log", FS: fs, Clock: clk, Rand: rand.NewChaCha8([32]byte{1})}
			b, _, err := queues.Open(o)
			must(err)
			config := queues.DefaultConsumer("q", queues.WorkerConsumer)
			config.MaxBatchTimeout = 0
			must(b.Declare(ctx, queues.Topology{Queues: []string{"other"}, Consumers: []queues.ConsumerConfig{config}}))
			must(b.LeaveSyncs())
			var heard []queues.ActivityKind
			_, err = b.Observe(func(a queues.Activity) {
				if a.Queue == "q" {
					heard = append(heard, a.Kind)
				}
			})
			must(err)
			_, err = b.Attach("q", queuestest.NewConsumer(func(*queues.Batch, int) *queues.Outcome {
				return &queues.Outcome{}
			}))
			must(err)
			b.SendAsync("q", []queues.Outgoing{{Body: []byte("m")}}, queues.SendOptions{},
				func(_ queues.Metrics, err error) { must(err) })
			clk.Advance(ctx, 0)
			want := []queues.ActivityKind{queues.ActivitySent, queues.ActivityDelivered}
			equal(t, heard, want)
			comes := true
			if act != nil {
				act(b, clk)
				comes, want = false, append(want, queues.ActivityAcked, queues.ActivityBatch)
			}
			equal(t, heard, want)
			var cuts []*logstoretest.CrashFS // a cut may leave what was not synced
			for seed := range uint64(8) {
				cuts = append(cuts, fs.PowerCut(rand.New(rand.NewPCG(seed, 1))))
			}
			must(b.Close())
			came := false
			for _, o.FS = range cuts {
				b, _, err := queues.Open(o)
				must(err)
				c := queuestest.NewConsumer(nil)
				_, err = b.Attach("q", c)
				must(err)
				clk.Advance(ctx, 0)
				came = came || len(c.Batches()) > 0
				must(b.Close())
			}
			equal(t, came, comes)
		})
	}
}
