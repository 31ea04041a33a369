package main

import (
	"runtime/debug"
	"testing"
)

func TestHeapPercent(t *testing.T) {
	for _, c := range []struct {
		live, slack uint64
		want        int
	}{
		{0, heapSlack, 600}, {1 << 20, heapSlack, 600}, {8 << 20, 96 << 20, 1200}, {8 << 20, heapSlack, 300},
		{24 << 20, heapSlack, 100},
		{1 << 30, heapSlack, 100}, {16 << 20, testSlack, 400}, {64 << 20, testSlack, 100},
	} {
		if got := heapPercent(c.live, c.slack); got != c.want {
			t.Errorf("%d bytes alive, slack %d: %d, want %d", c.live, c.slack, got, c.want)
		}
	}
}

// A collection that finds much alive brings Go's own pace back.
func TestHeapPace(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	p := &heapPace{}
	p.set(heapPercent(0, heapSlack))
	if !p.collected(64<<20) || p.percent != 100 {
		t.Errorf("with 64 MB alive: %d", p.percent)
	}
}

// While a session builds, the collector waits for twice what is alive; afterwards the pace is what it was.
func TestHeapBurst(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	p := &heapPace{}
	p.collected(60 << 20)
	p.burst(true)
	if p.percent != 200 {
		t.Errorf("in a burst: %d", p.percent)
	}
	if p.collected(160 << 20); p.percent != 100 {
		t.Errorf("with 160 MB alive: %d", p.percent)
	}
	if p.collected(40 << 20); p.percent != 200 {
		t.Errorf("with 40 MB alive: %d", p.percent)
	}
	if p.burst(false); p.percent != 100 {
		t.Errorf("after it: %d", p.percent)
	}
}

// The collector is held to what a turn may take, and waits for a third of what is alive where that is more.
func TestMemoryCeiling(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int64
	}{{0, leastCeiling}, {500 << 20, leastCeiling}, {600 << 20, 768 << 20}, {3 << 30, 4 << 30}} {
		if got := memoryCeiling(c.live); got != c.want {
			t.Errorf("%d bytes alive: %d, want %d", c.live, got, c.want)
		}
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	p := &heapPace{}
	p.collected(0)
	if got := debug.SetMemoryLimit(-1); got != leastCeiling {
		t.Errorf("the limit is %d", got)
	}
}
