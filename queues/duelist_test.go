package queues_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"eddy/queues"
)

// What is due next is what a look at every message would say, in order.
func TestDue(t *testing.T) {
	b := newBench(t)
	b.must(b.Declare(b.ctx, queues.Topology{Queues: []string{"q", "other"}}))
	r := rand.New(rand.NewPCG(5, 6))
	start := b.clock.Now()
	var want []time.Time
	for i := range 2000 {
		delay := int32(1 + r.IntN(10_000))
		name := []string{"q", "other"}[i%2]
		_, err := b.Send(b.ctx, name, []queues.Outgoing{{Body: fmt.Appendf(nil, "%d", i)}},
			queues.SendOptions{Delay: queues.DelaySeconds(delay)})
		b.must(err)
		want = append(want, start.Add(time.Duration(delay)*time.Second))
	}
	slices.SortFunc(want, time.Time.Compare)
	for _, limit := range []int{0, 1, 50, 5000} {
		got, err := b.Due(b.ctx, limit)
		b.must(err)
		equal(t, len(got), min(limit, 2002)) // and the end of the retention of each queue
		for i := range min(limit, 2000) {
			equal(t, got[i].At.Equal(want[i]), true)
			equal(t, got[i].Kind, queues.DueDelay)
		}
	}
	got, err := b.Due(b.ctx, 5000)
	b.must(err)
	equal(t, got[2001].Kind, queues.DueRetention)
}
