package trial

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"eddy/runtime"
	"eddy/runtime/clock"
	"eddy/runtime/testrun"
)

// Options say how trials are started. The zero value takes the configuration in the working directory.
type Options struct {
	// Runtime are the session's own options. Clock, Random and Durability are the trial's.
	Runtime runtime.Options
	// Seed decides random numbers, ids and every order that is free; 0 is 1.
	Seed uint64
	// Crash lets the Workers crash under [Search], at most twice in an order, while the test waits for no response:
	// events end, objects lose what they have in memory, batches that nobody has acknowledged come again. What is
	// stored stays, and so do the variables of modules.
	Crash bool
}

// Trial is a running session, see the package documentation.
type Trial struct {
	run   *runtime.Session
	clock *clock.Virtual
	order *testrun.Order
	seed  uint64
	// unanswered counts the requests whose responses the test has not got. The order looks at it while the test waits.
	unanswered atomic.Int64
}

// Start starts a session. Without an order nothing but the seed decides. The error is that of [runtime.Start].
func Start(ctx context.Context, o Options, order *testrun.Order) (*Trial, error) {
	o.Seed = max(o.Seed, 1)
	t := &Trial{order: order}
	if order == nil {
		order = testrun.NewOrder(o.Seed)
	}
	t.seed = order.Seed()
	t.clock = clock.NewVirtual(order.Start(), t.seed)
	t.clock.Pause()
	ro := o.Runtime
	ro.Clock, ro.Random, ro.Durability = t.clock, order.Random(), runtime.Relaxed
	var err error
	if t.run, err = runtime.Start(ctx, ro); err != nil {
		return nil, err
	}
	if t.order != nil {
		if o.Crash {
			t.order.Crashes(t.mayCrash, t.crash)
		}
		clock.Away(t.clock) // the test itself: it is never back, but waits now and then
		t.clock.Explore(t.order)
	}
	return t, nil
}

// Stop ends the session.
func (t *Trial) Stop() error {
	if t.order != nil {
		t.clock.Explore(nil)
		clock.Await(t.clock)
	}
	return t.run.Stop(context.Background())
}

// Runtime is the session itself.
func (t *Trial) Runtime() *runtime.Session { return t.run }

// Seed is what decides every order that is free.
func (t *Trial) Seed() uint64 { return t.seed }

// Clock is the session's.
func (t *Trial) Clock() *clock.Virtual { return t.clock }

// Wait runs f, in which the test waits for the session. f calls answered when the session has done what the test waits
// for, while it still stands.
func (t *Trial) Wait(f func(answered func())) {
	if t.order == nil {
		f(func() {})
		return
	}
	var once sync.Once
	answered := clock.Await(t.clock)
	defer once.Do(answered)
	f(func() { once.Do(answered) })
}

// Patience is how long the machine may take for what a test waits for.
const Patience = time.Minute

// Advance moves time by d. When it returns, all that fell due on the way is done. The error is a [*clock.StallError]
// after [Patience].
func (t *Trial) Advance(d time.Duration) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	arrived := t.clock.Move(d)
	t.Wait(func(func()) { err = arrived(ctx) })
	return err
}
