package runtimetest

import (
	"context"
	"path/filepath"
	"testing"

	"eddy/runtime"
	"eddy/runtime/testrun"
	"eddy/runtime/trial"
)

// Explore runs a test under n orders of events: where the order is free, the seed decides what comes next. The first
// has the options' seed, each next one a seed one higher. If test returns an error, or the Worker throws what nobody
// catches, Explore looks for the shortest order that does, and fails t with its steps.
//
// Requests that shall be in flight together are sent with [Session.Send]. test must act from its own goroutine only.
func Explore(t testing.TB, dir string, n int, o Options, test func(*Session) error) {
	t.Helper()
	if o.Seed == 0 {
		o.Seed = 1
	}
	found := Search(t, dir, n, o, test)
	if found.Err == nil {
		t.Logf("%d orders, %d of them different", found.Tried, found.Distinct)
		return
	}
	t.Errorf("%v\n\nThis came with seed %d (order %d of %d):\n%s", found.Err, found.Seed, found.Tried, n, found.Steps)
}

// Search is Explore that returns what it found.
func Search(t testing.TB, dir string, n int, o Options, test func(*Session) error) testrun.Finding {
	t.Helper()
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	found, err := trial.Search(context.Background(), n, o.below(quiet{t}, dir), func(run *trial.Trial) error {
		return test(&Session{quiet{t}, run, run.Seed()})
	})
	if err != nil {
		t.Fatal(runtime.Explain(err, false))
	}
	return found
}

// quiet is a test without the lines of its sessions: there are many.
type quiet struct{ testing.TB }

// Log drops a line.
func (quiet) Log(...any) {}
