package clock

import (
	"context"
	"math/rand/v2"
	"sort"
	"sync"
	"time"
)

// Virtual is a clock that jumps over idle time. Make one with [NewVirtual].
type Virtual struct {
	mu     sync.Mutex
	now    time.Time // guarded by mu, as is all below
	rng    *rand.Rand
	timers Deadlines[*virtualTimer]
	chores Deadlines[*virtualTimer] // timers of Housekeeping
	seq    uint64                   // of the newest participant

	holds        map[*hold]struct{} // things in flight
	paused       int                // Pause calls in force
	target       time.Time
	firing       bool                                  // one goroutine is running timer callbacks
	kicked       bool                                  // the goroutine that moves the world on has been started
	participants map[*virtualParticipant]bool          // true: ready, its Run has not started
	waiting      map[*virtualParticipant]chan struct{} // Run called, turn not yet granted
	running      *virtualParticipant
	idle         chan struct{} // closed and renewed whenever nothing is ready, running, held or due
	away         int           // goroutines that work and come back by themselves
	outside      int           // who waits for the outside, without a hold
	stirred      uint64        // how many turns and timers there were
	explored     *exploring    // nil while nobody decides the order of steps
}

// NewVirtual returns a virtual clock that stands at start. The seed decides the order among participants that are ready
// at the same moment.
func NewVirtual(start time.Time, seed uint64) *Virtual {
	return &Virtual{
		now:          start.UTC(),
		rng:          rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)),
		holds:        map[*hold]struct{}{},
		participants: map[*virtualParticipant]bool{},
		waiting:      map[*virtualParticipant]chan struct{}{},
		idle:         make(chan struct{}),
	}
}

// Now is the virtual time.
func (v *Virtual) Now() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// Next is the time of the first timer that somebody may wait for, false if there is none: housekeeping is not counted.
func (v *Virtual) Next() (at time.Time, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if t, ok := v.timers.First(); ok {
		return t.When, true
	}
	return time.Time{}, false
}

// AfterFunc implements [Clock].
func (v *Virtual) AfterFunc(d time.Duration, f func()) Timer {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.addLocked(&v.timers, d, f)
}

// addLocked is called with mu held.
func (v *Virtual) addLocked(to *Deadlines[*virtualTimer], d time.Duration, f func()) Timer {
	t := &virtualTimer{clock: v, in: to, f: f}
	to.Add(t, v.now.Add(max(d, 0)))
	v.kickLocked()
	return t
}

// firstLocked is the first of all timers. At one instant what somebody waits for comes before housekeeping.
func (v *Virtual) firstLocked() (*virtualTimer, bool) {
	t, ok := v.timers.First()
	chore, due := v.chores.First()
	if due && (!ok || chore.When.Before(t.When)) {
		return chore, true
	}
	return t, ok
}

// Hold implements [Clock].
func (v *Virtual) Hold(reason string) func() {
	h := &hold{reason}
	v.mu.Lock()
	v.holds[h] = struct{}{}
	v.mu.Unlock()
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if _, held := v.holds[h]; held {
			delete(v.holds, h)
			v.kickLocked()
		}
	}
}

// hold is one thing in flight.
type hold struct{ reason string }

// Participant implements [Clock].
func (v *Virtual) Participant(name string) Participant {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seq++
	l := &virtualParticipant{clock: v, name: name, seq: v.seq}
	v.participants[l] = false
	return l
}

// Pause holds virtual time where it is, whatever is idle, until resume is called; participants go on. Advance still
// moves it.
func (v *Virtual) Pause() (resume func()) {
	v.mu.Lock()
	v.paused++
	v.mu.Unlock()
	var once sync.Once
	return func() {
		once.Do(func() {
			v.mu.Lock()
			v.paused--
			v.kickLocked()
			v.mu.Unlock()
		})
	}
}

// Advance moves a paused clock forward by d, firing what falls due on the way at its own instant, and returns when
// that time is reached and all work it caused is done. On a clock that is not paused it makes time reach now+d even
// if no timer is set for it. When ctx ends first, the error is a [*StallError] that says what time waits for.
func (v *Virtual) Advance(ctx context.Context, d time.Duration) error { return v.Move(d)(ctx) }

// Move begins what Advance does; arrived waits for its end.
func (v *Virtual) Move(d time.Duration) (arrived func(context.Context) error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	to := v.now.Add(d)
	if to.After(v.target) {
		v.target = to
	}
	v.kickLocked()
	return func(ctx context.Context) error {
		v.mu.Lock()
		defer v.mu.Unlock()
		for v.now.Before(to) || v.busyLocked() {
			if err := v.awaitLocked(ctx); err != nil {
				return err
			}
		}
		return nil
	}
}

