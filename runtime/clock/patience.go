package clock

import (
	"context"
	"sync"
	"time"
)

// patienceSteps is into how many steps the time of [AfterPatience] is divided.
const patienceSteps = 10

// WithPatience is [context.WithTimeout] for waiting for somebody else while this process may stand still itself: its
// machine sleeps, is moved or has far too much to do. d, of the machine's time, is counted as [AfterPatience] does; so
// what has come meanwhile is heard before d is over. The context's Err is [context.Canceled] then, and its cause
// [context.DeadlineExceeded].
func WithPatience(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return withPatience(parent, Real{}, d)
}

func withPatience(parent context.Context, c Clock, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	t := AfterPatience(c, d, func() { cancel(context.DeadlineExceeded) })
	return ctx, func() {
		cancel(context.Canceled)
		t.Stop()
	}
}

// AfterPatience is a clock's AfterFunc that counts d in steps of a tenth: however long the process stood still, that is
// one step. [Real] is for limits of what the machine does.
func AfterPatience(c Clock, d time.Duration, f func()) Timer {
	p := &patient{clock: c, step: d / patienceSteps, f: f, left: patienceSteps}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = c.AfterFunc(p.step, p.next)
	return p
}

// patient is the timer of AfterPatience.
type patient struct {
	clock Clock
	step  time.Duration
	f     func()

	mu    sync.Mutex // guards all below
	left  int        // steps; 0 when f is called, or never will be
	timer Timer
}

func (p *patient) next() {
	p.mu.Lock()
	if p.left == 0 {
		p.mu.Unlock()
		return
	}
	p.left--
	over := p.left == 0
	if !over {
		p.timer = p.clock.AfterFunc(p.step, p.next)
	}
	p.mu.Unlock()
	if over {
		p.f()
	}
}

// Stop implements [Timer].
func (p *patient) Stop() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.left > 0
	p.left = 0
	p.timer.Stop()
	return kept
}
