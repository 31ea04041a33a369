package clock

import (
	"cmp"
	"slices"
	"time"
)

// Step is something that may happen next, in an order that is free: the arrival of an event, the work of a call that
// left the loop, a timer. Whoever offers it sets the fields.
type Step struct {
	// Kind and Name say what it is, for people: "KV", "GET /a".
	Kind, Name string
	// Owner is the event or the object whose step it is; 0 is none.
	Owner uint64
	// Chain, if set, keeps the order of the steps that have the same one.
	Chain any
	// Patient steps come when none is left that was offered before them: those of whoever lets all others go first.
	Patient bool
	// Where is the place in a script that asked for it.
	Where Origin
	// Gone, if set, tells that its event is over: it is then done at once, as no choice.
	Gone func() bool
	// Do makes it happen. It is called once and must not block.
	Do func()

	// Lost, if set, takes its place at a crash ([Virtual.Crash]).
	Lost func()
	// Fail, if set, makes it fail. A [Chooser] that wants that puts it in the place of Do.
	Fail func()

	// Number counts the offers from 1, and Since is the time of the offer.
	Number uint64
	Since  time.Time
	// Timer says that it is a timer, for which time goes on to When.
	Timer bool
	When  time.Time
	timer *virtualTimer
}

// Origin is the place in a script that asked for something.
type Origin struct {
	// Worker is whose script it is.
	Worker string
	// Stack is for whoever offered the step to understand; nil is no place.
	Stack any
}

// Chooser decides which step comes next.
type Chooser interface {
	// Choose returns an index of steps, of which there is at least one. The first is the oldest; timers come last. It
	// runs while nothing else does.
	Choose(steps []*Step) int
	// Faults are steps that nobody offered and that may come beside those that are there: a crash. nil is none.
	Faults(now time.Time) []*Step
}

// Lateness is how long an offered step may be late in virtual time: a timer that is due before may overtake it.
const Lateness = time.Second

// exploring is what a Virtual knows while a Chooser decides. Guarded by the clock's mu.
type exploring struct {
	chooser Chooser
	steps   []*Step // in the order of the offers
	number  uint64
}

// Explore lets c decide what happens next from now on, nil nobody: what is still offered then happens in the order of
// the offers. Participants run only while no work is away ([Away]), so that the choice depends on nothing but c.
func (v *Virtual) Explore(c Chooser) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case c == nil && v.explored != nil:
		v.explored.chooser = nil
	case c != nil && v.explored == nil:
		v.explored = &exploring{chooser: c}
	case c != nil:
		v.explored.chooser = c
	}
	v.kickLocked()
}

// Offered counts the steps that wait to be chosen.
func (v *Virtual) Offered() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.explored == nil {
		return 0
	}
	return len(v.explored.steps)
}

// Crash takes the steps that have it out of the offer and calls their Lost.
func (v *Virtual) Crash() {
	v.mu.Lock()
	var lost []*Step
	if v.explored != nil {
		v.explored.steps = slices.DeleteFunc(v.explored.steps, func(s *Step) bool {
			if s.Lost != nil {
				lost = append(lost, s)
			}
			return s.Lost != nil
		})
	}
	v.mu.Unlock()
	for _, s := range lost {
		s.Lost()
	}
}

// Exploring tells whether somebody decides the order of steps on c.
func Exploring(c Clock) bool {
	v, ok := c.(*Virtual)
	if !ok {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.explored != nil && v.explored.chooser != nil
}

// Offer leaves it to the clock's Chooser when a step happens. It reports false if there is none: then the caller makes
// it happen.
func Offer(c Clock, s *Step) bool {
	v, ok := c.(*Virtual)
	if !ok {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.explored == nil || v.explored.chooser == nil {
		return false
	}
	v.explored.number++
	s.Number, s.Since = v.explored.number, v.now
	v.explored.steps = append(v.explored.steps, s)
	v.kickLocked()
	return true
}

// Away says that a goroutine works for the isolate and comes back by itself; back is called when it has.
func Away(c Clock) (back func()) {
	v, ok := c.(*Virtual)
	if !ok {
		return release
	}
	v.count(1)
	return func() { v.count(-1) }
}

// Await says that a goroutine waits for a participant and is not what others wait for; answered is called in the
// participant's turn.
func Await(c Clock) (answered func()) {
	v, ok := c.(*Virtual)
	if !ok {
		return release
	}
	v.count(-1)
	return func() { v.count(1) }
}

func (v *Virtual) count(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.away += n
	v.kickLocked()
}

// stillLocked tells whether a choice would depend on nothing that is still on its way.
func (v *Virtual) stillLocked() bool {
	if v.running != nil || v.firing || v.kicked || len(v.waiting) > 0 || v.away > 0 {
		return false
	}
	for _, ready := range v.participants {
		if ready {
			return false
		}
	}
	return true
}

// chooseLocked is called with mu held while all is still, and lets one step happen. It reports false if there is none.
func (v *Virtual) chooseLocked() bool {
	x := v.explored
	steps, over := x.open()
	if over == nil {
		timers := v.timersLocked(steps)
		if len(steps)+len(timers) == 0 {
			return false
		}
		steps = append(steps, timers...)
	}
	v.firing = true
	now, chooser := v.now, x.chooser // Explore may exchange it meanwhile
	v.mu.Unlock()
	s := over
	switch {
	case s != nil:
	case chooser == nil:
		s = steps[0]
	default:
		if !steps[0].Timer {
			steps = append(steps, chooser.Faults(now)...)
		}
		s = steps[chooser.Choose(steps)]
	}
	v.mu.Lock()
	x.steps = slices.DeleteFunc(x.steps, func(o *Step) bool { return o == s })
	if s.timer != nil {
		if s.When.After(v.now) {
			v.now = s.When
		}
		s.timer.in.Remove(s.timer)
	}
	v.mu.Unlock()
	s.Do()
	v.mu.Lock()
	v.firing = false
	if x.chooser == nil && len(x.steps) == 0 {
		v.explored = nil
	}
	return true
}

// open are the steps that may come next: the first of each chain, and a patient one if it is the oldest of all. over is
// one whose event is over.
func (x *exploring) open() (steps []*Step, over *Step) {
	chains := map[any]bool{}
	for _, s := range x.steps {
		if s.Gone != nil && s.Gone() {
			return nil, s
		}
		if s.Patient && len(steps) > 0 {
			continue
		}
		if s.Chain != nil {
			if chains[s.Chain] {
				continue
			}
			chains[s.Chain] = true
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// timersLocked are the timers of the next instant, if time may go on to it.
func (v *Virtual) timersLocked(steps []*Step) (timers []*Step) {
	first := v.nextLocked()
	if first == nil || len(steps) == 0 && len(v.holds) > 0 {
		return nil
	}
	for _, s := range steps {
		if first.When.After(s.Since.Add(Lateness)) {
			return nil
		}
	}
	first.in.Change(func(t *virtualTimer) {
		if t.When.Equal(first.When) {
			timers = append(timers, &Step{Kind: "time", Timer: true, When: t.When, timer: t, Do: t.f, Number: t.seq})
		}
	})
	slices.SortFunc(timers, func(a, b *Step) int { return cmp.Compare(a.Number, b.Number) })
	return timers
}
