package testrun

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"eddy/queues"
	"eddy/runtime/clock"
)

// exploredTime is when an explored test begins: a schedule repeats at any time of a day. It is no fixed day, because
// the Worker's compatibility date may be any up to today.
func exploredTime() time.Time { return time.Now().UTC().Truncate(24 * time.Hour) }

// schedule is the order of steps in one run of a test. It implements [clock.Chooser]: before and after the test the
// oldest step comes first, in the test what plan says, or when it is over what the strategy does.
//
// The clock calls it while nothing else runs, so its fields need no lock.
type schedule struct {
	seed uint64
	// stream is what random numbers and ids depend on.
	stream uint64
	// asked says that the test has looked at the seed.
	asked atomic.Bool
	// alone is the pattern of the test that runs, "" for the whole file; id is the test's.
	alone, id string
	// plan is the beginning of the order: indexes into the steps of each choice. With strategy nil, 0 comes after it.
	plan     []int
	strategy func(steps []*clock.Step, n int) int
	faults   func(time.Time) []*clock.Step
	// crashes and evictions count those that were chosen.
	crashes, evictions int

	on     bool
	chosen []choice
	log    strings.Builder
}

// choice is one decision. offered is what a strategy can know of the steps.
type choice struct {
	index   int
	step    *clock.Step
	offered []*clock.Step
}

// maxChoices is where a test's schedule becomes the plain one: it goes in circles.
const maxChoices = 5000

// current hears which test runs, "" for none.
func (s *schedule) current(id string) {
	if s != nil {
		s.on = id != "" && id == s.id
	}
}

// Choose implements [clock.Chooser].
func (s *schedule) Choose(steps []*clock.Step) int {
	index := 0
	if s.on {
		n := len(s.chosen)
		switch {
		case n < len(s.plan):
			index = s.plan[n]
			if index >= len(steps) {
				index = 0
			}
		case s.strategy != nil && n < maxChoices:
			index = s.strategy(steps, n)
		}
		s.chosen = append(s.chosen, choice{index, steps[index], bare(steps)})
	}
	fmt.Fprintf(&s.log, "%d of %d: %s %s %d\n", index, len(steps), steps[index].Kind, steps[index].Name,
		steps[index].Owner)
	return index
}

// bare are the steps without what they would do.
func bare(steps []*clock.Step) []*clock.Step {
	list, all := make([]*clock.Step, len(steps)), make([]clock.Step, len(steps))
	for i, s := range steps {
		all[i] = clock.Step{Kind: s.Kind, Owner: s.Owner, Number: s.Number, Timer: s.Timer}
		list[i] = &all[i]
	}
	return list
}

// Faults implements [clock.Chooser].
func (s *schedule) Faults(now time.Time) []*clock.Step {
	if !s.on {
		return nil
	}
	return s.faults(now)
}

// activity notes what happens in the queues.
func (s *schedule) activity(a queues.Activity) {
	fmt.Fprintf(&s.log, "%s %s %s %d %s", a.Time.Format("15:04:05.000"), a.Kind, a.Queue, a.Count, a.Reason)
	for _, m := range a.Messages {
		fmt.Fprintf(&s.log, " %s/%d", m.ID, m.Attempts)
	}
	s.log.WriteByte('\n')
}

// indexes are the decisions, without the zeros at the end: those are what comes anyway.
func (s *schedule) indexes() []int {
	var list []int
	for _, c := range s.chosen {
		list = append(list, c.index)
	}
	return trimmed(list)
}

func trimmed(list []int) []int {
	for len(list) > 0 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	return list
}

// random is the source of random bytes of the run.
func (s *schedule) random() io.Reader {
	var key [32]byte
	r := rand.New(rand.NewPCG(s.stream, 3))
	for i := range key {
		key[i] = byte(r.Uint32())
	}
	return &lockedReader{r: rand.NewChaCha8(key)}
}

type lockedReader struct {
	mu sync.Mutex
	r  io.Reader // guarded by mu
}

// Read implements io.Reader.
func (l *lockedReader) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(p)
}

// newStrategy makes the strategy of a seed: for every third a walk that takes each step with the same probability, for
// the others PCT (Burckhardt and others, 2010): each event has a priority by lot, the highest goes first, and at a few
// moments, by lot as well, the one that goes loses its own. length is how many choices a schedule has, about.
func newStrategy(seed uint64, length int) func([]*clock.Step, int) int {
	r := rand.New(rand.NewPCG(seed, 2))
	if seed%3 == 0 {
		return func(steps []*clock.Step, _ int) int { return r.IntN(withFaults(steps, r)) }
	}
	priorities := map[uint64]float64{}
	changes := map[int]bool{}
	for range r.IntN(4) {
		changes[r.IntN(max(length, 1))] = true
	}
	lowest := 0.0
	return func(steps []*clock.Step, n int) int {
		steps = steps[:withFaults(steps, r)]
		best := 0
		for i, s := range steps {
			if _, ok := priorities[ownerOf(s)]; !ok {
				priorities[ownerOf(s)] = r.Float64()
			}
			if priorities[ownerOf(s)] > priorities[ownerOf(steps[best])] {
				best = i
			}
			if s.Kind == "crash" || s.Kind == "eviction" {
				return i
			}
		}
		if changes[n] {
			lowest--
			priorities[ownerOf(steps[best])] = lowest
		}
		return best
	}
}

// withFaults is how many of the steps are looked at: faults, which are the last, come seldom.
func withFaults(steps []*clock.Step, r *rand.Rand) int {
	n := len(steps)
	for n > 0 && (steps[n-1].Kind == "crash" || steps[n-1].Kind == "eviction") {
		n--
	}
	if n < len(steps) && r.IntN(8) == 0 {
		n++
		if n < len(steps) && r.IntN(2) == 0 {
			steps[n-1], steps[n] = steps[n], steps[n-1]
		}
	}
	return n
}

// ownerOf is whose priority a step has. What arrives has one of its own.
func ownerOf(s *clock.Step) uint64 {
	if s.Owner != 0 {
		return s.Owner
	}
	if s.Timer {
		return 1 << 62
	}
	return s.Number | 1<<63
}

// others calls then when all that may happen now has had its turn, and reports false if nobody decides what comes next.
// Loop goroutine.
func (f *fileRun) others(then func()) bool {
	if f.clock == nil || !clock.Exploring(f.clock) {
		return false
	}
	scope := f.iso.Loop.Scope()
	ticket := scope.Within()
	f.moves++
	return scope.Offer(&clock.Step{Kind: "patience", Patient: true, Do: func() {
		ticket.Return(func() {
			f.moves--
			then()
		})
	}})
}
