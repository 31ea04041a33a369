package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/bundle"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/journal"
)

// Isolate is one goja runtime with everything a Worker sees. Fields are set before the script runs; loop goroutine
// only, unless said otherwise.
type Isolate struct {
	Loop  *eventloop.Loop
	Realm *webidl.Realm
	Host  *host.Host
	Flags Flags
	// Name is the Worker's name.
	Name string

	opts         Options
	env          *goja.Object
	exports      *exports
	modules      map[string]*goja.Object
	contextClass *webidl.Interface
	bases        baseClasses
	ctxExports   []func(iso *Isolate, into *goja.Object)
	ctxExportObj *goja.Object
	tracing      *goja.Object // ctx.tracing, made on first use
	live         map[*Invocation]struct{}
	entries      map[[8]byte]*journal.Entry // of events in progress, by span; nil without a journal
	observed     map[[8]byte]*observation   // likewise, of those that have spans or whose stream somebody hears
	onDrained    func()
	values       map[any]any
	warned       map[string]bool
	failStart    func(error) // tells Start how the start ended; only the first call counts
	lostTo       error       // why Lost was called; see LostTo
	waitsWatched bool        // a timer will call tellWaits
	aborting     aborting
	packages     *packages    // those that run, nil before they begin
	arrival      string       // why the clock is held while an event is on its way
	called       *goja.Object // a handler that is known to be a function: the last one
}

// Runtime is the goja runtime.
func (iso *Isolate) Runtime() *goja.Runtime { return iso.Realm.Runtime() }

// Env is the env object that handlers get.
func (iso *Isolate) Env() *goja.Object { return iso.env }

// Value and SetValue let a package keep its own state per isolate, under a key of a type of its own.
func (iso *Isolate) Value(key any) any { return iso.values[key] }

// SetValue stores state under key; see Value.
func (iso *Isolate) SetValue(key, v any) {
	if iso.values == nil {
		iso.values = map[any]any{}
	}
	iso.values[key] = v
}

// Uncaught reports a thrown value that nobody can catch, as an exception of the current scope.
func (iso *Isolate) Uncaught(v goja.Value) {
	if inv := invocationOf(iso.loopScope()); inv != nil {
		inv.traceException(v)
	} else if e := iso.Recording(); e != nil {
		iso.recordException(e, v)
	}
	if iso.opts.Uncaught == nil {
		return
	}
	iso.opts.Uncaught(iso.loopScope(), iso.Exception(v))
}

// Warn writes a console warning on behalf of the platform.
func (iso *Isolate) Warn(text string) {
	if iso.opts.Log != nil {
		iso.opts.Log(host.ConsoleLine{
			Level: host.LevelWarn, Time: iso.Loop.Clock().Now(), Text: text, Scope: iso.Loop.Scope()})
	}
}

// WarnOnce is Warn, but says the same text only once in the isolate's life.
func (iso *Isolate) WarnOnce(text string) {
	if iso.warned[text] {
		return
	}
	if iso.warned == nil {
		iso.warned = map[string]bool{}
	}
	iso.warned[text] = true
	iso.Warn(text)
}

func (iso *Isolate) loopScope() *eventloop.Scope { return iso.Loop.Scope() }

// drained is called whenever an invocation ends.
func (iso *Isolate) drained() {
	if len(iso.live) == 0 && iso.onDrained != nil {
		f := iso.onDrained
		iso.onDrained = nil
		f()
	}
}

