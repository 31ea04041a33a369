package worker

import (
	"github.com/dop251/goja"

	"eddy/runtime/bundle"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/webapi/events"
)

// unhandled sends the unhandledrejection event, and calls Options.Rejected unless a listener cancelled the event.
func (iso *Isolate) unhandled(r eventloop.Rejection) {
	if !events.UnhandledRejection(iso.Host, iso.Runtime().ToValue(r.Promise), r.Promise.Result()) &&
		iso.opts.Rejected != nil {
		iso.opts.Rejected(iso.Exception(r.Promise.Result()))
	}
}

// IsServiceWorker tells whether the script has the service-worker format (addEventListener instead of exports).
func (iso *Isolate) IsServiceWorker() bool {
	return iso.opts.Script.Bundle != nil && iso.opts.Script.Bundle.Format == bundle.FormatServiceWorker
}

// dispatchLegacy sends an event to the listeners of a service-worker script. handled is false if the script does not
// have that format or nobody listens. For fetch, result is the argument of respondWith.
func (iso *Isolate) dispatchLegacy(inv *Invocation, typ string, payload any) (result goja.Value, handled bool) {
	if !iso.IsServiceWorker() || !events.Global(iso.Host).Has(typ) {
		return nil, false
	}
	base := events.ExtendableEvent{WaitUntil: inv.WaitUntil}
	var obj *goja.Object
	switch p := payload.(type) {
	case goja.Value:
		obj = events.NewFetch(
			iso.Host, events.FetchEvent{
				ExtendableEvent: base, Request: p, RespondWith: func(v goja.Value) { result = v }})
	case *Scheduled:
		obj = events.NewScheduled(
			iso.Host, events.ScheduledEvent{ExtendableEvent: base, ScheduledTime: p.Time.UnixMilli(), Cron: p.Cron,
				NoRetry: func() { p.noRetry = true }})
	case map[string]goja.Value:
		obj = events.NewHandled(iso.Host, typ, base)
		for name, v := range p {
			enumerable := goja.FLAG_TRUE
			if _, method := goja.AssertFunction(v); method {
				enumerable = goja.FLAG_FALSE
			}
			_ = obj.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_TRUE, enumerable)
		}
	}
	events.Deliver(iso.Host, iso.Runtime().GlobalObject(), obj) // what a listener throws fails the event
	return result, true
}

// DispatchLegacy is for events of packages above (queue): properties are put on the event object.
func (inv *Invocation) DispatchLegacy(typ string, properties map[string]goja.Value) (handled bool) {
	_, handled = inv.Isolate.dispatchLegacy(inv, typ, properties)
	return handled
}
