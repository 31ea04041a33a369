package rpc

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
)

// resident is the Client of an object that stands in for a Worker of the platform's own. It lives in the isolate that
// calls it: each op runs at once, in the scope that sends it.
type resident struct {
	kit   *Kit
	value *goja.Object
}

// Resident makes a Client of target, whose class has the methods that a stub of it offers. The reference serves some
// bindings with Workers of its own, so scripts see service stubs; here Go functions of the same isolate answer. The
// stub stays in its isolate: it can be neither stored nor sent.
func (k *Kit) Resident(target *goja.Object) Client { return resident{k, target} }

// Send implements [Client].
func (r resident) Send(op *Op) {
	c := &Callee{Kit: r.kit, Scope: r.kit.h.Scope(), Value: r.value, Entrypoint: true, Track: true}
	c.Serve(op)
}

// Dup implements [Client].
func (r resident) Dup() Client { return r }

// Release implements [Client].
func (r resident) Release() {}

// Home implements [Client].
func (r resident) Home() *eventloop.Loop { return r.kit.h.Loop }