// Drain waits until no invocation is in flight or ctx ends. Not on the loop goroutine.
func (iso *Isolate) Drain(ctx context.Context) error {
	empty := make(chan struct{})
	if err := iso.Loop.Do(ctx, func() {
		if len(iso.live) == 0 {
			close(empty)
			return
		}
		iso.onDrained = func() { close(empty) }
	}); err != nil {
		return err
	}
	select {
	case <-empty:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Look runs fn on the loop. fn reads what the script exports, which may run code of the script: getters, and traps of
// proxies. When that computes for longer than the script's start may, the error is [ErrStartupLimit]. Not on the loop
// goroutine.
func (iso *Isolate) Look(ctx context.Context, fn func()) error {
	var limit error
	err := iso.Loop.Do(ctx, func() {
		iso.Loop.Bounded(iso.startLimit(), fn, func() { limit = iso.located(ErrStartupLimit) })
	})
	if err == nil {
		err = iso.Loop.Do(ctx, func() {}) // the limit is told at the end of the turn, after the turn's Do
	}
	return cmp.Or(err, limit)
}

// AbortAll gives up every invocation in flight. Not on the loop goroutine.
func (iso *Isolate) AbortAll(reason error) error {
	return iso.Loop.Do(context.Background(), func() {
		for inv := range iso.live {
			inv.Abort(reason)
		}
	})
}

// AbortOthers gives up every invocation in flight but one. Loop goroutine only.
func (iso *Isolate) AbortOthers(but *Invocation, reason error) {
	var list []*Invocation
	for inv := range iso.live {
		if inv != but {
			list = append(list, inv)
		}
	}
	slices.SortFunc(list, func(a, b *Invocation) int { return cmp.Compare(a.Scope.Number(), b.Scope.Number()) })
	for _, inv := range list {
		inv.Abort(reason)
	}
}

// Source is the map from the script to the user's files, nil if there is none. Any goroutine.
func (iso *Isolate) Source() *bundle.SourceMap {
	if iso.opts.Script.Bundle == nil {
		return nil
	}
	return iso.opts.Script.Bundle.Map
}

// errNoExports is our own bug: the bundle's function ended without announcing its exports.
var errNoExports = errors.New("worker: the bundle announced no exports")

// ErrStartupLimit ends the start of a script whose top level computes for longer than [Isolate.startLimit].
var ErrStartupLimit = errors.New("Script startup exceeded CPU time limit.") // the platform's text

// ErrUnresolved ends the start of a script whose top level awaits something that never comes.
var ErrUnresolved = errors.New("Top-level await in module is unresolved.") // the platform's text

// start evaluates the script, which may compute for so long (0 is no limit). settled is called on the loop when all
// top-level code has run.
func (iso *Isolate) start(limit time.Duration, settled func(error)) {
	var early []error
	outcome := func(err error) { early = append(early, err) }
	// A limit that interrupts a microtask ends the turn, and one that interrupts the call makes the call fail. So the
	// limit's own error is reported before whatever the call returned.
	limited := func() { settled(iso.located(ErrStartupLimit)) }
	if iso.Loop.Bounded(limit, func() { iso.evaluate(func(err error) { outcome(err) }) }, limited) {
		return
	}
	outcome = settled
	for _, err := range early {
		settled(err)
	}
	if len(early) == 0 {
		// Nothing outside an event can be waited for, so only what the turn has queued could still settle it.
		iso.Loop.Post(func() { settled(ErrUnresolved) })
	}
}

func (iso *Isolate) evaluate(settled func(error)) {
	fail := func(v goja.Value) { settled(iso.Exception(v)) }
	var result goja.Value
	if ex := iso.Realm.Try(func() {
		prg, err := iso.opts.Script.program()
		if err != nil {
			panic(iso.Runtime().NewGoError(err))
		}
		v, err := iso.Runtime().RunProgram(prg)
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		fn, ok := goja.AssertFunction(v)
		if !ok {
			panic(iso.Runtime().NewGoError(fmt.Errorf("worker: the bundle is no function but %s", v)))
		}
		args := iso.LoaderArguments()
		if p := iso.opts.Script.Bundle.Packages; p != nil {
			if err := iso.startPackages(p); err != nil {
				panic(iso.Realm.ErrorValue(err))
			}
			args = append(args, iso.packages.function())
		}
		result, err = fn(goja.Undefined(), args...)
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
	}); ex != nil {
		fail(ex)
		return
	}
	iso.Realm.Then(result, func(goja.Value) {
		if iso.exports == nil {
			settled(errNoExports)
			return
		}
		settled(nil)
	}, fail)
}

// startLimit is the CPU time that the top level may take: a second, as on the platform, or that of an event if it is
// more. 0 is no limit.
func (iso *Isolate) startLimit() time.Duration {
	if iso.opts.CPULimit == 0 {
		return 0
	}
	return max(iso.opts.CPULimit, time.Second)
}

// CPULimit is the CPU time of one event, 0 for no limit.
func (iso *Isolate) CPULimit() time.Duration { return iso.opts.CPULimit }
