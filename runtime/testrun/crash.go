package testrun

import (
	"errors"
	"time"

	"eddy/runtime/clock"
)

// errCrash is why events end at a crash.
var errCrash = errors.New("The Worker crashed.")

// crash ends what a killed process would lose: the events in flight, the instances of objects, outcomes of deliveries
// that the queues do not have yet. What is stored stays, and so do the modules' variables: the test is in the same
// isolate. Loop goroutine, outside any scope.
func (f *fileRun) crash() {
	f.iso.AbortOthers(f.inv, errCrash)
	f.session.Objects().Crash(f.iso)
	if f.clock != nil {
		f.clock.Crash()
	}
}

// faults are what may go wrong at a choice. The clock calls it while nothing else runs. A crash is left out while the
// test waits for an answer: it would be told of the crash.
func (f *fileRun) faults(time.Time) []*clock.Step {
	s := f.schedule
	var list []*clock.Step
	if s.crashes < maxCrashes && f.run.o.Explore.Crash && f.inv.Scope.Pending()-f.inv.Scope.Timers() <= f.moves {
		list = append(list, &clock.Step{Kind: "crash", Name: "the Worker crashes", Do: func() {
			s.crashes++
			f.iso.Loop.Post(f.crash)
		}})
	}
	if s.evictions < maxEvictions && f.session.Objects().Idle(f.iso) {
		list = append(list, &clock.Step{Kind: "eviction", Name: "idle objects leave memory", Do: func() {
			s.evictions++
			f.iso.Loop.Post(func() { f.session.Objects().EvictIdle(f.iso) })
		}})
	}
	return list
}

// How often a schedule may go wrong.
const (
	maxCrashes   = 2
	maxEvictions = 2
)
