package nodecompat

import (
	"slices"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/nodecompat/bridge"
	"eddy/runtime/webapi/clone"
)

type envKey struct{}

// InstallGlobals defines what nodejs_compat adds to the global object: Buffer, process, global, setImmediate and
// clearImmediate, all made on first use; with enable_nodejs_global_timers also the timer functions that give Timeout
// objects. env gives the object whose text entries process.env starts from; it is asked on first use of process.env.
func InstallGlobals(h *host.Host, enabled func(flag string) bool, env func() goja.Value) {
	h.SetValue(envKey{}, env)
	if !enabled("nodejs_compat_v2") { // before it the modules can be imported, and that is all
		return
	}
	member := func(module, name string) func() goja.Value {
		return func() goja.Value {
			v, err := of(h).require(module)
			if err != nil {
				panic(h.Realm.ErrorValue(err))
			}
			if name == "" {
				return v
			}
			return bridge.Given(v.ToObject(h.Runtime()).Get(name))
		}
	}
	h.LazyObject("Buffer", member("buffer", "Buffer"))
	h.LazyObject("process", member("process", ""))
	h.Lazy("setImmediate", member("timers", "setImmediate"))
	h.Lazy("clearImmediate", member("timers", "clearImmediate"))
	h.LazyObject("global", func() goja.Value { return h.Runtime().GlobalObject() })
	if enabled("enable_nodejs_global_timers") {
		plain := h.Runtime().NewObject()
		for _, name := range []string{"setTimeout", "setInterval", "clearTimeout", "clearInterval"} {
			_ = plain.Set(name, h.Runtime().Get(name))
			h.Lazy(name, member("timers", name))
		}
		h.SetValue(plainTimersKey{}, plain)
	}
}

type plainTimersKey struct{}

// node:timers builds on the platform's own timer functions.
var _ = register("timers", func(h *host.Host) goja.Value {
	if o, ok := h.Value(plainTimersKey{}).(*goja.Object); ok {
		return o
	}
	o := h.Runtime().NewObject()
	for _, name := range []string{"setTimeout", "setInterval", "clearTimeout", "clearInterval"} {
		_ = o.Set(name, h.Runtime().Get(name))
	}
	return o
})

// process.env starts from these bindings.
var _ = register("env", func(h *host.Host) goja.Value {
	if env, ok := h.Value(envKey{}).(func() goja.Value); ok && env != nil {
		if v := env(); v != nil {
			return v
		}
	}
	return h.Runtime().NewObject()
})

// populateEnv tells whether process.env shows variables and secrets.
var _ = register("populateEnv", func(h *host.Host) goja.Value {
	return h.Runtime().ToValue(h.Enabled("nodejs_compat_populate_process_env"))
})

// nodeVersion24 tells whether process.version is that of Node 24.
var _ = register("nodeVersion24", func(h *host.Host) goja.Value {
	return h.Runtime().ToValue(h.Enabled("nodejs_process_version_24"))
})

// processV2 tells whether process is the platform's own; before, wrangler put unenv's in its place.
var _ = register("processV2", func(h *host.Host) goja.Value {
	return h.Runtime().ToValue(h.Enabled("enable_nodejs_process_v2") && h.Enabled("fetch_iterable_type_support"))
})

// builtin(name) is a module by its name with or without "node:", undefined if there is none: process.getBuiltinModule.
var _ = register("builtin", func(h *host.Host) goja.Value {
	return h.Realm.Function("builtin", func(fc goja.FunctionCall) goja.Value {
		name := strings.TrimPrefix(fc.Argument(0).String(), "node:")
		if !slices.Contains(allNames(), "node:"+name) {
			return goja.Undefined()
		}
		v, err := of(h).require(name)
		if err != nil {
			panic(h.Realm.ErrorValue(err))
		}
		return v
	})
})

// builtinNames() lists the specifiers of all modules.
var _ = register("builtinNames", func(h *host.Host) goja.Value {
	return h.Realm.Function("builtinNames", func(goja.FunctionCall) goja.Value {
		names := make([]any, 0, 64)
		for _, n := range allNames() {
			names = append(names, n)
		}
		return h.Runtime().NewArray(names...)
	})
})

// serialize and deserialize are structured clone to bytes and back, for node:v8.
var _ = register("serialize", func(h *host.Host) goja.Value {
	return h.Realm.Function("serialize", func(fc goja.FunctionCall) goja.Value {
		return h.Realm.ArrayBuffer(clone.Encode(h, fc.Argument(0)))
	})
})

var _ = register("deserialize", func(h *host.Host) goja.Value {
	return h.Realm.Function("deserialize", func(fc goja.FunctionCall) goja.Value {
		return clone.Decode(h, bridge.CopyBytes(h, fc.Argument(0)))
	})
})
