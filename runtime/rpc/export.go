package rpc

import (
	"context"
	"sync/atomic"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
)

// export is the Client of an object or function of this isolate. Calls on it run in the scope that exported it, as
// part of the critical section it was exported in.
type export struct {
	kit     *Kit
	scope   *eventloop.Scope
	section any
	within  func(func()) // the async context of the export
	value   *goja.Object
	own     bool // its own properties are reachable
	refs    atomic.Int32
	held    func() // ends the hold on the context, nil if there is none
	hold    func() func()
}

// export makes a Client of obj, with one reference.
func (k *Kit) export(obj *goja.Object, own bool, hold func() func()) *export {
	e := &export{kit: k, scope: k.h.Scope(), section: k.h.Loop.Section(), within: k.h.Loop.Snapshot(), value: obj,
		own: own, hold: hold}
	if hold != nil {
		e.held = hold()
	}
	e.refs.Store(1)
	return e
}

// adopt lets an object of this isolate that is given away keep the context open in which it lives. hold may be nil.
func (k *Kit) adopt(c Client, hold func() func()) {
	if e, ok := c.(*export); ok && e.kit == k && e.hold == nil && hold != nil {
		e.hold, e.held = hold, hold()
	}
}

// hostGone is the failure of a call whose target's context has ended.
const hostGone = "The execution context which hosts this callback is no longer running."

// Send implements [Client].
func (e *export) Send(op *Op) {
	late := e.scope.Context().Err() != nil
	if !e.kit.h.Loop.Post(func() { e.serve(op, late) }) {
		op.Fail(Disconnected())
	}
}

// serve runs an op. If its context has ended, an op that was sent before that end fails with the reason of the end; an
// op that was sent later fails with hostGone.
func (e *export) serve(op *Op, late bool) {
	if e.scope.Closed() {
		if !late {
			op.Fail(FailureOf(context.Cause(e.scope.Context())))
			return
		}
		op.Fail(Fail(hostGone).With(func(f *RemoteError) { f.Remote = true }))
		return
	}
	// An op that waits at the input gate fails when the scope ends.
	st := e.kit.stateOf(e.scope)
	st.ops[op] = struct{}{}
	e.scope.EnterAs(e.section, func() {
		e.within(func() {
			c := &Callee{Kit: e.kit, Scope: e.scope, Value: e.value, Own: e.own, Hold: e.hold, Serving: e.hold,
				Track: true}
			c.Serve(op)
		})
	})
}

// Dup implements [Client].
func (e *export) Dup() Client {
	e.refs.Add(1)
	return e
}

// Release implements [Client].
func (e *export) Release() {
	if e.refs.Add(-1) == 0 {
		e.kit.h.Loop.Post(e.unreferenced)
	}
}

// unreferenced calls the target's disposer (RPC13).
func (e *export) unreferenced() {
	if e.held != nil {
		defer e.held()
	}
	if e.scope.Closed() {
		return
	}
	e.scope.EnterAs(e.section, func() {
		e.within(func() {
			e.kit.h.Guard(func() {
				if f, ok := goja.AssertFunction(e.value.GetSymbol(e.kit.dispose)); ok {
					if _, err := f(e.value); err != nil {
						panic(err)
					}
				}
			})
		})
	})
}

// Home implements [Client].
func (e *export) Home() *eventloop.Loop { return e.kit.h.Loop }
