package objectjs

import (
	"strings"
	"sync"

	"github.com/dop251/goja"

	"eddy/durableobject"
	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
)

// client is what a stub points at. Any goroutine.
type client struct {
	ns    *namespace
	id    durableobject.ID
	name  string
	named bool
	// stored is as in [rpc.Token].
	stored bool
	// forwarded says that another session's calls come through it.
	forwarded bool
	// conn is shared by duplicates of one stub.
	conn *connection
}

// connection remembers which instance a stub has reached: when that one is reset, the stub is broken for good (RPC18).
// inst is used on the loop of the namespace's present home only.
type connection struct {
	inst *instance
	// away is the way to an object of another session, from any goroutine.
	away struct {
		sync.Mutex
		client Distant // nil while there is none
	}
}

// Send implements [rpc.Client].
func (c *client) Send(op *rpc.Op) {
	what := strings.Join(op.Path, ".")
	if op.Again != rpc.AgainNothing {
		what = "[restore]"
	}
	if !c.arrive("."+what, op.Where, func(h *home) {
		if h == nil || h.closed {
			op.Fail(c.ns.absent())
			return
		}
		h.call(c, op)
	}) {
		if away := c.away(); away != nil {
			away.Send(op)
			return
		}
		op.Fail(c.ns.notFound())
	}
}

// arrive is post for an event: where the order of arrivals is free, those of one stub keep theirs.
func (c *client) arrive(what string, where clock.Origin, fn func(*home)) bool {
	loop := c.ns.loop()
	if c.ns.objs.opts.Cluster != nil || loop == nil || !clock.Exploring(loop.Clock()) {
		return c.ns.bring(c.id, fn)
	}
	release := loop.Clock().Hold("an event for an object")
	title := c.name
	if title == "" {
		title = c.id.String()
	}
	name := c.ns.class.Name + " " + title + what
	step := &clock.Step{Kind: "arrival", Name: name, Where: where, Chain: c.conn, Do: func() {
		if !c.ns.post(func(h *home) { defer release(); fn(h) }) {
			release()
			fn(nil)
		}
	}, Fail: func() {
		release()
		fn(nil)
	}}
	if clock.Offer(loop.Clock(), step) {
		return true
	}
	release()
	return c.ns.post(fn)
}

// Dup implements [rpc.Client].
func (c *client) Dup() rpc.Client { return c }

// Release implements [rpc.Client]: stubs do not keep objects alive.
func (c *client) Release() {}

// Home implements [rpc.Client].
func (c *client) Home() *eventloop.Loop {
	if c.ns.objs.opts.Cluster != nil {
		return nil // the object may go to another node before the call is sent
	}
	return c.ns.loop()
}

// reach finds the instance for a stub. What the constructor threw is the callee's error for the request that caused
// it; later the stub itself is what fails (CL4).
func (h *home) reach(c *client) (*instance, *rpc.RemoteError) {
	if last := c.conn.inst; last != nil && last.failure != nil {
		return nil, local(last.failure)
	}
	inst, failure := h.instance(c.id, c.name, c.named)
	if failure != nil {
		// A constructor that threw breaks this stub, too (CL4).
		c.conn.inst = &instance{failure: failure}
		return nil, failure
	}
	c.conn.inst = inst
	return inst, nil
}

// local marks a failure as one of the caller's side.
func local(f *rpc.RemoteError) *rpc.RemoteError {
	return f.With(func(f *rpc.RemoteError) { f.Remote = false })
}

// errNoRPC is the failure of a call to a class that does not extend DurableObject (CL1).
var errNoRPC = rpc.FailType("The receiving Durable Object does not support RPC, because its class was not declared " +
	"with `extends DurableObject`. In order to enable RPC, make sure your class extends the special class " +
	"`DurableObject`, which can be imported from the module \"cloudflare:workers\".").With(func(f *rpc.RemoteError) {
	f.Remote = true
})

// call delivers an RPC op.
func (h *home) call(c *client, op *rpc.Op) {
	defer h.unstarted(func(f *rpc.RemoteError) { op.Fail(f) })
	hops, err := op.Hops.Object()
	if err != nil {
		op.Fail(rpc.Fail(err.Error()))
		return
	}
	if (c.stored || op.Stored) && !h.iso.Flags.Enabled(rpc.StoreFlag) {
		op.Fail(rpc.Lapsed())
		return
	}
	inst, failure := h.reach(c)
	if failure != nil {
		op.Fail(local(failure))
		return
	}
	var extra *goja.Object
	if op.Extra && len(op.Path) == 1 && !op.Get && inst.value != nil {
		extra = h.iso.ExtraTarget(op.Path[0], inst.value, goja.Undefined(), goja.Undefined())
	}
	if op.Self != nil {
		inst.caller = op.Self
	}
	if !inst.rpc && extra == nil && op.Again == rpc.AgainNothing && !h.iso.Flags.Enabled("js_rpc") {
		op.Fail(errNoRPC)
		return
	}
	inst.begin()
	callee := &rpc.Callee{
		Kit: h.kit.rpc, Scope: inst.scope, Value: inst.value, Entrypoint: true, Track: true, ObjectID: c.id.String(),
		Hold: func() func() { inst.begin(); return inst.end },
	}
	var recorded *recording
	// the time of the op counts from its arrival, whether it waits or not
	callee.Ended = func() {
		recorded.end(op.Failed())
		inst.end()
	}
	if extra != nil {
		callee.Value, callee.Own = extra, true
	}
	h.kit.rpc.Expect(inst.scope, op)
	inst.enter(call{op}, func() {
		if recorded = inst.recordCall(op, &hops); recorded != nil {
			callee.Called = func(args []goja.Value) { h.iso.NoteArguments(recorded.entry, args) }
		}
		h.iso.Loop.SetHops(hops)
		callee.Serve(op)
	})
}
