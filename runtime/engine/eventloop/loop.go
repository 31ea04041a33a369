package eventloop

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/heapwatch"
)

// ErrStopped is what Do answers once the loop has been stopped.
var ErrStopped = errors.New("event loop stopped")

// Options configure a Loop.
type Options struct {
	// Name tells loops apart in the order of virtual time and in panics.
	Name string
	// Clock is the source of time; nil is clock.Real.
	Clock clock.Clock
	// Rejections, if set, is called on the loop at the end of a turn with promises that were rejected in it and have
	// no handler.
	Rejections func([]Rejection)
	// Rejecting, if set, is called on the loop with a promise that is about to be rejected from outside of any script,
	// and why.
	Rejecting func(promise *goja.Promise, failure goja.Value)
	// Thrown, if set, is called on the loop with what a script has thrown out of a turn.
	Thrown func(goja.Value)
	// MemoryLimit is how many bytes the isolate may keep from turn to turn, and how many bytes of live memory one turn
	// of a scope with a CPU limit may add to the process; 0 means no limit.
	MemoryLimit uint64
	// Computes, if set, is called once for each scope with a CPU limit, and again after LimitCPU, whose turns take more
	// than ComputesAfter (0 means 2 s), of what the process gets of the machine. It is called from any goroutine while
	// the script runs, and must not call into the loop.
	Computes      func(Computing)
	ComputesAfter time.Duration
	// Lost, if set, is called on the loop when the isolate can no longer be relied on: a turn went over MemoryLimit
	// (the error is [ErrMemoryLimit]), the isolate keeps more than that (a [*KeptError]), or a Go panic escaped a turn
	// (an [*InternalError]). The scope concerned, nil outside any, has been told before. Without it a panic ends the
	// process, and what the isolate keeps is not looked at.
	Lost func(scope *Scope, err error)
	// Relieve, if set, is called on the loop, as a turn, before the isolate is given up because it keeps too much: it
	// lets go of what can be made again. What is kept is looked at once more after it.
	Relieve func()

	processTime func() (time.Duration, bool) // tests set it; else it is [clock.ProcessTime]
	// Seen, if set, is told what a script sees when it looks at the clock, and returns what it sees instead.
	Seen func(now time.Time) time.Time
}

// Loop owns a goja runtime. Make one with [New].
type Loop struct {
	rt    *goja.Runtime
	clock clock.Clock
	turns clock.Participant
	opts  Options
	away  string // what a ticket holds the clock for

	mu struct {
		sync.Mutex
		inbox   []func()
		stopped bool
	}
	wake chan struct{}
	done chan struct{}

	share *heapwatch.Share // the share of the goroutines that make what the isolate holds
	kept  kept
	heavy chan struct{} // has an element for each heavy work that runs

	// below: loop goroutine only
	cur        *asyncFrame
	spare      []func() // an empty inbox, for the one that is taken next
	turnEnd    []func()
	rejections rejections
	timers     timers
	broken     *Scope // the innermost scope that a panic is leaving
	// looks is how often the current turn has looked at the time.
	looks int
	// interrupted is what ended the script of the current turn early, if anything did.
	interrupted *goja.InterruptedError
	machine     gojainternals.Machine
	settled     time.Time            // when settleKept has looked last
	scopes      uint64               // made so far
	busy        int                  // tickets, timers and open doors of scopes without a gate
	stallable   map[*Scope]Stallable // what OnStall asked for
	watch       watch
}

// New makes the runtime and starts the goroutine.
func New(o Options) *Loop {
	if o.Clock == nil {
		o.Clock = clock.Real{}
	}
	if o.processTime == nil {
		o.processTime = clock.ProcessTime
	}
	l := &Loop{
		rt:    goja.New(),
		clock: o.Clock,
		turns: o.Clock.Participant("loop " + o.Name),
		opts:  o,
		away:  "work that left the loop of " + o.Name,
		wake:  make(chan struct{}, 1),
		done:  make(chan struct{}),
		share: heapwatch.NewShare(),
		heavy: make(chan struct{}, heavySlots()),
		cur:   &outside,
	}
	l.rt.SetTimeSource(l.Time)
	l.rt.SetAsyncContextTracker(tracker{l})
	l.rejections.loop = l
	machine, err := gojainternals.NewMachine(l.rt)
	if err != nil {
		panic(err) // goja has other fields than we know: then it fails at every start and in every test
	}
	l.machine = machine
	l.rt.SetPromiseRejectionTracker(l.rejections.track)
	l.rt.SetMaxCallStackSize(6000) // package bounds sets more; wasm and scripts that call each other need one
	l.Go(l.run)
	l.watchKept()
	return l
}

// Runtime is the engine. Loop goroutine only.
func (l *Loop) Runtime() *goja.Runtime { return l.rt }

// Clock is the loop's source of time.
func (l *Loop) Clock() clock.Clock { return l.clock }

