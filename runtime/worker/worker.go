package worker

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/structured"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/journal"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi"
	"eddy/runtime/webapi/caches"
	"eddy/runtime/webapi/fetch"
)

// Options describe one Worker. Name and Script are required.
type Options struct {
	Name   string
	Script *Script
	// Flags are the compatibility flags in force.
	Flags Flags
	// Dynamic says that the Worker was made of code at run time: nobody else can find it by its name.
	Dynamic bool
	// Bindings become the properties of env, in order.
	Bindings []Binding
	// Env, if set, makes the env that Bindings are added to. Loop goroutine.
	Env func(iso *Isolate) (*goja.Object, error)
	// Modules are virtual modules beside those of this package, by specifier ("node:buffer").
	Modules map[string]Module
	// Install are called on the loop after the web APIs and before bindings: RPC, Durable Objects and so on.
	Install []func(iso *Isolate) error
	// Wasm makes the WebAssembly.Module of an imported file; nil means that there is none.
	Wasm func(iso *Isolate, file string, code []byte) (goja.Value, error)
	// Clock is the source of time; nil is the machine's.
	Clock clock.Clock
	// Random is the source of random bytes; nil is the system's.
	Random io.Reader
	// Outbound sends outgoing requests; nil is http.DefaultTransport.
	Outbound http.RoundTripper
	// CPULimit bounds the CPU time of one invocation; 0 means none.
	CPULimit time.Duration
	// Log takes console output; nil drops it.
	Log func(host.ConsoleLine)
	// Trace, if set, is called at the end of every event with what happened in it, for tail consumers. Loop goroutine.
	Trace func(*Trace)
	// Stream, if set, is called at the beginning of every event; what it returns takes the event's stream for streaming
	// tail Workers, nil drops it. Loop goroutine.
	Stream func(StreamHead) func(StreamEvent)
	// Access is what ctx.access tells, nil for none.
	Access *Visitor
	// Responses is the cache in front of the Worker, nil for none; with one there is ctx.cache.
	Responses *caches.Responses
	// Journal gets every event when it is over; nil keeps none.
	Journal *journal.Journal
	// Uncaught takes exceptions that no caller hears of; scope is the one that threw, nil at start-up.
	Uncaught func(scope *eventloop.Scope, ex *Exception)
	// Rejected takes the reasons of promises that nobody handles and whose event nobody cancelled. The script does not
	// notice.
	Rejected func(ex *Exception)
	// Notice, if set, takes what a person should know and the script is not told, such as why a connection failed.
	Notice func(text string)
	// Waits, if set, is called on the loop, once, for every event whose handler has not answered after WaitsAfter (0
	// means 5 s) of the machine's time.
	Waits      func(Waits)
	WaitsAfter time.Duration
	// Computes, if set, is told, once, of every event whose handler has computed for ComputesAfter (0 means 2 s), from
	// any goroutine while it goes on. Only under a CPULimit.
	Computes      func(Computes)
	ComputesAfter time.Duration
	// MemoryLimit is how many bytes the isolate may keep from event to event, and how many one turn of an invocation
	// may add to the process's live memory; 0 means no limit.
	MemoryLimit uint64
	// InternalError is called with errors of eddy itself: Go panics in what a script called, or beside it. If it is
	// nil, they crash the process.
	InternalError func(*eventloop.InternalError)
	// Lost, used with InternalError only, is called on the loop, once, when the isolate can no longer be relied on and
	// should be replaced: it ran out of memory ([ErrMemoryLimit]; an [*eventloop.KeptError] if no event did that), or a
	// panic left it half done.
	Lost func(err error)
	// Relieve, if set, is called on the loop, as a turn, before the isolate is given up because it keeps more than
	// MemoryLimit: it lets go of what can be made again, such as objects at rest.
	Relieve func(*Isolate)
}

// Script is what a Worker runs.
type Script struct {
	Bundle *bundle.Bundle
	// WatchAwaits lets [Isolate.Awaits] know what is awaited. It costs a little at each await.
	WatchAwaits bool

	once sync.Once
	prg  *goja.Program
	err  error
}

// program compiles the script once, also for a Worker that is started again with the same bundle.
func (s *Script) program() (*goja.Program, error) {
	s.once.Do(func() {
		strict := s.Bundle.Format != bundle.FormatServiceWorker
		if tree := s.Bundle.TakeProgram(); tree != nil {
			s.prg, s.err = ecma.CompileTree(s.Bundle.Source, tree, strict)
		} else {
			s.prg, s.err = ecma.Compile(bundle.ScriptName, s.Bundle.Source, strict)
		}
		if s.err == nil && s.WatchAwaits {
			s.err = watchAwaits(s.prg)
		}
	})
	return s.prg, s.err
}

// Worker is a started Worker.
type Worker struct {
	*Isolate
}

// Prepare does what every isolate needs and a process does once. Any goroutine; Start does what is left of it.
func Prepare() {
	ecma.Prepare()
	_, _ = internalProgram(baseName, baseSource) // Start reports what is wrong with it
	structured.Prepare()
}

