package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/journal"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
)

// Invocation is one event in flight. Loop goroutine only.
type Invocation struct {
	Isolate *Isolate
	Scope   *eventloop.Scope
	Event   Event
	// Start is when the event was taken up, on the Worker's clock.
	Start time.Time
	// Entrypoint is the named export that handles the event; "" is the default export.
	Entrypoint string
	// Props are what the caller's binding passes to ctx.props; nil is an empty object.
	Props goja.Value

	scope    eventloop.Scope // what Scope is
	ctx, env *goja.Object
	outbound fetch.Transport // nil for the isolate's
	// instance is the object of the entrypoint's class, nil before it is made. caller is [DispatchOptions.Self].
	instance *goja.Object
	caller   *rpc.Token
	holds    int
	settled  bool
	failed   bool
	over     bool
	// waitsTold says that Options.Waits was called for it.
	waitsTold bool
	// trace is what tail consumers will get, nil if there are none. traced is the exception that was noted last.
	trace  *Trace
	traced goja.Value
	// entry is what the journal will get, nil without one.
	entry *journal.Entry
	// WaitFailures are the rejection values of waitUntil promises so far.
	WaitFailures []goja.Value
}

// DispatchOptions say which export handles an event and under what.
type DispatchOptions struct {
	Entrypoint string
	// Props makes ctx.props on the loop; nil means {}.
	Props func(iso *Isolate) goja.Value
	// Self is the token by which the entrypoint can be called again with the same Props (BIND-161); nil for the
	// default: without Props, in a Worker that can be named.
	Self *rpc.Token
	// Env makes an object whose properties env has for this event beside its own (BIND-120); nil means none.
	Env func(iso *Isolate) goja.Value
	// Outbound makes the way of what the event sends by fetch(); nil means the isolate's.
	Outbound func(iso *Isolate) fetch.Transport
	// Gate is the gate of the scope, nil for none.
	Gate eventloop.Gate
	// Hops counts the calls through which the event has come.
	Hops eventloop.Hops
	// Chain, if set, keeps the order of arrival of events that have the same one ([clock.Step]).
	Chain any
	// Where is the place in a script that sent the event, if one did.
	Where clock.Origin
	// Unlimited lifts the limit of CPU time: whoever sends the event bounds it otherwise. It can still be cut.
	Unlimited bool
	// Patient says that the event may take as long as it likes: nobody is told that it has no answer.
	Patient bool
}

// endless is longer than any event computes.
const endless = 1000 * time.Hour

// Dispatch sends an event. It returns at once; false means that the isolate has been stopped and nothing will be
// called. ctx bounds the invocation's scope: when it ends, so do its outgoing requests.
func (iso *Isolate) Dispatch(ctx context.Context, ev Event, o DispatchOptions) bool {
	return iso.dispatch(ctx, ev, &o)
}

// dispatch is Dispatch; what o points to is read later, and must not change.
func (iso *Isolate) dispatch(ctx context.Context, ev Event, o *DispatchOptions) bool {
	if iso.Aborted() {
		return false
	}
	release := iso.Loop.Clock().Hold(iso.arrival)
	if clock.Exploring(iso.Loop.Clock()) && clock.Offer(iso.Loop.Clock(), &clock.Step{
		Kind: "arrival", Name: name(ev), Where: o.Where, Chain: o.Chain,
		Do: func() { iso.arrive(ctx, ev, o, release) }}) {
		return true
	}
	return iso.arrive(ctx, ev, o, release)
}

// arrive posts an event, and lets the clock go on when it has begun.
func (iso *Isolate) arrive(ctx context.Context, ev Event, o *DispatchOptions, release func()) bool {
	posted := iso.Loop.Post(func() {
		defer release()
		iso.begin(ctx, ev, o)
	})
	if !posted {
		release()
	}
	return posted
}

// name is what an event is called.
func name(ev Event) string {
	if s, ok := ev.(fmt.Stringer); ok {
		return s.String()
	}
	return ev.Kind()
}

func (iso *Isolate) begin(ctx context.Context, ev Event, o *DispatchOptions) {
	var inv *Invocation
	if e, ok := ev.(*fetchEvent); ok && e.inv == nil {
		inv = &e.own
	} else {
		inv = &Invocation{}
	}
	inv.Isolate, inv.Event, inv.Start, inv.Entrypoint = iso, ev, iso.Loop.Clock().Now(), o.Entrypoint
	inv.holds, inv.caller, inv.waitsTold = 1, o.Self, o.Patient
	inv.Scope = &inv.scope
	iso.Loop.OpenScope(inv.Scope, ctx, inv, o.Gate)
	hops := o.Hops
	if iso.Aborted() {
		if _, waits := ev.(*fetchEvent); !waits { // a request finds the loop stopped, and another isolate takes it
			ev.Done(inv, eventloop.ErrStopped)
		}
		inv.Scope.Close(eventloop.ErrStopped)
		return
	}
	if iso.traced() {
		inv.trace = &Trace{}
		inv.beginEntry(&hops)
	}
	if limit := iso.opts.CPULimit; limit > 0 {
		if o.Unlimited {
			limit = endless
		}
		inv.Scope.LimitCPU(limit, func() { inv.Abort(iso.located(ErrCPULimit)) })
	}
	if o.Gate == nil {
		inv.Scope.OnStall(inv)
	}
	iso.live[inv] = struct{}{}
	iso.watchWaits()
	inv.Scope.RunFrom(hops, func() {
		var result, failure goja.Value
		iso.Realm.Turn(func() {
			failure = iso.Realm.Try(func() {
				inv.onset()
				if o.Props != nil {
					inv.Props = o.Props(iso)
				}
				inv.env = iso.env
				if o.Env != nil {
					inv.env = iso.envWith(o.Env(iso))
				}
				if o.Outbound != nil {
					inv.outbound = o.Outbound(iso)
				}
				result = ev.Run(inv)
			})
		})
		if failure != nil {
			inv.settle(nil, failure)
			return
		}
		if v, ok := iso.Realm.Fulfilled(result); ok { // and no microtask comes before
			iso.Realm.Turn(func() { inv.settle(v, nil) })
			return
		}
		if obj, ok := result.(*goja.Object); !ok || !thenable(obj) {
			inv.settle(result, nil)
			return
		}
		iso.Realm.Then(result, func(v goja.Value) { inv.settle(v, nil) }, func(v goja.Value) { inv.settle(nil, v) })
	})
}

