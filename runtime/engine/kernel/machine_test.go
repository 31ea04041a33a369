package kernel

import (
	"math"
	"testing"
)

// TestToInt32 has the standard's ToInt32, of large numbers too.
func TestToInt32(t *testing.T) {
	for f, want := range map[float64]int32{
		0: 0, -1: -1, 1.9: 1, -1.9: -1, 1 << 31: math.MinInt32, 1<<32 + 5: 5, -(1<<32 + 5): -5, 1 << 62: 0, 1e300: 0,
		1<<63 + 2048: 2048, -(1<<63 + 2048): -2048, math.Inf(1): 0, 1e19: -1981284352,
	} {
		if got := toInt32(f); got != want {
			t.Errorf("%v: %d, expected %d", f, got, want)
		}
	}
}