// Start makes an isolate and runs the script's top level. The error is an [*Exception] when the script threw.
func Start(ctx context.Context, o Options) (*Worker, error) {
	iso := newIsolate(o)
	return iso.launch(ctx, func(fail func(error)) {
		if err := iso.install(); err != nil {
			fail(err)
			return
		}
		iso.start(iso.startLimit(), fail)
	})
}

// newIsolate makes an isolate with nothing in it, on a loop that has nothing to do.
func newIsolate(o Options) *Isolate {
	if o.Clock == nil {
		o.Clock = clock.Real{}
	}
	iso := &Isolate{
		Name: o.Name, Flags: o.Flags, opts: o, live: map[*Invocation]struct{}{}, modules: map[string]*goja.Object{},
		arrival: "an event on its way to " + o.Name}
	lo := eventloop.Options{Name: o.Name, Clock: o.Clock, MemoryLimit: o.MemoryLimit, Rejections: iso.rejected}
	lo.Rejecting = func(p *goja.Promise, failure goja.Value) {
		if e, ok := iso.Value(engineKey{}).(*ecma.Engine); ok {
			e.AwaitedBy(failure, p)
		}
	}
	lo.Thrown = func(v goja.Value) { iso.Loop.Bounded(iso.startLimit(), func() { iso.Uncaught(v) }, nil) }
	if o.InternalError != nil {
		lo.Lost = iso.lost
	}
	if o.Relieve != nil {
		lo.Relieve = func() { o.Relieve(iso) }
	}
	if o.Computes != nil {
		lo.Computes, lo.ComputesAfter = iso.computes, o.ComputesAfter
	}
	if o.Journal != nil {
		lo.Seen = iso.seen
	}
	iso.failStart = func(error) {}
	iso.Loop = eventloop.New(lo)
	return iso
}

// launch lets first run on the loop and waits until that, or whoever tells failStart, has said how it ended. Unless it
// ended well the isolate is gone.
func (iso *Isolate) launch(ctx context.Context, first func(ended func(error))) (*Worker, error) {
	ended := make(chan error, 1)
	tell := func(err error) {
		select {
		case ended <- err:
		default:
		}
	}
	hold := iso.opts.Clock.Hold("the start of " + iso.Name)
	iso.Loop.Post(func() {
		iso.failStart = tell
		first(tell)
	})
	hold()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		iso.Loop.Cut() // the top level may never end
		iso.Loop.Stop()
		return nil, err
	}
	return &Worker{iso}, nil
}

// install puts everything into the runtime, in the order that later parts rely on.
func (iso *Isolate) install() error {
	rt := iso.Loop.Runtime()
	engine, err := ecma.Install(rt, iso.ecmaOptions())
	if err != nil {
		return err
	}
	iso.SetValue(engineKey{}, engine)
	iso.seedMath(rt)
	iso.Realm = webidl.NewRealm(rt)
	iso.Realm.Reserve = iso.Loop.Need
	iso.Realm.Untagged = !iso.Flags.Enabled("set_tostring_tag")
	if iso.opts.InternalError != nil {
		iso.Realm.Panicked = iso.panicked
	}
	iso.Host = &host.Host{
		Loop: iso.Loop, Realm: iso.Realm, Random: iso.opts.Random, Flag: iso.Flags.Enabled,
		Outbound: iso.opts.Outbound, Log: iso.logger(), Uncaught: iso.Uncaught, Notice: iso.opts.Notice,
	}
	if iso.opts.Journal != nil {
		iso.Host.Recording = iso.Recording
	}
	if iso.opts.Trace != nil || iso.opts.Stream != nil {
		iso.Host.Published = iso.published
	}
	webapi.Install(iso.Host)
	fetch.SetEventNetwork(iso.Host, func(s *eventloop.Scope) fetch.Transport {
		if inv, ok := s.Owner.(*Invocation); ok {
			return inv.outbound
		}
		return nil
	})
	iso.Codec().LengthTracking = engine.LengthTracking
	iso.Codec().Need = iso.Loop.Need
	iso.defineCloudflare()
	iso.contextClass = defineContext(iso)
	if err := iso.defineBases(); err != nil {
		return err
	}
	kit := rpc.Install(iso.Host)
	for name, class := range kit.Exports() {
		iso.AddToWorkersModule(name, class)
	}
	iso.AddToWorkersModule("restore", kit.RestoreSymbol())
	iso.SetExtraHandler("scheduled", iso.serveScheduled)
	for _, f := range iso.opts.Install {
		if err := f(iso); err != nil {
			return err
		}
	}
	iso.env = rt.NewObject()
	if iso.opts.Env != nil {
		if iso.env, err = iso.opts.Env(iso); err != nil {
			return err
		}
	}
	var errs []error
	for _, b := range iso.opts.Bindings {
		v, err := b.Install(iso)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		_ = iso.env.DefineDataProperty(b.Name(), v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		if iso.IsServiceWorker() { // a script of this format gets bindings as globals, because nothing hands it an env
			_ = rt.GlobalObject().DefineDataProperty(b.Name(), v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		}
	}
	return errors.Join(errs...)
}

// Close stops the isolate. What is in flight is given up. It may be called twice.
func (w *Worker) Close() {
	if err := w.AbortAll(errors.New("the Worker was stopped")); err == nil || errors.Is(err, eventloop.ErrStopped) {
		w.Loop.Stop()
	}
}