// envWith is env with the properties of another object.
func (iso *Isolate) envWith(more goja.Value) *goja.Object {
	env := iso.Runtime().NewObject()
	for _, from := range []goja.Value{iso.env, more} {
		if o, ok := from.(*goja.Object); ok {
			for _, key := range o.Keys() {
				_ = env.DefineDataProperty(key, o.Get(key), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
			}
		}
	}
	return env
}

func thenable(obj *goja.Object) bool {
	then := obj.Get("then")
	_, ok := goja.AssertFunction(then)
	return ok
}

func (inv *Invocation) settle(v, failure goja.Value) {
	if inv.settled || inv.over {
		return
	}
	inv.settled = true
	if failure != nil {
		inv.failed = true
		inv.traceException(failure)
	}
	if v == nil && failure == nil {
		v = goja.Undefined()
	}
	// An error of Settle fails the event, too: the handler may have returned something of a wrong kind.
	if ex := inv.Isolate.Realm.Try(func() { inv.Event.Settle(inv, v, failure) }); ex != nil {
		if failure == nil {
			inv.failed = true
			inv.traceException(ex)
			inv.Event.Settle(inv, nil, ex)
		} else {
			inv.Isolate.Uncaught(ex)
		}
	}
	inv.Release()
}

// Hold keeps the invocation alive. Each Hold needs a Release of its own.
func (inv *Invocation) Hold() { inv.holds++ }

// HoldOpen holds the invocation for somebody outside the isolate, who may still call in, read or send. Meanwhile the
// invocation does not count as hung. release may be called once, on the loop.
func (inv *Invocation) HoldOpen() (release func()) {
	inv.Hold()
	shut := inv.Scope.Open()
	return func() {
		shut()
		inv.Release()
	}
}

// Release undoes one Hold; with the last one the invocation is over.
func (inv *Invocation) Release() {
	inv.holds--
	if inv.holds == 0 {
		inv.end(nil)
	}
}

// Abort ends the invocation for a reason: its scope is closed, and nothing of it runs any more.
func (inv *Invocation) Abort(reason error) { inv.end(reason) }

// Stalled ends an invocation that waits for something that can never happen. A fetch event is answered with the
// failure; the failure of other events is reported.
func (inv *Invocation) Stalled() {
	if s, ok := inv.Event.(eventloop.Stallable); ok {
		s.Stalled()
		return
	}
	if _, asked := inv.Event.(*fetchEvent); !asked && inv.Isolate.opts.Uncaught != nil {
		inv.Isolate.opts.Uncaught(
			inv.Scope, &Exception{Name: "Error", Message: ErrHung.Error(), Stack: "Error: " + ErrHung.Error()})
	}
	inv.Abort(ErrHung)
}

// Lost aborts the invocation because of what went wrong in a turn; see [eventloop.Scope].
func (inv *Invocation) Lost(reason error) { inv.end(reason) }

// Over tells whether the invocation has ended.
func (inv *Invocation) Over() bool { return inv.over }

func (inv *Invocation) end(err error) {
	if inv.over {
		return
	}
	inv.over = true
	delete(inv.Isolate.live, inv)
	inv.Event.Done(inv, err)
	inv.report(err)
	inv.Scope.Close(err)
	inv.Isolate.drained()
}

// WaitUntil extends the invocation until v, a promise or any value, has settled. A rejection is recorded in
// WaitFailures and reported.
func (inv *Invocation) WaitUntil(v goja.Value) {
	inv.Hold()
	inv.Isolate.Realm.Then(v, func(goja.Value) { inv.Release() }, func(reason goja.Value) {
		inv.WaitFailures = append(inv.WaitFailures, reason)
		inv.Isolate.Uncaught(reason)
		inv.Release()
	})
}

// Context is the ExecutionContext object of the invocation, made on first use.
func (inv *Invocation) Context() *goja.Object {
	if inv.ctx == nil {
		inv.ctx = inv.Isolate.newContext(inv)
	}
	return inv.ctx
}
