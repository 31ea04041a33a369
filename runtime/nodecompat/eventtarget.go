package nodecompat

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/events"
)

// This is events.getEventListeners for an EventTarget.
var _ = register("eventListeners", func(h *host.Host) goja.Value {
	return h.Realm.Function("eventListeners", func(fc goja.FunctionCall) goja.Value {
		var list []any
		if t, ok := webidl.StateOf[events.Targeter](h.Realm, fc.Argument(0)); ok {
			for _, v := range t.EventTarget().Values(fc.Argument(1).String()) {
				list = append(list, v)
			}
		}
		return h.Runtime().NewArray(list...)
	})
})
