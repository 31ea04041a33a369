package clock

import (
	"context"
	"time"
)

// Outside says that somebody waits for what comes from outside of the process and does not hold the clock for it: a
// message of a socket. back is called when it has come; only the first call counts.
func Outside(c Clock) (back func()) {
	v, ok := c.(*Virtual)
	if !ok {
		return release
	}
	v.wait(1)
	over := false
	return func() {
		if !over {
			over = true
			v.wait(-1)
		}
	}
}

func (v *Virtual) wait(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.outside += n
}

// certain is how long nothing may stir before [Virtual.WaitDead] believes it, of the machine's time: somebody who
// neither holds the clock nor is announced may be about to do something.
const certain = 500 * time.Millisecond

// WaitDead returns true when nothing will ever happen again: nothing is held, ready, running or due, and nobody waits
// for the outside. It returns false when somebody does, or when ctx ends first.
func (v *Virtual) WaitDead(ctx context.Context) bool {
	for {
		if v.WaitIdle(ctx) != nil {
			return false
		}
		before, outside := v.stirring()
		if outside > 0 {
			return false
		}
		sure := time.NewTimer(certain)
		select {
		case <-ctx.Done():
			sure.Stop()
			return false
		case <-sure.C:
		}
		if after, outside := v.stirring(); after == before && outside == 0 {
			return true
		}
	}
}

// stirring counts what has happened so far, and who waits for the outside now. The count is another one while
// something is at work.
func (v *Virtual) stirring() (count uint64, outside int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.busyLocked() || v.nextLocked() != nil {
		v.stirred++
	}
	return v.stirred, v.outside
}
