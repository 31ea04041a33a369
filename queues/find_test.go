package queues_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"eddy/queues"
)

// What is found is what a look at every message would find, in order of arrival, whatever the limit (H-16).
func TestFind(t *testing.T) {
	b := newBench(t)
	b.must(b.Declare(b.ctx, queues.Topology{Queues: []string{"q"}}))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		o := queues.SendOptions{}
		if r.IntN(3) == 0 {
			o.Delay = queues.DelaySeconds(int32(1 + r.IntN(100)))
		}
		body := fmt.Sprintf("Message %d %s", i, strings.Repeat("ab"[r.IntN(2):][:1], r.IntN(4)))
		_, err := b.Send(b.ctx, "q", []queues.Outgoing{{Body: []byte(body), ContentType: queues.ContentText}}, o)
		b.must(err)
		if i%1000 == 999 {
			b.clock.Advance(t.Context(), time.Second)
		}
	}
	all, err := b.Peek(b.ctx, "q", 10_000)
	b.must(err)
	equal(t, len(all), 3000)
	for _, f := range []queues.PeekFilter{{}, {State: "ready"}, {State: "delayed"}, {State: "in flight"},
		{Contains: "bb"}, {Contains: "MESSAGE 17"}, {State: "delayed", Contains: "aaa"}, {ID: all[7].ID.String()[:6]},
		{Contains: all[9].ID.String()}, {Since: all[1500].Timestamp}, {Until: all[1500].Timestamp, Contains: "b"},
		{Since: all[1500].Timestamp, Until: all[1500].Timestamp},
		{Since: all[2999].Timestamp.Add(time.Millisecond)}, {Contains: "nothing has this"}} {
		var want []queues.Peeked
		for _, m := range all {
			if (f.State == "" || m.State == f.State) && (f.Since.IsZero() || !m.Timestamp.Before(f.Since)) &&
				(f.Until.IsZero() || !m.Timestamp.After(f.Until)) && strings.HasPrefix(m.ID.String(), f.ID) &&
				(strings.Contains(strings.ToLower(string(m.Body)), strings.ToLower(f.Contains)) ||
					strings.HasPrefix(m.ID.String(), f.Contains)) {
				want = append(want, m)
			}
		}
		for _, limit := range []int{0, 1, 7, 5000} {
			got, n, err := b.Find(b.ctx, "q", f, limit)
			b.must(err)
			equal(t, n, len(want))
			equal(t, len(got), min(limit, len(want)))
			for i := range got {
				equal(t, got[i].Ref, want[i].Ref)
				equal(t, string(got[i].Body), string(want[i].Body))
				equal(t, got[i].Attempts, want[i].Attempts)
			}
		}
	}
}
