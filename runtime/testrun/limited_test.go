package testrun

import (
	"testing"
	"time"

	"eddy/runtime/clock"
)

// A test has not taken too long because the process stood still, and has if it computed for as long.
func TestLimitOfAStoppedProcess(t *testing.T) {
	used, ok := clock.ProcessTime()
	if !ok {
		t.Fatal("the system does not tell what the process has taken of the processors")
	}
	for _, c := range []struct {
		name   string
		l      *limit
		passed bool
		want   bool
	}{
		{name: "stood still", l: &limit{began: time.Now().Add(-2 * time.Hour), used: used}},
		{name: "computed", l: &limit{began: time.Now().Add(-2 * time.Hour), used: used - time.Hour}, want: true},
		{name: "its timer came", l: &limit{began: time.Now(), used: used}, passed: true, want: true},
		{name: "soon over", l: &limit{began: time.Now(), used: used - time.Hour}},
	} {
		c.l.lasts, c.l.timer = time.Hour, time.NewTimer(time.Hour)
		if c.passed {
			c.l.passed.Store(&endless{})
		}
		if got := c.l.over(); got != c.want {
			t.Errorf("%s: over is %v", c.name, got)
		}
	}
	if (&limit{began: time.Now().Add(-time.Hour)}).over() {
		t.Error("a limit without a time is over")
	}
}
