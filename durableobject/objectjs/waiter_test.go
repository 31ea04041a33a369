package objectjs

import (
	"fmt"
	"testing"
)

// Whoever looks at an object that keeps its gate shut sees which events wait and in what order, until they are let in.
func TestWaiters(t *testing.T) {
	b := newBench(t)
	b.clock.Pause() // or the section's time limit is over at once
	w := b.start(config{classes: []string{"L"}}, prelude+script("inspect_changes_wait_at_the_gate.js"))
	b.expect(w, "/block", "ok")
	waiting := func() (events []string) {
		d, err := b.objs.Show(t.Context(), "w-L", "a")
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range d.Waiters {
			if events = append(events, a.Event); !a.Since.Equal(b.clock.Now()) {
				t.Errorf("%s since %v, now is %v", a.Event, a.Since, b.clock.Now())
			}
		}
		return events
	}
	if got := waiting(); got != nil {
		t.Error(got)
	}
	b.expect(w, "/knock", "ok")
	got := waiting()
	for len(got) < 2 { // the calls are on their way
		got = waiting()
	}
	if fmt.Sprint(got) != "[rows() GET http://o/room?of=1]" {
		t.Error(got)
	}
	b.expect(w, "/release", "0")
	if got := waiting(); got != nil {
		t.Error(got)
	}
}
