package queuetest

import (
	"testing"
	"time"

	queue "eddy/queues/workqueue"
)

var _ queue.Clock = (*FakeClock)(nil)

func TestFakeClock(t *testing.T) {
	start := time.Unix(1000, 0)
	c := NewFakeClock(start)
	fired := func(timer queue.Timer) bool {
		select {
		case <-timer.C():
			return true
		default:
			return false
		}
	}
	check := func(what string, got, want bool) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	a, b := c.NewTimer(2*time.Second), c.NewTimer(time.Second)
	c.Advance(time.Second)
	check("a fired", fired(a), false)
	check("b fired", fired(b), true)
	check("b stopped", b.Stop(), false)
	check("a stopped", a.Stop(), true)
	check("a stopped again", a.Stop(), false)
	c.Advance(time.Hour)
	check("a fired after Stop", fired(a), false)
	check("a reset", a.Reset(time.Second), false)
	check("a reset again", a.Reset(time.Minute), true)
	c.Advance(time.Second)
	check("a fired at its first time", fired(a), false)
	c.Advance(time.Minute)
	check("a reset without having been read", a.Reset(time.Minute), false)
	check("something stale came out", fired(a), false)
	check("a timer for now", fired(c.NewTimer(0)), true)
	check("a timer for the past", fired(c.NewTimer(-time.Second)), true)
	c.Set(start)
	check("a fired while the clock was set back", fired(a), false)
	if !c.Now().Equal(start) || c.Timers() != 1 {
		t.Errorf("now %v, %d timers", c.Now(), c.Timers())
	}
}
