package queues_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"eddy/queues"
	"eddy/queues/logstore"
)

// Space is bounded by what is live: a hundred messages that stay for good do not keep the log of everything that
// passed by them, and they read back whole after they were copied forward, and after a restart.
func TestSpaceIsBoundedByLiveData(t *testing.T) {
	const segment, snapshots = 64 << 10, 128 << 10
	b := newBench(t)
	b.must(b.Close())
	b.fs = logstore.NewMemFS()
	reopen := func() {
		broker, _, err := queues.Open(
			queues.Options{
				Dir:           "log",
				FS:            b.fs,
				Clock:         b.clock,
				Rand:          b.rand,
				SegmentBytes:  segment,
				SnapshotBytes: snapshots,
			},
		)
		b.must(err)
		b.Broker = broker
	}
	reopen()
	b.must(b.Declare(b.ctx, queues.Topology{Queues: []string{"stays"}}))
	c := b.consume("passes", nil, func(c *queues.ConsumerConfig) { c.MaxBatchSize = 100; c.MaxBatchTimeout = 0 })
	r := rand.New(rand.NewPCG(1, 1))
	var want []string
	for i := range 2000 {
		if i%20 == 0 {
			body := fmt.Sprintf("%d %s", i, strings.Repeat("k", r.IntN(2000)))
			b.send("stays", body)
			want = append(want, body)
		}
		b.send("passes", strings.Repeat("p", 2000), strings.Repeat("q", 1000))
		b.clock.Advance(t.Context(), time.Millisecond)
	}
	equal(t, len(c.Batches()), 2000)
	check := func() {
		t.Helper()
		got, err := b.Peek(b.ctx, "stays", 1000)
		b.must(err)
		equal(t, len(got), len(want))
		for i := range got {
			equal(t, string(got[i].Body), want[i])
		}
		s, err := b.Sizes(b.ctx)
		b.must(err)
		if limit := 2*s.LiveBytes + snapshots + 3*segment; s.LogBytes > limit {
			t.Fatalf(
				"the log takes %d bytes for %d live ones, more than %d; 6 MB passed through",
				s.LogBytes,
				s.LiveBytes,
				limit,
			)
		}
	}
	check()
	b.must(b.Close())
	reopen()
	check()
}
