package nodecompat

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/console"
)

// The inspector is behind util.inspect and the messages of assertions: inspect(value, options, function for custom
// inspections).
var _ = register("inspect", func(h *host.Host) goja.Value {
	return h.Realm.Function("inspect", func(fc goja.FunctionCall) goja.Value {
		return h.Runtime().ToValue(console.Inspect(h, fc.Argument(0), inspectOptions(fc.Argument(1), fc.Argument(2))))
	})
})

// format(options, args) is util.formatWithOptions.
var _ = register("format", func(h *host.Host) goja.Value {
	return h.Realm.Function("format", func(fc goja.FunctionCall) goja.Value {
		list := fc.Argument(1).ToObject(h.Runtime())
		args := make([]goja.Value, 0, 4)
		h.Runtime().ForOf(list, func(v goja.Value) bool {
			args = append(args, v)
			return true
		})
		return h.Runtime().ToValue(console.Format(h, args, inspectOptions(fc.Argument(0), fc.Argument(2))))
	})
})

func inspectOptions(v, function goja.Value) console.Options {
	o := console.Defaults()
	if obj, ok := v.(*goja.Object); ok {
		o = console.OptionsFrom(obj)
	}
	if !goja.IsUndefined(function) {
		o.Function = function
	}
	return o
}

// kind(value) is the class of an object that no script can fake: "Proxy", "Promise", "Error", "RegExp" …; "" for what
// is no object.
var _ = register("kind", func(h *host.Host) goja.Value {
	return h.Realm.Function("kind", func(fc goja.FunctionCall) goja.Value {
		obj, ok := fc.Argument(0).(*goja.Object)
		if !ok {
			return h.Runtime().ToValue("")
		}
		switch obj.ExportType() {
		case gojainternals.ProxyType:
			return h.Runtime().ToValue("Proxy")
		case gojainternals.PromiseType:
			return h.Runtime().ToValue("Promise")
		}
		return h.Runtime().ToValue(obj.ClassName())
	})
})

// proxyDetails(value) is [target, handler], undefined for what is no proxy.
var _ = register("proxyDetails", func(h *host.Host) goja.Value {
	return h.Realm.Function("proxyDetails", func(fc goja.FunctionCall) goja.Value {
		obj, ok := fc.Argument(0).(*goja.Object)
		if !ok || obj.ExportType() != gojainternals.ProxyType {
			return goja.Undefined()
		}
		p := obj.Export().(goja.Proxy)
		return h.Runtime().NewArray(p.Target(), p.Handler())
	})
})
