package workflows

import (
	"strings"
	"testing"
	"time"
)

// everything is a program with each kind of step: one that fails before it succeeds, one that fails for good, branches
// side by side, sleeps, an event that came early and one that never comes.
func everything() []*op {
	do := func(name string, fails, limit int) *op {
		return &op{id: Do, name: name, fails: fails, limit: limit, delay: time.Minute, takes: time.Second}
	}
	return []*op{
		{id: Sleep, name: "start", lasts: time.Second}, // until the test has sent its event
		do("first", 0, 0),
		{branches: [][]*op{
			{do("left", 1, 1), {id: Sleep, name: "nap", lasts: time.Minute}, do("more", 0, 0)},
			{do("right", 1, 0), {id: Wait, name: "early", typ: "x", lasts: time.Hour}},
			{{id: Sleep, name: "long", lasts: 24 * time.Hour}, do("later", 0, 0)},
		}},
		{id: Wait, name: "never", typ: "y", lasts: time.Hour},
		do("last", 0, 0),
	}
}

// TestKillAtEveryPoint kills the process at every point of a program: after each answer that it was given, and after
// each callback of which nobody has heard. Nobody touches the instance afterwards. It goes on by itself, wakes at its
// times, and no result that was stored is made again (FLOW-23, FLOW-46, FLOW-62, FLOW-99, FLOW-157).
func TestKillAtEveryPoint(t *testing.T) {
	died, cut := 0, 0 // processes, and attempts that they left without an end
	for at := 1; died == at-1; at++ {
		x := newWorld(t, 1)
		x.mu.Lock()
		x.program["i"], x.killAt = everything(), at
		x.mu.Unlock()
		x.ask(func() {
			errs, err := Call(x.w, func(done func([]error, error)) { x.w.Create([]New{{ID: "i", Shown: "{}"}}, done) })
			if err != nil || errs[0] != nil {
				t.Fatal(err, errs)
			}
			e := Sent{Type: "x", Payload: []byte("e1"), Shown: "1"}
			x.call(func(done func(struct{}, error)) { x.w.SendEvent("i", e, done) })
		})
		for _, d := range []time.Duration{5 * time.Minute, 5 * time.Minute, 2 * time.Hour, 2 * time.Hour,
			25 * time.Hour, 25 * time.Hour} {
			x.clock.Advance(t.Context(), d)
			x.revive()
		}
		for _, e := range x.ended("i").History {
			if e.Type == AttemptFailure && strings.Contains(e.Data, errDied.Message) {
				cut++
			}
		}
		died += x.life
		if err := x.w.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Fatalf("the process was killed at point %d", at)
		}
	}
	if died < 20 {
		t.Fatalf("the program has %d points, which is fewer than it has steps", died)
	}
	if cut == 0 {
		t.Error("no attempt is told to have died")
	}
	t.Logf("killed at each of %d points", died)
}
