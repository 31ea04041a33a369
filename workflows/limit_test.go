package workflows

import (
	"fmt"
	"testing"
	"time"
)

// With a limit instances run one after the other, the oldest first. One that sleeps takes no slot, and queues when it
// has slept; one that a schedule began takes none for an hour (FLOW-180).
func TestLimit(t *testing.T) {
	x := newWorld(t, 1)
	x.mu.Lock()
	x.killAt = -1 // never
	x.limit = 1
	for _, id := range []string{"a", "b", "c", "cron"} {
		x.program[id] = []*op{{id: Do, name: "one", takes: time.Minute}, {id: Sleep, name: "nap", lasts: time.Minute},
			{id: Do, name: "two", takes: time.Minute}}
	}
	x.mu.Unlock()
	x.w.Limit(x.limit)
	create := func(n New) {
		t.Helper()
		errs, err := Call(x.w, func(done func([]error, error)) { x.w.Create([]New{n}, done) })
		if err != nil || errs[0] != nil {
			t.Fatal(err, errs)
		}
	}
	all := func() (out string) {
		for _, id := range []string{"a", "b", "c", "cron"} {
			info, err := Call(x.w, func(done func(*Info, error)) { x.w.Status(id, false, done) })
			if err != nil {
				out += "- "
				continue
			}
			out += fmt.Sprint(info.Status, " ")
		}
		return out
	}
	for _, id := range []string{"a", "b", "c"} {
		create(New{ID: id, Shown: "{}"})
	}
	for i, want := range []string{
		"running queued queued - ", "waiting running queued - ", "waiting waiting running - ",
		"running waiting waiting - ", "complete running waiting - ", "complete complete running - ",
		"complete complete complete - ",
	} {
		if got := all(); got != want {
			t.Errorf("after %d minutes: %s, want %s", i, got, want)
		}
		x.clock.Advance(t.Context(), time.Minute)
	}
	x.mu.Lock()
	x.epoch["a"]++
	x.limit = 2 // of those with a slot one runs
	x.mu.Unlock()
	x.call(func(done func(struct{}, error)) { x.w.Restart("a", nil, done) })
	create(New{ID: "cron", Shown: "{}", Trigger: ByCron, Cron: "0 * * * *", Scheduled: 1})
	if got, want := all(), "running complete complete running "; got != want {
		t.Errorf("with a schedule's: %s, want %s", got, want)
	}
	if err := x.w.Close(); err != nil {
		t.Error(err)
	}
}
