package ratelimit

import (
	"testing"
	"time"

	"eddy/runtime/clock"
)

// A key's calls count within a window of its period; other keys and the other period have counts of their own. Windows
// begin at whole multiples of the period, and a refused call does not count.
func TestLimiter(t *testing.T) {
	c := clock.NewVirtual(time.Unix(1_000_000_007, 0), 1) // 7 s into a window of 10
	c.Pause()
	l := New(c)
	for i, step := range []struct {
		advance time.Duration
		key     string
		limit   float64
		period  int
		delta   uint32
		want    bool
	}{
		{0, "a", 2, 10, 1, true}, {0, "a", 2, 10, 1, true}, {0, "a", 2, 10, 1, false}, {0, "b", 2, 10, 1, true},
		{0, "a", 3, 10, 1, true}, // the refused call has not counted
		{0, "a", 1, 60, 1, true}, {0, "a", 1, 60, 1, false},
		{3*time.Second - 1, "a", 2, 10, 1, false},
		{1, "a", 2, 10, 5, true}, // a new window: the weight of a call that is let in may be more than what is left
		{0, "a", 2, 10, 1, false},
		{0, "a", 1, 60, 1, false}, // 1000000010 is still in the minute from 999999960
		{10 * time.Second, "a", 1, 60, 1, true},
		{0, "c", 0, 10, 1, false},
	} {
		c.Advance(t.Context(), step.advance)
		if got := l.Limit(step.key, step.limit, step.period, step.delta); got != step.want {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
}

func BenchmarkLimit(b *testing.B) {
	l := New(clock.Real{})
	for b.Loop() {
		l.Limit("key", 1e9, 60, 1)
	}
}
