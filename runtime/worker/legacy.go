package worker

import (
	"github.com/dop251/goja"

	"eddy/runtime/bundle"
	"eddy/runtime/eventloop"
	"eddy/runtime/webapi/events"
)

// unhandled sends the unhandledrejection event.
func (iso *Isolate) unhandled(r eventloop.Rejection) {
	events.UnhandledRejection(iso.Host, iso.Runtime().ToValue(r.Promise), r.Promise.Result())
}

// IsServiceWorker tells whether the script has the service-worker format (addEventListener instead of exports).
func (iso *Isolate) IsServiceWorker() bool {
	return iso.opts.Script.Bundle != nil && iso.opts.Script.Bundle.Format == bundle.FormatServiceWorker
}

// legacyEvent is the state of an event of the service-worker format that has more than waitUntil.
type legacyEvent struct {
	inv      *Invocation
	response goja.Value
}

// dispatchLegacy sends an event to the listeners of a service-worker script. handled is false if the script is no
// service worker or nobody listens. For fetch the result is what respondWith was given.
func (iso *Isolate) dispatchLegacy(inv *Invocation, typ string, payload any) (result goja.Value, handled bool) {
	if !iso.IsServiceWorker() || !events.Global(iso.Host).Has(typ) {
		return nil, false
	}
	ev := &legacyEvent{inv: inv}
	obj := events.New(iso.Host, typ)
	own := func(name string, v goja.Value) {
		_ = obj.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	own("waitUntil", iso.Realm.Function("waitUntil", func(fc goja.FunctionCall) goja.Value {
		inv.WaitUntil(fc.Argument(0))
		return goja.Undefined()
	}))
	switch p := payload.(type) {
	case goja.Value:
		own("request", p)
		own("respondWith", iso.Realm.Function("respondWith", func(fc goja.FunctionCall) goja.Value {
			if ev.response != nil {
				iso.Realm.ThrowDOM("InvalidStateError", "FetchEvent.respondWith() has already been called; it can only be called once.")
			}
			ev.response = fc.Argument(0)
			return goja.Undefined()
		}))
		own("passThroughOnException", iso.Realm.Function("passThroughOnException", func(goja.FunctionCall) goja.Value { return goja.Undefined() }))
	case *Scheduled:
		own("scheduledTime", iso.Runtime().ToValue(p.Time.UnixMilli()))
		own("cron", iso.Runtime().ToValue(p.Cron))
	case map[string]goja.Value:
		for name, v := range p {
			own(name, v)
		}
	}
	events.Fire(iso.Host, iso.Runtime().GlobalObject(), obj)
	return ev.response, true
}

// DispatchLegacy is for events of packages above (queue): properties are put on the event object.
func (inv *Invocation) DispatchLegacy(typ string, properties map[string]goja.Value) (handled bool) {
	_, handled = inv.Isolate.dispatchLegacy(inv, typ, properties)
	return handled
}
