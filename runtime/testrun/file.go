package testrun

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
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

// fileRun is a file on its way, or several that share a session, one after the other. Its fields belong to the
// isolate's loop, apart from file, which whoever waits for the file's end may read then.
type fileRun struct {
	run  *run
	file *File

	iso *worker.Isolate
	// clock is nil if time is real.
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
	// marks counts the limits.
	marks int
	// kept are the states of storage to go back to, the last first.
	kept   []*session.Kept
	failed error // of the file
	// stuck takes the text for a test that computes without end.
	stuck chan string
	// running is what runs, for console output and for whoever waits for the loop in vain. Any goroutine.
	running atomic.Pointer[place]
}

// limit is one call of vitest.Host.Limit.
type limit struct {
	unwatch context.CancelFunc
	timer   clock.Timer // nil for one without a time
	stalled func(text string, at any)
	// lasts is its time, began when it was begun, and used what the process had taken of the processors then.
	lasts time.Duration
	began time.Time
	used  time.Duration
	// passed is what looks after it since its time is over, nil before. Any goroutine.
	passed atomic.Pointer[endless]
	// mark is what its awaits have, since is the number of the last await before it.
	mark  goja.Value
	since uint64
}

// runFile runs a file in a session of its own.
func (r *run) runFile(ctx context.Context, file *File, s *schedule) error {
	return r.runFiles(ctx, []*File{file}, s)
}

// runFiles runs files one after the other in one session, or in a new one after a file that could not be ended.
func (r *run) runFiles(ctx context.Context, files []*File, s *schedule) error {
	if isReplay(files[0].Path) {
		return r.runReplay(ctx, files[0])
	}
	for len(files) > 0 {
		done, err := r.inSession(ctx, files, s)
		if err != nil {
			return err
		}
		files = files[done:]
	}
	return nil
}

// journalName is the name of the journal of a file of tests.
func (r *run) journalName(path string) string {
	if rel, err := filepath.Rel(r.o.Dir, path); err == nil {
		path = rel
	}
	name := strings.NewReplacer("/", "-", "\\", "-", ":", "-").Replace(path)
	if r.o.Name != "" {
		name = r.o.Name + "-" + name
	}
	return strings.TrimLeft(name, ".-")
}

// inSession starts a session and says how many of the files it has run.
func (r *run) inSession(ctx context.Context, files []*File, s *schedule) (done int, err error) {
	f := &fileRun{run: r, limits: map[*limit]bool{}, stuck: make(chan string, 1)}
	o := r.session()
	switch f.schedule = s; {
	case s != nil:
		f.clock = clock.NewVirtual(exploredTime(), s.stream)
		o.Random, s.faults = s.random(), f.faults
	case !r.o.RealTime:
		f.clock = clock.NewVirtual(time.Now(), r.o.Seed)
	}
	if r.o.Journal != "" && s == nil {
		o.Journal = session.JournalOptions{On: true, Dir: filepath.Join(r.o.Journal, r.journalName(files[0].Path))}
	}
	o.Activity = f.activity
	o.Rejected = f.rejected
	if f.clock != nil {
		o.Clock = f.clock
	}
	o.Program, o.Warned = r.script, true
	holder := &sessionOf{}
	o.Modules = map[string]worker.Module{
		bundle.ModulesName: withHints(modulesModule(r.entry, f.collects)), "vitest": f.vitest(),
		queuejs.TestModuleName: f.cloudflareTest(holder), EddyTestModule: f.eddyTest(holder),
	}
	f.file = files[0]
	f.running.Store(&place{file: f.file})
	o.Console = f.console(len(o.Configs) > 1)
	up, err := session.Start(ctx, o)
	if err != nil {
		return 0, err
	}
	defer func() {
		if s != nil {
			up.GiveUp() // the next schedule waits
		} else {
			// Stopped, because a timer would keep all that the session had for half a second more.
			defer clock.AfterPatience(clock.Real{}, stopGrace, up.GiveUp).Stop()
		}
		err = errors.Join(err, up.Stop())
	}()
	holder.Session, f.session = up, up
	w := up.Worker("")
	f.iso = w.Isolate
	for i, file := range files {
		event := &fileEvent{f: f, of: file, over: make(chan struct{}), file: vitest.File{
			ID: file.Name, Module: bundle.ModuleID(file.Path), Path: file.Path, Name: file.Name, Setup: r.setup,
			PassWithNone: r.o.PassWithNone, Filter: r.o.Filter,
		}}
		if s != nil && s.alone != "" {
			event.file.Filter = vitest.Filter{Pattern: s.alone}
		}
		if !w.Dispatch(ctx, event, worker.DispatchOptions{Unlimited: true}) {
			return i, errors.New("the Worker was stopped")
		}
		select {
		case <-event.over:
			if event.failed != nil {
				return i, event.failed
			}
		case text := <-f.stuck:
			up.GiveUp()
			f.endStuck(text)
			return i + 1, nil
		case <-ctx.Done():
			return i, ctx.Err()
		}
	}
	return len(files), nil
}

