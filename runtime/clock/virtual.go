package clock

import (
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
	seq    uint64 // of the newest lane

	holds   int // things in flight
	paused  int // Pause calls in force
	target  time.Time
	firing  bool                           // one goroutine is running timer callbacks
	kicked  bool                           // a goroutine that will move the world on has been started
	lanes   map[*virtualLane]bool          // true: ready, its Run has not started
	waiting map[*virtualLane]chan struct{} // Run called, turn not yet granted
	running *virtualLane
	idle    chan struct{} // closed and renewed whenever nothing is ready, running, held or due
}

// NewVirtual returns a virtual clock that stands at start. The seed decides the order among lanes that are ready at
// the same moment.
func NewVirtual(start time.Time, seed uint64) *Virtual {
	return &Virtual{
		now:     start.UTC(),
		rng:     rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)),
		lanes:   map[*virtualLane]bool{},
		waiting: map[*virtualLane]chan struct{}{},
		idle:    make(chan struct{}),
	}
}

// Now is the virtual time.
func (v *Virtual) Now() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// AfterFunc implements [Clock].
func (v *Virtual) AfterFunc(d time.Duration, f func()) Timer {
	v.mu.Lock()
	defer v.mu.Unlock()
	t := &virtualTimer{clock: v, f: f}
	v.timers.Add(t, v.now.Add(max(d, 0)))
	v.kickLocked()
	return t
}

// Hold implements [Clock].
func (v *Virtual) Hold() func() {
	v.mu.Lock()
	v.holds++
	v.mu.Unlock()
	var once sync.Once
	return func() {
		once.Do(func() {
			v.mu.Lock()
			v.holds--
			v.kickLocked()
			v.mu.Unlock()
		})
	}
}

// Lane implements [Clock].
func (v *Virtual) Lane(name string) Lane {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seq++
	l := &virtualLane{clock: v, name: name, seq: v.seq}
	v.lanes[l] = false
	return l
}

// Pause holds virtual time where it is, whatever is idle, until resume is called; lanes go on. Advance still
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
// if no timer is set for it.
func (v *Virtual) Advance(d time.Duration) {
	v.mu.Lock()
	to := v.now.Add(d)
	if to.After(v.target) {
		v.target = to
	}
	v.kickLocked()
	for v.now.Before(to) || v.busyLocked() {
		ch := v.idle
		v.mu.Unlock()
		<-ch
		v.mu.Lock()
	}
	v.mu.Unlock()
}

// WaitIdle returns when nothing is held, ready, running or due. On a clock that is not paused that means that no
// timer is left at all.
func (v *Virtual) WaitIdle() {
	v.mu.Lock()
	for v.busyLocked() || v.nextLocked() != nil {
		ch := v.idle
		v.mu.Unlock()
		<-ch
		v.mu.Lock()
	}
	v.mu.Unlock()
}

func (v *Virtual) busyLocked() bool {
	if v.holds > 0 || v.running != nil || v.firing || v.kicked || len(v.waiting) > 0 {
		return true
	}
	for _, ready := range v.lanes {
		if ready {
			return true
		}
	}
	return false
}

// nextLocked is the timer that time may jump to now, nil if there is none.
func (v *Virtual) nextLocked() *virtualTimer {
	t, ok := v.timers.First()
	if !ok || t.When.After(v.now) && v.paused > 0 && t.When.After(v.target) {
		return nil
	}
	return t
}

// kickLocked is called with mu held after every change. Callbacks must not run on the caller's goroutine, which may
// hold locks that they want, so the world is moved on by a goroutine of its own; while something is busy none is
// needed, because what is busy will kick again when it ends.
func (v *Virtual) kickLocked() {
	if v.kicked || v.running != nil || v.firing || v.holds > 0 && len(v.waiting) == 0 {
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
		v.timers.Remove(t)
		v.firing = true
		v.mu.Unlock()
		t.f()
		v.mu.Lock()
		v.firing = false
	}
}

// grantLocked gives the turn to one of the lanes that wait for it, once every lane with work has asked: the choice
// must not depend on which goroutine the scheduler woke first.
func (v *Virtual) grantLocked() {
	if v.running != nil || v.firing || len(v.waiting) == 0 {
		return
	}
	for l, ready := range v.lanes {
		if ready && v.waiting[l] == nil {
			return
		}
	}
	order := make([]*virtualLane, 0, len(v.waiting))
	for l := range v.waiting {
		order = append(order, l)
	}
	sort.Slice(order, func(i, j int) bool {
		if order[i].name != order[j].name {
			return order[i].name < order[j].name
		}
		return order[i].seq < order[j].seq
	})
	l := order[v.rng.IntN(len(order))]
	ch := v.waiting[l]
	delete(v.waiting, l)
	v.running = l
	if _, open := v.lanes[l]; open {
		v.lanes[l] = false
	}
	close(ch)
}

type virtualLane struct {
	clock *Virtual
	name  string
	seq   uint64
}

func (l *virtualLane) Ready() {
	l.clock.mu.Lock()
	defer l.clock.mu.Unlock()
	if _, open := l.clock.lanes[l]; open {
		l.clock.lanes[l] = true
	}
}

func (l *virtualLane) Run(f func()) {
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

func (l *virtualLane) Close() {
	l.clock.mu.Lock()
	defer l.clock.mu.Unlock()
	delete(l.clock.lanes, l)
	l.clock.kickLocked()
}

type virtualTimer struct {
	Deadline
	clock *Virtual
	f     func()
}

func (t *virtualTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	if !t.clock.timers.Remove(t) {
		return false
	}
	t.clock.kickLocked()
	return true
}
