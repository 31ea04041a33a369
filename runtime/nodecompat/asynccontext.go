package nodecompat

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/nodecompat/bridge"
)

// These are the async variables of node:async_hooks. Their keys are JavaScript objects.
var _ = register("async", func(h *host.Host) goja.Value {
	invoke := func(fn goja.Value, this goja.Value, args []goja.Value) goja.Value {
		f, ok := goja.AssertFunction(fn)
		if !ok {
			bridge.ThrowCode(
				h, "TypeError", "ERR_INVALID_ARG_TYPE",
				`The "callback" argument must be of type function.`+received(fn))
		}
		return bridge.Call(f, this, args...)
	}
	rest := func(fc goja.FunctionCall, n int) []goja.Value {
		if len(fc.Arguments) <= n {
			return nil
		}
		return fc.Arguments[n:]
	}
	return bridge.Table(h, map[string]func(goja.FunctionCall) goja.Value{
		// get(key, otherwise)
		"get": func(fc goja.FunctionCall) goja.Value {
			if v := h.Loop.Variable(fc.Argument(0)); v != nil {
				return v
			}
			return fc.Argument(1)
		},
		// run(key, value, fn, ...args)
		"run": func(fc goja.FunctionCall) (res goja.Value) {
			h.Loop.WithVariable(
				fc.Argument(0), fc.Argument(1), func() { res = invoke(fc.Argument(2), goja.Undefined(), rest(fc, 3)) })
			return res
		},
		// exit(key, fn, ...args)
		"exit": func(fc goja.FunctionCall) (res goja.Value) {
			h.Loop.WithVariable(
				fc.Argument(0), nil, func() { res = invoke(fc.Argument(1), goja.Undefined(), rest(fc, 2)) })
			return res
		},
		"set": func(fc goja.FunctionCall) goja.Value {
			h.Loop.SetVariable(fc.Argument(0), fc.Argument(1))
			return goja.Undefined()
		},
		"unset": func(fc goja.FunctionCall) goja.Value {
			h.Loop.SetVariable(fc.Argument(0), nil)
			return goja.Undefined()
		},
		// snapshot() gives enter(fn, this, ...args)
		"snapshot": func(goja.FunctionCall) goja.Value {
			enter := h.Loop.Snapshot()
			return h.Realm.Function("enter", func(fc goja.FunctionCall) (res goja.Value) {
				enter(func() { res = invoke(fc.Argument(0), fc.Argument(1), rest(fc, 2)) })
				return res
			})
		},
	})
})
