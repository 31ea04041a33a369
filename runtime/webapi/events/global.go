package events

import (
	"errors"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// globalTarget is the state of globalThis.
type globalTarget struct{ Target }

// Global is the global object as an event target.
func Global(h *host.Host) *Target { return &of(h).global.Target }

// installGlobal makes globalThis an EventTarget. Its methods may be called without a receiver.
func installGlobal(h *host.Host, k *classes) {
	r := h.Realm
	g := r.Runtime().GlobalObject()
	k.global = &globalTarget{}
	worker := r.Define(webidl.Spec{Name: "WorkerGlobalScope", Parent: k.target})
	service := r.Define(webidl.Spec{Name: "ServiceWorkerGlobalScope", Parent: worker})
	for _, i := range []*webidl.Interface{worker, service} {
		i.Install()
	}
	// goja's global object has a tag of its own; the platform's inherits it.
	if err := errors.Join(g.DeleteSymbol(goja.SymToStringTag), g.SetPrototype(service.Prototype)); err != nil {
		panic(err)
	}
	r.SetState(g, k.global)
	for _, name := range []string{"addEventListener", "removeEventListener", "dispatchEvent"} {
		method, _ := goja.AssertFunction(k.target.Prototype.Get(name))
		define(worker.Prototype, name, r.Function(name, func(fc goja.FunctionCall) goja.Value {
			this := fc.This
			if goja.IsUndefined(this) || goja.IsNull(this) {
				this = g
			}
			v, err := method(this, fc.Arguments...)
			if err != nil {
				panic(err)
			}
			return v
		}))
	}
	define(service.Prototype, "reportError", r.Function("reportError", func(fc goja.FunctionCall) goja.Value {
		if len(fc.Arguments) == 0 {
			r.ThrowType("Failed to execute 'reportError' on 'ServiceWorkerGlobalScope': parameter 1 is not of type " +
				"'Value'.")
		}
		ReportError(h, fc.Argument(0))
		return goja.Undefined()
	}))
}

func define(o *goja.Object, name string, v goja.Value) {
	if err := o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
		panic(err)
	}
}

// ReportError fires an error event for v at the global object and, unless a listener prevents it, hands v to the
// isolate's error handler. What a listener throws is handed there too.
func ReportError(h *host.Host, v goja.Value) {
	ev := of(h).failure.Wrap(
		&ErrorEvent{EventObject: EventObject{Type: "error", Trusted: true, Cancelable: true}, Message: uncaughtText(v),
			Error: v})
	h.Guard(func() {
		if Dispatch(h, h.Runtime().GlobalObject(), ev) {
			h.Report(v)
		}
	})
}

// uncaughtText is the message of the error event, as V8 words it.
func uncaughtText(v goja.Value) string {
	if sym, ok := v.(*goja.Symbol); ok {
		return "Uncaught " + sym.String()
	}
	return "Uncaught " + v.String()
}

// UnhandledRejection fires unhandledrejection at the global object and tells whether a listener prevented the default,
// which is to log the reason. The caller has made the scope current in which the promise was rejected.
func UnhandledRejection(h *host.Host, promise, reason goja.Value) (prevented bool) {
	k := of(h)
	if k.global.Count("unhandledrejection") == 0 && h.Runtime().GlobalObject().Get("onunhandledrejection") == nil {
		return false
	}
	ev := k.rejection.Wrap(
		&RejectionEvent{
			EventObject: EventObject{Type: "unhandledrejection", Trusted: true, Cancelable: true}, Promise: promise,
			Reason: reason})
	h.Guard(func() { prevented = !Dispatch(h, h.Runtime().GlobalObject(), ev) })
	return prevented
}