// Time is what scripts take for the present: in global scope the beginning of 1970, as on the platform (RT6).
func (l *Loop) Time() time.Time {
	if l.Scope() == nil {
		return time.Unix(0, 0)
	}
	if l.looks++; l.looks > looksBeforeCreep {
		clock.Creep(l.clock, creepStep<<min((l.looks-looksBeforeCreep)/looksBeforeDoubling, 40))
	}
	if l.opts.Seen != nil {
		return l.opts.Seen(l.clock.Now())
	}
	return l.clock.Now()
}

// ForgetLooks begins to count anew how often the turn has looked at the time: something else begins in the same turn.
// Loop goroutine only.
func (l *Loop) ForgetLooks() { l.looks = 0 }

// A turn that looks at the time more often than this waits for it (TEST-X5). On a virtual clock each look then moves
// time on, and after each so many looks by twice as much, so that an hour is over within some hundred thousand looks.
const (
	looksBeforeCreep    = 1000
	looksBeforeDoubling = 10_000
	creepStep           = 10 * time.Microsecond
)

// Post queues fn for a turn of its own, outside any scope. It reports false when the loop has been stopped: fn will
// never run.
func (l *Loop) Post(fn func()) bool {
	l.mu.Lock()
	if l.mu.stopped {
		l.mu.Unlock()
		return false
	}
	l.mu.inbox = append(l.mu.inbox, fn)
	first := len(l.mu.inbox) == 1
	if first { // under the lock, because Stop closes wake
		l.turns.Ready()
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
	l.mu.Unlock()
	return true
}

// Go starts a goroutine whose allocations count as the isolate's. It is for what makes things that the isolate will
// hold.
func (l *Loop) Go(fn func()) { l.share.Go(fn) }

// Do posts fn and waits for its turn to end. It must not be called on the loop goroutine.
func (l *Loop) Do(ctx context.Context, fn func()) error {
	ended := make(chan struct{})
	answered := clock.Await(l.clock)
	if !l.Post(func() { l.AtTurnEnd(func() { answered(); close(ended) }); fn() }) {
		answered()
		return ErrStopped
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-l.done:
		return ErrStopped
	}
}

// AtTurnEnd runs fn when the current turn and its microtasks are over, still on the loop, before the next turn. What
// fn starts in JavaScript belongs to the same turn. Loop goroutine only.
func (l *Loop) AtTurnEnd(fn func()) { l.turnEnd = append(l.turnEnd, fn) }

// Stop ends the goroutine after the current turn and waits for it. What is still queued is dropped. It may be called
// twice, and not on the loop goroutine.
func (l *Loop) Stop() {
	l.mu.Lock()
	if !l.mu.stopped {
		l.mu.stopped = true
		l.mu.inbox = nil
		close(l.wake)
	}
	l.mu.Unlock()
	<-l.done
}

// Stopped is closed when the goroutine has ended.
func (l *Loop) Stopped() <-chan struct{} { return l.done }

func (l *Loop) run() {
	defer close(l.done)
	defer l.share.Close()
	defer l.turns.Close()
	take := l.take
	for range l.wake {
		for !l.isEmpty() {
			l.turns.Run(take)
		}
	}
}

// mostSpare is for how many closures an inbox may have room that is kept for later.
const mostSpare = 64

// take takes up all that was announced before it: what it left would wait unannounced.
func (l *Loop) take() {
	l.mu.Lock()
	batch := l.mu.inbox
	l.mu.inbox, l.spare = l.spare, nil
	l.mu.Unlock()
	for i, fn := range batch {
		batch[i] = nil
		l.turn(fn)
		if l.isStopped() {
			return
		}
	}
	if cap(batch) <= mostSpare {
		l.spare = batch[:0]
	}
	l.endStalled()
}

// endStalled tells the scopes that are stalled, within the turn: virtual time must not jump before.
func (l *Loop) endStalled() {
	if l.busy > 0 || len(l.stallable) == 0 || !l.isEmpty() {
		return
	}
	for _, fn := range l.stalled() {
		l.turn(fn)
	}
}

func (l *Loop) isEmpty() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.mu.inbox) == 0
}

func (l *Loop) isStopped() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.stopped
}

// turn runs one closure and everything that belongs to the same turn, and looks at what it has left.
func (l *Loop) turn(fn func()) {
	l.whole(fn)
	l.settleKept()
}

func (l *Loop) whole(fn func()) {
	l.interrupted, l.looks = nil, 0
	l.guard(fn)
	for len(l.turnEnd) > 0 || l.rejections.pending() {
		for len(l.turnEnd) > 0 {
			hooks := l.turnEnd
			l.turnEnd = nil
			for _, h := range hooks {
				l.guard(h)
			}
		}
		if lost := l.rejections.take(); len(lost) > 0 && l.opts.Rejections != nil {
			l.guard(func() { l.opts.Rejections(lost) })
		}
	}
	l.cur = &outside
}
