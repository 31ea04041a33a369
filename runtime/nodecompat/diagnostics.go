package nodecompat

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
)

// This tells tail Workers of a message on a diagnostics channel.
var _ = register("published", func(h *host.Host) goja.Value {
	return h.Realm.Function("published", func(fc goja.FunctionCall) goja.Value {
		h.Publish(fc.Argument(0).String(), fc.Argument(1))
		return goja.Undefined()
	})
})
