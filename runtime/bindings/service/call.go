package service

import (
	"context"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/cause"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/journal"
	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// Send implements [rpc.Client]: each call is an invocation of its own.
func (t *target) Send(op *rpc.Op) {
	if t.late != nil {
		t.sendLate(op)
		return
	}
	t.sendNow(op)
}

func (t *target) sendNow(op *rpc.Op) {
	hops, err := op.Hops.Worker()
	if err != nil {
		op.Fail(rpc.Fail(err.Error()))
		return
	}
	iso, ok := t.isolate()
	o := t.options(hops)
	o.Where = op.Where
	if t.late != nil {
		o.Self = op.Self
	}
	if ok && t.lapsed(iso, op.Stored) {
		op.Fail(rpc.Lapsed())
		return
	}
	if !ok || !iso.Dispatch(context.Background(), &call{op, t}, o) {
		if t.dir == nil || t.own != nil || ok {
			op.Fail(t.notFound())
		} else if c := t.dir.Distant(t.worker, t.entrypoint, t.props); c != nil {
			c.Send(op)
		} else if t.dir.Elsewhere(t.worker) != nil {
			op.Fail(rpc.Fail(`Service "` + t.worker + `" is a function, which answers fetch() only.`).With(
				func(f *rpc.RemoteError) { f.Remote = true }))
		} else {
			op.Fail(t.notFound())
		}
	}
}

// Dup implements [rpc.Client].
func (t *target) Dup() rpc.Client { return t }

// Release implements [rpc.Client].
func (t *target) Release() {}

// Home implements [rpc.Client].
func (t *target) Home() *eventloop.Loop {
	if iso, ok := t.isolate(); ok {
		return iso.Loop
	}
	return nil
}

func (t *target) options(hops eventloop.Hops) worker.DispatchOptions {
	o := worker.DispatchOptions{Entrypoint: t.entrypoint, Hops: hops}
	if t.props != nil {
		if t.late == nil {
			o.Self = t.token()
		}
		o.Props = func(iso *worker.Isolate) goja.Value { return rpc.Of(iso.Host).DecodeProps(t.props) }
	}
	if t.env != nil {
		o.Env = func(iso *worker.Isolate) goja.Value { return rpc.Of(iso.Host).DecodeProps(t.env) }
	}
	if out := t.outbound; out != nil {
		to := &target{dir: t.dir, worker: out.Service, env: out.Env}
		o.Outbound = to.sender
	}
	return o
}

// call is one RPC call as an event.
type call struct {
	op *rpc.Op
	to *target
}

// String is what the call is called: Stock.take, or shop.take for the default entrypoint.
func (c *call) String() string {
	name := c.to.entrypoint
	if name == "" || name == "default" {
		name = c.to.worker
	}
	return name + "." + c.method()
}

// method is what is called.
func (c *call) method() string {
	if c.op.Again != rpc.AgainNothing {
		return "[restore]"
	}
	return strings.Join(c.op.Path, ".")
}

// Kind implements [worker.Event].
func (c *call) Kind() string { return "rpc" }

// Causes implements [worker.Recorder]: the caller's is in the hops.
func (c *call) Causes() []cause.Cause { return nil }

// Record implements [worker.Recorder].
func (c *call) Record(e *journal.Entry) {
	if e.RPCMethod = c.method(); c.op.Failed() && e.Outcome == "ok" {
		e.Outcome = "exception"
	}
}

// Onset implements [worker.Onsetter].
func (c *call) Onset(inv *worker.Invocation) string {
	if e := inv.Isolate.Recording(); e != nil {
		e.RPCMethod = c.method()
	}
	if c.op.Again != rpc.AgainNothing {
		return `{"type":"custom"}`
	}
	return `{"type":"jsrpc"}`
}

// Run implements [worker.Event]. The op keeps the invocation alive; the event itself is over at once.
func (c *call) Run(inv *worker.Invocation) goja.Value {
	iso := inv.Isolate
	v, ok := inv.Target().(*goja.Object)
	if !ok {
		c.op.Fail(missing(inv.Entrypoint))
		return nil
	}
	callee := &rpc.Callee{
		Kit: rpc.Of(iso.Host), Scope: inv.Scope, Value: v, Entrypoint: true,
		Hold: inv.HoldOpen, Serving: func() func() { inv.Hold(); return inv.Release },
	}
	if !iso.InstanceOfEntrypoint(v) {
		callee.Own = true
		callee.Handlers = &rpc.HandlerArguments{Env: iso.Env(), Ctx: inv.Context()}
	}
	if c.op.Extra && len(c.op.Path) == 1 && !c.op.Get {
		if extra := iso.ExtraTarget(c.op.Path[0], v, iso.Env(), inv.Context()); extra != nil {
			callee.Value, callee.Own, callee.Handlers = extra, true, nil
		}
	}
	if e := iso.Recording(); e != nil {
		callee.Called = func(args []goja.Value) { iso.NoteArguments(e, args) }
	}
	callee.Serve(c.op)
	return nil
}

func missing(entrypoint string) *rpc.RemoteError {
	if entrypoint == "" {
		entrypoint = "default"
	}
	return rpc.FailType("The Worker has no entrypoint \"" + entrypoint + "\".").With(
		func(f *rpc.RemoteError) { f.Remote = true })
}

// Settle implements [worker.Event]. A failure before the method was reached (in a constructor) fails the call.
func (c *call) Settle(inv *worker.Invocation, _, failure goja.Value) {
	if failure != nil {
		c.op.Fail(rpc.Of(inv.Isolate.Host).Thrown(failure))
	}
}

// Done implements [worker.Event].
func (c *call) Done(_ *worker.Invocation, err error) {
	if !c.op.Over() {
		// This is ctx.abort() or a limit, not something that the method threw.
		c.op.Fail(failureOf(err).With(func(f *rpc.RemoteError) { f.Remote = false }))
	}
}
