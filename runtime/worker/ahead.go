package worker

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/bundle"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
)

// Ahead is an isolate in which packages have run ahead of the user's files that import them: those that come before all
// else in the order of modules. What is left of the start is the user's script, which may be one that is built later.
// One goroutine uses it, and calls Start or Close in the end.
type Ahead struct {
	iso      *Isolate
	packages *bundle.Packages
	units    int           // have run
	used     time.Duration // processor time that they took
	told     atomic.Bool   // what ran has said something that a person should hear when a Worker starts
	released atomic.Bool
}

// ErrNotAhead says that packages can't run before the user's script is there, since somebody would notice: they have
// thrown, written to the console, or left something to be done behind the user's script.
var ErrNotAhead = errors.New("worker: these packages can't run ahead of the user's script")

// StartAhead makes an isolate and runs the packages of o.Script's bundle that come first. There must be some, see
// [bundle.Bundle.Leading]. Nothing of the bundle's own script runs.
func StartAhead(ctx context.Context, o Options) (*Ahead, error) {
	b := o.Script.Bundle
	a := &Ahead{packages: b.Packages, units: b.Leading}
	a.listen(&o)
	a.iso = newIsolate(o)
	if _, err := a.iso.launch(ctx, func(ended func(error)) {
		if err := a.iso.install(); err != nil {
			ended(err)
			return
		}
		a.run(ended)
	}); err != nil {
		return nil, err
	}
	if a.told.Load() { // at the end of the turn
		a.Close()
		return nil, ErrNotAhead
	}
	return a, nil
}

// listen notes what the isolate says before it is released, in the place of telling anybody.
func (a *Ahead) listen(o *Options) {
	heard := func() bool {
		if a.released.Load() {
			return true
		}
		a.told.Store(true)
		return false
	}
	logs, uncaught, rejected, notice, lost := o.Log, o.Uncaught, o.Rejected, o.Notice, o.Lost
	o.Log = func(line host.ConsoleLine) {
		if heard() && logs != nil {
			logs(line)
		}
	}
	o.Uncaught = func(scope *eventloop.Scope, ex *Exception) {
		if heard() && uncaught != nil {
			uncaught(scope, ex)
		}
	}
	o.Rejected = func(ex *Exception) {
		if heard() && rejected != nil {
			rejected(ex)
		}
	}
	o.Notice = func(text string) {
		if heard() && notice != nil {
			notice(text)
		}
	}
	o.Lost = func(err error) {
		if heard() && lost != nil {
			lost(err)
		}
	}
}

// run runs the packages. ended is called when the turn is over. Loop goroutine.
func (a *Ahead) run(ended func(error)) {
	iso := a.iso
	err := ErrNotAhead
	units := iso.Realm.Function("packages", func(goja.FunctionCall) goja.Value {
		if failed := iso.startPackages(a.packages); failed != nil {
			panic(iso.Realm.ErrorValue(failed))
		}
		if _, failed := iso.packages.unit(a.units - 1); failed != nil {
			panic(iso.Realm.ErrorValue(failed))
		}
		if !iso.Loop.HasMicrotasks() { // else they would run before the user's script
			err = nil
		}
		return goja.Undefined()
	})
	var over bool
	over, a.used = iso.Loop.Measured(iso.startLimit(), func() {
		// A script calls, so that microtasks wait.
		if _, failed := iso.Internal("cloudflare-internal:ahead", "(run) => run()", units); failed != nil {
			err = ErrNotAhead
		}
	}, nil)
	if over {
		err = ErrNotAhead
	}
	iso.Loop.Post(func() { ended(err) })
}

// Fits tells whether a bundle's script may go on where this isolate is.
func (a *Ahead) Fits(b *bundle.Bundle) bool {
	return b.Packages == a.packages && b.Leading >= a.units && !a.told.Load()
}

// Start goes on with the user's script, whose bundle fits, as [Start] does.
func (a *Ahead) Start(ctx context.Context, s *Script) (*Worker, error) {
	return a.iso.launch(ctx, func(ended func(error)) {
		a.released.Store(true)
		a.iso.opts.Script = s
		limit := a.iso.startLimit()
		if limit > 0 {
			limit = max(limit-a.used, time.Millisecond)
		}
		a.iso.start(limit, ended)
	})
}

// Close gives the isolate up.
func (a *Ahead) Close() {
	a.iso.Loop.Cut()
	a.iso.Loop.Stop()
}
