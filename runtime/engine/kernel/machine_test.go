package kernel

import (
	"math"
	"testing"
)

// TestToInt has the standard's ToInt32, of large numbers too.
func TestToInt(t *testing.T) {
	for f, want := range map[float64]int32{
		0: 0, -1: -1, 1.9: 1, -1.9: -1, 1 << 31: math.MinInt32, 1<<32 + 5: 5, -(1<<32 + 5): -5, 1 << 62: 0,
		1<<63 + 2048:    2048,
		-(1<<63 + 2048): -2048, 1e300: 0, math.Inf(1): 0, 1e19: -1981284352,
	} {
		if got := int32(uint32(toInt(f))); got != want {
			t.Errorf("%v: %d, expected %d", f, got, want)
		}
	}
	if toInt(math.NaN()) != 0 {
		t.Error("NaN")
	}
}

// TestRemainder has the signs of %.
func TestRemainder(t *testing.T) {
	zero := math.Copysign(0, -1)
	for _, c := range []struct{ a, b, want float64 }{
		{7, 4, 3}, {-7, 4, -3}, {7, -4, 3}, {-8, 4, zero}, {zero, 4, zero}, {8, 4, 0}, {1.5, 1, 0.5}, {5,
			math.Inf(1), 5},
		{1e300, 7, math.Mod(1e300, 7)},
	} {
		if got := remainder(c.a, c.b); got != c.want || math.Signbit(got) != math.Signbit(c.want) {
			t.Errorf("%v %% %v: %v", c.a, c.b, got)
		}
	}
	if !math.IsNaN(remainder(1, 0)) || !math.IsNaN(remainder(math.Inf(1), 2)) {
		t.Error("no NaN")
	}
}

// TestElements reads and writes each element, and past the ends.
func TestElements(t *testing.T) {
	for e, want := range map[Element]float64{
		Int8: -56, Uint8: 200, Int16: 456, Uint16: 456, Int32: 456, Uint32: 456, Float32: 456.5, Float64: 456.5,
	} {
		b := make([]byte, 16)
		if e.isFloat() {
			storeNum(e, b, 1, 456.5)
		} else {
			storeInt(e, b, 1, 456)
		}
		if got := loadNum(e, b, 1); got != want {
			t.Errorf("%d: %v", e, got)
		}
		if got := loadInt(e, b, 1); got != toInt(want) {
			t.Errorf("%d: %v as an int", e, got)
		}
		for _, i := range []int{-1, 16, math.MaxInt} {
			storeInt(e, b, i, 1)
			if loadInt(e, b, i) != 0 || !math.IsNaN(loadNum(e, b, i)) {
				t.Errorf("%d: element %d", e, i)
			}
		}
	}
	for f, want := range map[float64]int{1.5: -1, 3: 3, math.Copysign(0, -1): 0} {
		if got := index(math.Float64bits(f)); got != want {
			t.Errorf("index %v: %d", f, got)
		}
	}
}
