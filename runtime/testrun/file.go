package testrun

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"

	"eddy/queues"
	"eddy/queues/queuejs"
	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/session"
	"eddy/runtime/testrun/vitest"
	"eddy/runtime/worker"
)

// fileRun is one file on its way. Its fields belong to the isolate's loop, apart from file, which whoever waits for
// over may read then.
type fileRun struct {
	run  *run
	file *File

	iso   *worker.Isolate
	clock *clock.Virtual
	// schedule decides the order of steps, nil nobody.
	schedule *schedule
	session  *session.Session
	// moves counts the calls of eddy:test that move the clock and are not over.
	moves      int
	deliveries deliveries
	inv        *worker.Invocation
	// limits are those in force.
	limits map[*limit]bool
	// kept are the states of storage to go back to, the last first.
	kept   []*session.Kept
	over   chan struct{}
	failed error
	// stuck takes the text for a test that computes without end.
	stuck chan string
	// running is the test that runs, for whoever waits for the loop in vain. Any goroutine.
	running atomic.Pointer[string]
}

// limit is one call of vitest.Host.Limit.
type limit struct {
	timer   *time.Timer
	stalled func(text string)
}

// runFile runs a file in a session of its own.
func (r *run) runFile(ctx context.Context, file *File, s *schedule) (err error) {
	f := &fileRun{run: r, file: file, limits: map[*limit]bool{}, over: make(chan struct{}), stuck: make(chan string, 1)}
	o := r.session()
	if f.schedule = s; s == nil {
		f.clock = clock.NewVirtual(time.Now(), r.o.Seed)
	} else {
		f.clock = clock.NewVirtual(exploredTime(), s.seed)
		o.Random, s.faults = s.random(), f.faults
	}
	o.Activity = f.activity
	o.Clock, o.Rejected = f.clock, f.rejected
	o.Program, o.Warned = r.script, true
	holder := &sessionOf{}
	o.Modules = map[string]worker.Module{
		bundle.ModulesName: withHints(modulesModule(r.entry)), "vitest": f.vitest(),
		queuejs.TestModuleName: f.cloudflareTest(holder), EddyTestModule: f.eddyTest(holder),
	}
	up, err := session.Start(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, up.Stop()) }()
	// What is in flight when the tests are over has half a second.
	defer func() { time.AfterFunc(stopGrace, up.GiveUp) }()
	holder.Session, f.session = up, up
	w := up.Worker("")
	f.iso = w.Isolate
	event := &fileEvent{f: f, file: vitest.File{
		ID: file.Name, Module: bundle.ModuleID(file.Path), Path: file.Path, Name: file.Name, Setup: r.setup,
		PassWithNone: r.o.PassWithNone, Filter: r.o.Filter,
	}}
	if s != nil && s.alone != "" {
		event.file.Filter = vitest.Filter{Pattern: s.alone}
	}
	if !w.Dispatch(ctx, event, worker.DispatchOptions{Unlimited: true}) {
		return errors.New("the Worker was stopped")
	}
	select {
	case <-f.over:
		return f.failed
	case text := <-f.stuck:
		up.GiveUp()
		f.endStuck(text)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// activity hears of what happens in the queues, on the broker's goroutine.
func (f *fileRun) activity(a queues.Activity) {
	f.deliveries.take(a)
	if f.schedule != nil {
		f.schedule.activity(a)
	}
}

// vitest is the module that the file's isolate has.
func (f *fileRun) vitest() worker.Module {
	return vitest.Module(vitest.Host{
		Config: f.run.o.Settings,
		Report: f.report,
		Load:   func(id string) goja.Value { return f.modules(f.iso, "load", id) },
		LoadEntry: func() goja.Value {
			return f.modules(f.iso, "loadEntry")
		},
		Modules: func() goja.Value {
			ns, err := f.iso.Namespace(bundle.ModulesName)
			if err != nil {
				panic(f.iso.Realm.ErrorValue(err))
			}
			return ns
		},
		Keep: f.keep, Back: f.back,
		Limit: f.limit,
		Current: func(id string) {
			f.running.Store(&id)
			f.schedule.current(id)
		},
		Due: func() (time.Duration, bool) {
			if f.clock.Offered() > 0 {
				return 0, true
			}
			at, ok := f.clock.Next()
			return at.Sub(f.clock.Now()), ok
		},
		Snapshots: func(s vitest.Snapshots) { f.file.Snapshots = s },
		Failures:  func() int { return int(f.run.failures.Load()) },
		Random:    rand.New(rand.NewPCG(f.run.o.Seed, 1)),
	})
}

// modules calls a function of the module that keeps the isolate's modules.
func (f *fileRun) modules(iso *worker.Isolate, name string, args ...any) goja.Value {
	ns, err := iso.Namespace(bundle.ModulesName)
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	fn, _ := goja.AssertFunction(ns.Get(name))
	var values []goja.Value
	for _, a := range args {
		values = append(values, iso.Runtime().ToValue(a))
	}
	v, err := fn(ns, values...)
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	return v
}

func (f *fileRun) report(text string) {
	r, task, err := f.file.take(text)
	if err != nil {
		f.failed = errors.Join(f.failed, err)
		return
	}
	if r.State == Failed && r.Kind == "test" {
		f.run.failures.Add(1)
	}
	f.run.tell(f.file, task, r.Kind)
}

// limit implements vitest.Host. The clock knows nothing of these timers: they are the machine's.
func (f *fileRun) limit(d time.Duration, expired func(), stalled func(string)) (stop func()) {
	l := &limit{stalled: stalled}
	f.limits[l] = true
	scope := f.inv.Scope
	if d > 0 {
		l.timer = time.AfterFunc(d, func() {
			late := time.AfterFunc(max(d, stuckAfter), func() {
				select {
				case f.stuck <- fmt.Sprintf("A test computed for more than %v without an end; its time-out is %v.",
					max(d, stuckAfter)+d, d):
				default:
				}
			})
			f.iso.Loop.Post(func() {
				late.Stop()
				if f.limits[l] {
					delete(f.limits, l)
					scope.EnterNow(expired)
				}
			})
		})
	}
	return func() {
		delete(f.limits, l)
		if l.timer != nil {
			l.timer.Stop()
		}
	}
}

// stopGrace is how long the end of a file's session waits for what is in flight.
const stopGrace = 500 * time.Millisecond

// stuckAfter is how long a loop may be busy after a time-out before the file is given up.
const stuckAfter = 2 * time.Second

// endStuck fails the test that runs and leaves out those after it.
func (f *fileRun) endStuck(text string) {
	failure := &Failure{Name: "Error", Message: text}
	f.file.State = Failed
	var running *Task
	if id := f.running.Load(); id != nil {
		running = f.file.byID[*id]
	}
	if running == nil {
		f.file.Errors = append(f.file.Errors, failure)
	} else {
		running.State, running.Errors = Failed, append(running.Errors, failure)
		if running.Place != nil {
			failure.Frames = []Frame{*running.Place}
		}
	}
	f.file.Tests(func(_ []string, t *Task) {
		if t.State == "" {
			t.State = Skipped
		}
	})
	f.run.tell(f.file, nil, "file")
}

// rejected notes a promise that was rejected and that nobody handles (TEST-126). Loop goroutine.
func (f *fileRun) rejected(_ string, ex *worker.Exception) {
	failure := &Failure{Name: ex.Name, Message: ex.Message}
	for _, frame := range ex.Frames {
		failure.Frames = append(failure.Frames, Frame{frame.Function, frame.File, frame.Line, frame.Column})
	}
	f.file.Unhandled = append(f.file.Unhandled, failure)
}

// fileEvent runs the file.
type fileEvent struct {
	f     *fileRun
	file  vitest.File
	ended bool
}

// Kind implements [worker.Event].
func (e *fileEvent) Kind() string { return "test" }

// Run implements [worker.Event].
func (e *fileEvent) Run(inv *worker.Invocation) goja.Value {
	e.f.inv = inv
	if s := e.f.schedule; s != nil {
		e.f.clock.Explore(s)
	}
	e.f.modules(inv.Isolate, "begin")
	promise, err := vitest.RunFile(inv.Isolate, e.file)
	if err != nil {
		panic(inv.Isolate.Realm.ErrorValue(err))
	}
	return promise
}

// Settle implements [worker.Event]. The tests are over then: a socket that they left open keeps nobody waiting.
func (e *fileEvent) Settle(inv *worker.Invocation, _, failure goja.Value) {
	e.f.failed = errors.Join(e.f.failed, e.f.takeCounts())
	if failure != nil {
		e.f.failed = errors.Join(e.f.failed, inv.Isolate.Exception(failure))
	}
	e.end()
}

// Done implements [worker.Event].
func (e *fileEvent) Done(_ *worker.Invocation, err error) {
	if e.ended {
		return
	}
	e.f.failed = errors.Join(e.f.failed, err)
	e.end()
}

func (e *fileEvent) end() {
	e.ended = true
	if e.f.schedule != nil {
		e.f.clock.Explore(nil)
	}
	for l := range e.f.limits {
		if l.timer != nil {
			l.timer.Stop()
		}
	}
	close(e.f.over)
}

// Stalled is called when nothing of the isolate can go on. If nothing is due on the clock either, what the test waits
// for will never come.
func (e *fileEvent) Stalled() {
	f := e.f
	go func() {
		if f.clock.WaitIdle(f.inv.Scope.Context()) != nil {
			return
		}
		f.iso.Loop.Post(func() {
			if f.inv.Over() {
				return
			}
			f.inv.Scope.OnStall(f.inv)
			for l := range f.limits {
				delete(f.limits, l)
				if l.timer != nil {
					l.timer.Stop()
				}
				f.inv.Scope.EnterNow(func() { l.stalled(stalledText) })
			}
		})
	}()
}

const stalledText = "Nothing is left that could settle what this waits for: no timer, no request and no delivery is " +
	"due."

// observers are told of reports one at a time.
type observing struct {
	mu sync.Mutex
	to Observer // guarded by mu
}
