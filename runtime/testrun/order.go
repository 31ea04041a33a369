package testrun

import (
	"context"
	"io"
	"time"

	"eddy/runtime/bundle"
	"eddy/runtime/clock"
)

// Order is one order of events for a test in Go. It implements [clock.Chooser].
type Order struct{ s *schedule }

// NewOrder is the plain order: the oldest step comes first. Its random numbers are the seed's.
func NewOrder(seed uint64) *Order { return &Order{(&search{}).schedule(seed)} }

// Seed is what decides it.
func (o *Order) Seed() uint64 { return o.s.seed }

// Random is the source of random bytes for the session.
func (o *Order) Random() io.Reader { return o.s.random() }

// Start is when the session's time begins.
func (o *Order) Start() time.Time { return exploredTime() }

// Choose implements [clock.Chooser].
func (o *Order) Choose(steps []*clock.Step) int { return o.s.Choose(steps) }

// Faults implements [clock.Chooser].
func (o *Order) Faults(now time.Time) []*clock.Step { return o.s.Faults(now) }

// Crashes adds crashes to what may happen: at most two in an order, each at a choice at which may says so. crash begins
// one; it must not block. Call it before the order begins.
func (o *Order) Crashes(may func() bool, crash func()) {
	s := o.s
	s.faults = func(time.Time) []*clock.Step {
		if s.crashes >= maxCrashes || !may() {
			return nil
		}
		return []*clock.Step{{Kind: "crash", Name: "the Workers crash", Do: func() {
			s.crashes++
			crash()
		}}}
	}
}

// Log is what was decided, one line a step: the same for the same seed, byte for byte.
func (o *Order) Log() string { return o.s.log.String() }

// Finding is an order that breaks a test.
type Finding struct {
	Seed uint64
	// Tried is how many orders were tried, Distinct how many different ones.
	Tried, Distinct int
	// Err is the test's error under the order, nil if none was found; then Steps is empty.
	Err error
	// Steps is the numbered list of the shortest order found that breaks the test.
	Steps string
}

// search is a search of a test in Go.
type search struct{ length int }

func (x *search) schedule(seed uint64) *schedule {
	return &schedule{seed: seed, stream: seed, on: true, faults: func(time.Time) []*clock.Step { return nil }}
}

// Search calls try with up to n orders, whose seeds go up from seed, until one gives an error; then it looks for the
// shortest that does. source gives the map of a Worker's script, where lines are found, nil for none; dir is what their
// files are relative to.
func Search(
	ctx context.Context, seed uint64, n int, dir string, source func(worker string) *bundle.SourceMap,
	try func(*Order) error,
) (found Finding) {
	x := &search{}
	plain := x.schedule(seed)
	if err := try(&Order{plain}); err != nil {
		return Finding{Seed: seed, Tried: 1, Distinct: 1, Err: err, Steps: lister{source, dir}.steps(plain)}
	}
	x.length = len(plain.chosen)
	orders := map[uint64]bool{}
	for ; found.Tried < n && ctx.Err() == nil; found.Tried++ {
		s := x.schedule(seed + uint64(found.Tried))
		s.strategy = newStrategy(s.seed, x.length)
		err := try(&Order{s})
		orders[s.order()] = true
		found.Distinct = len(orders)
		if err == nil {
			continue
		}
		found.Tried, found.Seed, found.Err = found.Tried+1, s.seed, err
		s = shortest(s, func(plan []int) *schedule {
			t := x.schedule(s.seed)
			t.plan = plan
			if err := try(&Order{t}); err != nil && ctx.Err() == nil {
				found.Err = err
				return t
			}
			return nil
		})
		found.Steps = lister{source, dir}.steps(s)
		return found
	}
	return found
}
