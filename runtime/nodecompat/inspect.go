package nodecompat

import (
	"github.com/dop251/goja"

	"eddy/runtime/webapi/console"
	"eddy/runtime/webapi/host"
)

// The inspector behind util.inspect and assertion messages.
var _ = register("inspect", func(h *host.Host) goja.Value {
	return h.Realm.Function("inspect", func(fc goja.FunctionCall) goja.Value {
		o := console.Defaults()
		if opts, ok := fc.Argument(1).(*goja.Object); ok {
			o = console.OptionsFrom(opts)
		}
		return h.Runtime().ToValue(console.Inspect(h, fc.Argument(0), o))
	})
})