// WaitIdle returns when nothing is held, ready, running or due. On a clock that is not paused that means that no
// timer is left at all. When ctx ends first, the error is a [*StallError] that says what time waits for.
func (v *Virtual) WaitIdle(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for v.busyLocked() || v.nextLocked() != nil {
		if err := v.awaitLocked(ctx); err != nil {
			return err
		}
	}
	return nil
}

// awaitLocked is called with mu held and waits, without it, until all is idle once.
func (v *Virtual) awaitLocked(ctx context.Context) error {
	ch := v.idle
	v.mu.Unlock()
	defer v.mu.Lock()
	select {
	case <-ch:
		return nil
	case <-ctx.Done():
		return v.stalled(ctx)
	}
}

func (v *Virtual) busyLocked() bool {
	if len(v.holds) > 0 || v.running != nil || v.firing || v.kicked || len(v.waiting) > 0 ||
		v.explored != nil && len(v.explored.steps) > 0 {
		return true
	}
	for _, ready := range v.participants {
		if ready {
			return true
		}
	}
	return false
}

// nextLocked is the timer that time may jump to now, nil if there is none.
func (v *Virtual) nextLocked() *virtualTimer {
	t, ok := v.firstLocked()
	if !ok || t.When.After(v.now) && v.paused > 0 && t.When.After(v.target) {
		return nil
	}
	return t
}

// kickLocked is called with mu held after every change. Callbacks must not run on the caller's goroutine, which may
// hold locks that they want, so the world is moved on by a goroutine of its own; while something is busy none is
// needed, because what is busy will kick again when it ends.
func (v *Virtual) kickLocked() {
	if v.kicked || v.running != nil || v.firing ||
		len(v.holds) > 0 && len(v.waiting) == 0 && v.explored == nil {
		return
	}
	v.kicked = true
	go func() {
		v.mu.Lock()
		v.kicked = false
		v.stepLocked()
	}()
}

// stepLocked is called with mu held, moves the world on as far as it goes, and gives mu back.
func (v *Virtual) stepLocked() {
	for {
		v.grantLocked()
		if v.explored != nil && v.stillLocked() && v.chooseLocked() {
			continue
		}
		if v.busyLocked() {
			v.mu.Unlock()
			return
		}
		t := v.nextLocked()
		if t == nil {
			if v.target.After(v.now) {
				v.now = v.target
			}
			close(v.idle)
			v.idle = make(chan struct{})
			v.mu.Unlock()
			return
		}
		if t.When.After(v.now) {
			v.now = t.When
		}
		t.in.Remove(t)
		v.firing = true
		v.stirred++
		v.mu.Unlock()
		t.f()
		v.mu.Lock()
		v.firing = false
	}
}

// grantLocked gives the turn to one of the participants that wait for it, once every participant with work has asked:
// the choice must not depend on which goroutine the scheduler woke first.
func (v *Virtual) grantLocked() {
	if v.running != nil || v.firing || len(v.waiting) == 0 || v.explored != nil && v.away > 0 {
		return
	}
	for l, ready := range v.participants {
		if ready && v.waiting[l] == nil {
			return
		}
	}
	order := make([]*virtualParticipant, 0, len(v.waiting))
	for l := range v.waiting {
		order = append(order, l)
	}
	sort.Slice(order, func(i, j int) bool {
		if order[i].name != order[j].name {
			return order[i].name < order[j].name
		}
		return order[i].seq < order[j].seq
	})
	l := order[0]
	if v.explored == nil {
		l = order[v.rng.IntN(len(order))]
	}
	ch := v.waiting[l]
	delete(v.waiting, l)
	v.running = l
	v.stirred++
	if _, open := v.participants[l]; open {
		v.participants[l] = false
	}
	close(ch)
}

type virtualParticipant struct {
	clock *Virtual
	name  string
	seq   uint64
}

func (l *virtualParticipant) Ready() {
	l.clock.mu.Lock()
	defer l.clock.mu.Unlock()
	if _, open := l.clock.participants[l]; open {
		l.clock.participants[l] = true
	}
}

func (l *virtualParticipant) Run(f func()) {
	v := l.clock
	v.mu.Lock()
	turn := make(chan struct{})
	v.waiting[l] = turn
	v.kickLocked()
	v.mu.Unlock()
	<-turn
	defer func() {
		v.mu.Lock()
		v.running = nil
		v.kickLocked()
		v.mu.Unlock()
	}()
	f()
}

func (l *virtualParticipant) Close() {
	l.clock.mu.Lock()
	defer l.clock.mu.Unlock()
	delete(l.clock.participants, l)
	l.clock.kickLocked()
}

type virtualTimer struct {
	Deadline
	clock *Virtual
	in    *Deadlines[*virtualTimer]
	f     func()
}

// Before orders timers by their deadlines.
func (t *virtualTimer) Before(other *virtualTimer) bool { return t.Earlier(&other.Deadline) }

func (t *virtualTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	if !t.in.Remove(t) {
		return false
	}
	t.clock.kickLocked()
	return true
}
