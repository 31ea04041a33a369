package main

import (
	"testing"
	"time"
)

// The slack is what brings the collector's share down to collectorShare, within bounds; when the load ends it is the
// least again.
func TestHeapLoad(t *testing.T) {
	const live, least = 40 << 20, 24 << 20
	at := time.Unix(0, 0)
	var collector, program float64
	l := &heapLoad{}
	step := func(passed time.Duration, gc, user float64) uint64 {
		at, collector, program = at.Add(passed), collector+gc, program+user
		return l.slack(loadSeen{at: at, live: live, collector: collector, program: program}, least)
	}
	if got := step(time.Hour, 1, 1); got != least {
		t.Errorf("at the first look: %d", got)
	}
	if got := step(loadWindow/2, 0.5, 0.5); got != least {
		t.Errorf("after half of a window: %d", got)
	}
	// A tenth with a slack of what is alive: twice it halves the share, about.
	if got := step(loadWindow/2, 0.1-0.5, 0.9-0.5) >> 20; got < 80 || got > 96 {
		t.Errorf("with twice the share: %d MB", got)
	}
	if got := step(loadWindow, 0.5, 0.5); got != mostSlack(live) {
		t.Errorf("with half of the time: %d", got)
	}
	if got := step(loadWindow, 0.001, 1); got != mostSlack(live)/2 {
		t.Errorf("with no garbage: %d", got)
	}
	for range 8 {
		step(loadWindow, 0.001, 1)
	}
	if got := step(loadWindow, 0.001, 1); got != least {
		t.Errorf("with no garbage for long: %d", got)
	}
	step(loadWindow, 0.5, 0.5)
	if got := step(restAfter, 0.5, 0.5); got != least {
		t.Errorf("after a rest: %d", got)
	}
}

func TestMostSlack(t *testing.T) {
	for _, c := range []struct{ live, want uint64 }{{1 << 20, 64 << 20}, {40 << 20, 120 << 20}, {1 << 30, 160 << 20}} {
		if got := mostSlack(c.live); got != c.want {
			t.Errorf("%d alive: %d, want %d", c.live, got, c.want)
		}
	}
}
