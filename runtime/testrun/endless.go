package testrun

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/worker"
)

// endless looks after a test whose time-out has passed while the loop is busy: it ends the turn that runs, and if that
// is to no avail gives the file up.
type endless struct {
	f     *fileRun
	limit time.Duration

	mu    sync.Mutex
	timer clock.Timer // guarded by mu, as is all below
	over  bool
}

// stuckAfter is how long a loop may be busy after a time-out before its turn is ended, and then before the file is
// given up.
const stuckAfter = 2 * time.Second

// unbounded is longer than any test.
const unbounded = 1 << 62

func (e *endless) start() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.timer = clock.AfterPatience(clock.Real{}, max(e.limit, stuckAfter), e.cut)
}

// stop is called on the loop when it is not busy any more.
func (e *endless) stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	e.timer.Stop()
}

func (e *endless) cut() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return
	}
	e.f.iso.Loop.EndTurn()
	e.timer = clock.AfterPatience(clock.Real{}, stuckAfter, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.over {
			return
		}
		select {
		case e.f.stuck <- endlessText(e.limit):
		default:
		}
	})
}

func endlessText(limit time.Duration) string {
	return fmt.Sprintf("A test computed for more than %v without an end; its time-out is %v.",
		max(limit, stuckAfter)+limit, limit)
}

// interrupted fails the tests and hooks whose time was over when their turn was ended. Loop goroutine.
func (f *fileRun) interrupted() {
	var at *StackFrame
	var ex *worker.Exception
	if errors.As(f.iso.Interrupted(worker.ErrCPULimit), &ex) && len(ex.Frames) > 0 {
		at = &StackFrame{ex.Frames[0].Function, ex.Frames[0].File, ex.Frames[0].Line, ex.Frames[0].Column}
	}
	for l := range f.limits {
		if e := l.passed.Load(); e != nil {
			e.stop() // what comes next, which may have no end either, begins in this turn
			f.drop(l)
			f.inv.Scope.EnterNow(func() {
				l.stalled("This computes without an end. It was interrupted after its time-out.", at)
			})
		}
	}
}