// collects tells whether a module is the test file that runs. Loop goroutine.
func (f *fileRun) collects(id string) bool { return bundle.ModuleID(f.file.Path) == id }

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
			f.running.Store(&place{f.file, f.file.byID[id]})
			f.iso.Loop.ForgetLooks()
			f.schedule.current(id)
		},
		Due: func() (time.Duration, bool) {
			switch {
			case f.clock == nil:
				return 0, false
			case f.clock.Offered() > 0:
				return 0, true
			}
			at, ok := f.clock.Next()
			return at.Sub(f.clock.Now()), ok
		},
		Others:    f.others,
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

// limit implements vitest.Host. The clock knows nothing of these times: they are the machine's, in which one when the
// whole process stood still counts as a moment.
func (f *fileRun) limit(
	d time.Duration, expired func(), stalled func(text string, at any),
) (stop func() (over bool)) {
	f.marks++
	l := &limit{stalled: stalled, mark: f.iso.Runtime().ToValue(f.marks), lasts: d, began: time.Now()}
	l.used, _ = clock.ProcessTime()
	l.since = f.iso.MarkAwaits(l.mark)
	f.limits[l] = true
	scope := f.inv.Scope
	watched, unwatch := context.WithCancel(scope.Context())
	l.unwatch = unwatch
	f.watch(l, watched)
	if d > 0 {
		l.timer = clock.AfterPatience(clock.Real{}, d, func() {
			e := &endless{f: f, limit: d}
			e.start()
			l.passed.Store(e)
			f.iso.Loop.Post(func() {
				e.stop()
				if f.limits[l] {
					f.drop(l)
					scope.EnterNow(expired)
				}
			})
		})
	}
	return func() bool {
		defer f.drop(l)
		return l.over()
	}
}

// over tells whether the time is over. What computes on the loop may have taken that long before its timer has come.
func (l *limit) over() bool {
	switch {
	case l.timer == nil:
		return false
	case l.passed.Load() != nil:
		return true
	case time.Since(l.began) < l.lasts:
		return false
	}
	used, ok := clock.ProcessTime() // less than that if the process stood still
	return !ok || used-l.used >= l.lasts
}

// drop ends a limit.
func (f *fileRun) drop(l *limit) {
	delete(f.limits, l)
	l.unwatch()
	if l.timer != nil {
		l.timer.Stop()
	}
}

// stopGrace is how long the end of a file's session waits for what is in flight.
const stopGrace = 500 * time.Millisecond

// endStuck fails the test that runs and leaves out those after it.
func (f *fileRun) endStuck(text string) {
	failure := &TaskError{Name: "Error", Message: text}
	f.file.State = Failed
	var running *Task
	if at := f.running.Load(); at != nil {
		running = at.task
	}
	if running == nil {
		f.file.Errors = append(f.file.Errors, failure)
	} else {
		running.State, running.Errors = Failed, append(running.Errors, failure)
		if running.Place != nil {
			failure.Frames = []StackFrame{*running.Place}
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
	failure := &TaskError{Name: ex.Name, Message: ex.Message}
	for _, frame := range ex.Frames {
		failure.Frames = append(failure.Frames, StackFrame{frame.Function, frame.File, frame.Line, frame.Column})
	}
	f.file.Unhandled = append(f.file.Unhandled, failure)
}

// fileEvent runs a file.
type fileEvent struct {
	f     *fileRun
	of    *File
	file  vitest.File
	ended bool
	// over is closed at the end; failed, which may be read then, is an error that no test has made.
	over   chan struct{}
	failed error
}

// Kind implements [worker.Event].
func (e *fileEvent) Kind() string { return "test" }

// Run implements [worker.Event].
func (e *fileEvent) Run(inv *worker.Invocation) goja.Value {
	e.f.inv, e.f.file, e.f.failed, e.f.kept = inv, e.of, nil, nil
	e.f.running.Store(&place{file: e.of})
	e.f.deliveries.forget()
	inv.Isolate.StartAwaits()
	inv.Scope.LimitCPU(unbounded, e.f.interrupted)
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
		e.f.drop(l)
	}
	e.failed = e.f.failed
	close(e.over)
}

// observers are told of reports one at a time.
type observing struct {
	mu sync.Mutex
	to Observer // guarded by mu, as is all below
	// unheard is console output of tests of which it is not known whether they fail.
	unheard map[place][]Output
}
