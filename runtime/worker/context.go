package worker

import (
	"github.com/dop251/goja"

	"eddy/runtime/webidl"
)

// defineContext makes the ExecutionContext class (RT3, C-7): waitUntil and passThroughOnException on the prototype,
// own properties tracing, cache, props and exports.
func defineContext(iso *Isolate) *webidl.Interface {
	return iso.Realm.Define(webidl.Spec{
		Name: "ExecutionContext",
		Members: []webidl.Member{
			webidl.Method("waitUntil", func(inv *Invocation, c *webidl.Call) goja.Value {
				inv.WaitUntil(c.Require(0, "Promise"))
				return nil
			}),
			// Access is Cloudflare's identity-aware proxy: there is none in front of a local Worker.
			webidl.Getter("access", func(*Invocation, *webidl.Call) goja.Value { return nil }),
			// Has no effect locally: there is no origin behind the Worker to pass through to (RT3).
			webidl.Method("passThroughOnException", func(*Invocation, *webidl.Call) goja.Value { return nil }),
		},
	})
}

func (iso *Isolate) newContext(inv *Invocation) *goja.Object {
	obj := iso.contextClass.Wrap(inv)
	props := inv.Props
	if props == nil {
		props = iso.Runtime().NewObject()
	}
	own := func(name string, v goja.Value) {
		_ = obj.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	own("tracing", goja.Undefined())
	own("cache", goja.Undefined())
	own("props", props)
	if iso.Flags.Enabled("enable_ctx_exports") {
		own("exports", iso.CtxExports())
	}
	return obj
}

// ContextPrototype is the prototype of every ExecutionContext, for packages that add to it.
func (iso *Isolate) ContextPrototype() *goja.Object { return iso.contextClass.Prototype }
