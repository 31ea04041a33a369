package clock

import (
	"context"
	"sync"
	"time"
)

// patienceSteps is into how many steps the time of [WithPatience] is divided.
const patienceSteps = 10

// WithPatience is [context.WithTimeout] for waiting for somebody else while this process may stand still itself: its
// machine sleeps, is moved or has far too much to do. d, of the machine's time, is counted in steps of a tenth, and
// however long the process stood still, that is one step; so what has come meanwhile is heard before d is over. The
// context's Err is [context.Canceled] then, and its cause [context.DeadlineExceeded].
func WithPatience(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return withPatience(parent, Real{}, d)
}

func withPatience(parent context.Context, c Clock, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	var mu sync.Mutex // guards left and timer
	left := patienceSteps
	var timer Timer
	var step func()
	step = func() {
		mu.Lock()
		defer mu.Unlock()
		if left--; left == 0 {
			cancel(context.DeadlineExceeded)
		} else if ctx.Err() == nil {
			timer = c.AfterFunc(d/patienceSteps, step)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	timer = c.AfterFunc(d/patienceSteps, step)
	return ctx, func() {
		cancel(context.Canceled)
		mu.Lock()
		defer mu.Unlock()
		timer.Stop()
	}
}
