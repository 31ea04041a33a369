package worker

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
)

// defineContext makes the ExecutionContext class (RT3, C-7): its methods on the prototype,
// own properties tracing, cache, props and exports.
func defineContext(iso *Isolate) *webidl.Interface {
	members := []webidl.Member{
		webidl.Method("waitUntil", func(inv *Invocation, c *webidl.Call) goja.Value {
			inv.WaitUntil(c.Require(0, "Promise"))
			return nil
		}),
		// Access is Cloudflare's identity-aware proxy: there is none in front of a local Worker.
		webidl.Getter("access", func(*Invocation, *webidl.Call) goja.Value { return nil }),
		webidl.Method("abort", func(inv *Invocation, c *webidl.Call) goja.Value {
			inv.abort(c.Arg(0))
			return nil
		}),
		// Has no effect locally: there is no origin behind the Worker to pass through to (RT3).
		webidl.Method("passThroughOnException", func(*Invocation, *webidl.Call) goja.Value { return nil }),
	}
	if iso.Flags.Enabled(rpc.StoreFlag) {
		members = append(members, webidl.Async("restore", (*Invocation).restore))
	}
	return iso.Realm.Define(webidl.Spec{Name: "ExecutionContext", Members: members})
}

// restore is ctx.restore(): a stub that this entrypoint can make again (BIND-161).
func (inv *Invocation) restore(c *webidl.Call) goja.Value {
	params, ok := c.Arg(0).(*goja.Object)
	if !ok {
		c.ThrowNotOfType(0, "Object")
	}
	return rpc.Of(inv.Isolate.Host).Restore(inv.handledBy(), params, inv.self, inv.HoldOpen)
}

// handledBy is the object whose method handles the invocation.
func (inv *Invocation) handledBy() goja.Value {
	if inv.instance != nil {
		return inv.instance
	}
	return inv.Target()
}

// self is the token by which the invocation's entrypoint can be called again, nil if it has none.
func (inv *Invocation) self() *rpc.Token {
	iso := inv.Isolate
	if iso.opts.Dynamic {
		return inv.caller
	}
	t := rpc.Token{Worker: iso.Name, Entrypoint: inv.Entrypoint}
	if inv.caller != nil {
		t = *inv.caller
	}
	t.Lasting = iso.Flags.Enabled(rpc.StoreFlag)
	return &t
}

// abort is ctx.abort(). The caller gets the reason, and no script can catch it.
func (inv *Invocation) abort(reason goja.Value) {
	iso := inv.Isolate
	if reason == nil || goja.IsUndefined(reason) {
		reason = iso.Realm.NewError("Error", "Worker execution was aborted due to call to ctx.abort().")
	}
	ex := iso.Exception(reason)
	ex.Failure = rpc.Of(iso.Host).Thrown(reason)
	running := iso.Loop.Scope() == inv.Scope
	inv.Abort(ex)
	if running {
		iso.Loop.Interrupt(ex.Message)
		// Thrown here and now: a script that ended before it met the interrupt would leave it to the next.
		panic(new(goja.InterruptedError))
	}
}

// newContext makes the context of an invocation, of which most handlers use nothing: it is filled at the first use.
func (iso *Isolate) newContext(inv *Invocation) *goja.Object {
	return iso.contextClass.WrapLater(func(_ int, obj *goja.Object) { iso.fillContext(inv, obj) })
}

func (iso *Isolate) fillContext(inv *Invocation, obj *goja.Object) {
	iso.Realm.SetState(obj, inv)
	props := inv.Props
	if props == nil {
		props = iso.Runtime().NewObject()
	}
	own := func(name string, v goja.Value) {
		_ = obj.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	own("tracing", iso.ctxTracing())
	if iso.opts.Access != nil {
		own("access", iso.accessContext(inv))
	}
	own("cache", iso.cacheContext(func() string { return inv.Entrypoint }))
	own("props", props)
	if iso.Flags.Enabled("enable_ctx_exports") {
		own("exports", iso.CtxExports())
	}
}

// ContextPrototype is the prototype of every ExecutionContext, for packages that add to it.
func (iso *Isolate) ContextPrototype() *goja.Object { return iso.contextClass.Prototype }
