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

// Nothing may stir for certain looks, one each lookEvery of the machine's time, before [Virtual.WaitDead] believes it:
// somebody who neither holds the clock nor is announced may be about to do something. Looks are counted, and not time:
// on a busy machine everybody gets a turn between two of them.
const (
	certain   = 50
	lookEvery = 10 * time.Millisecond
)

// WaitDead returns true when nothing will ever happen again: nothing is held, ready, running or due, and nobody waits
// for the outside. It returns false when somebody does, or when ctx ends first.
func (v *Virtual) WaitDead(ctx context.Context) bool {
	for {
		if v.WaitIdle(ctx) != nil || ctx.Err() != nil {
			return false
		}
		before, outside := v.stirring()
		if outside > 0 {
			return false
		}
		if v.still(ctx, before) {
			return true
		}
	}
}

// still tells, after a while, that nothing has stirred since the count was before, and that nobody waits for the
// outside. It returns at once when something has, or when ctx ends.
func (v *Virtual) still(ctx context.Context, before uint64) bool {
	looks := time.NewTicker(lookEvery)
	defer looks.Stop()
	for range certain {
		select {
		case <-ctx.Done():
			return false
		case <-looks.C:
		}
		if now, outside := v.stirring(); now != before || outside > 0 {
			return false
		}
	}
	return true
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
