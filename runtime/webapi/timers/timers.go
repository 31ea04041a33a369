package timers

import (
	"math"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/events"
)

// scheduler is the state of the scheduler object.
type scheduler struct{}

// Install puts the timer functions on the isolate.
func Install(h *host.Host) {
	r := h.Realm
	g := r.Runtime().GlobalObject()
	function := func(name string, fn func(goja.FunctionCall) goja.Value) {
		if err := g.DefineDataProperty(
			name, r.Function(name, fn), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
			panic(err)
		}
	}
	function("setTimeout", func(fc goja.FunctionCall) goja.Value { return set(h, "setTimeout", false, fc) })
	function("setInterval", func(fc goja.FunctionCall) goja.Value { return set(h, "setInterval", true, fc) })
	for _, name := range []string{"clearTimeout", "clearInterval"} {
		function(name, func(fc goja.FunctionCall) goja.Value {
			forget(h, fc.Argument(0))
			return goja.Undefined()
		})
	}
	function("queueMicrotask", func(fc goja.FunctionCall) goja.Value {
		fn := callback(h, "queueMicrotask", fc)
		r.Then(goja.Undefined(), func(goja.Value) {
			if ex := r.Try(func() { invoke(fn, goja.Undefined()) }); ex != nil {
				events.ReportError(h, ex)
			}
		}, nil)
		return goja.Undefined()
	})
	class := r.Define(webidl.Spec{
		Name: "Scheduler",
		Members: []webidl.Member{
			webidl.Async("wait", func(_ *scheduler, c *webidl.Call) goja.Value { return wait(h, c) })},
	})
	h.LazyObject("scheduler", func() goja.Value { return class.Wrap(&scheduler{}) })
}

func callback(h *host.Host, name string, fc goja.FunctionCall) goja.Callable {
	fn, ok := goja.AssertFunction(fc.Argument(0))
	if !ok {
		h.Realm.ThrowType(
			"Failed to execute '%s' on 'ServiceWorkerGlobalScope': parameter 1 is not of type 'function'.", name)
	}
	return fn
}

func invoke(fn goja.Callable, this goja.Value, args ...goja.Value) {
	if _, err := fn(this, args...); err != nil {
		panic(err)
	}
}

func set(h *host.Host, name string, repeat bool, fc goja.FunctionCall) goja.Value {
	fn := callback(h, name, fc)
	var args []goja.Value
	if len(fc.Arguments) > 2 {
		args = append(args, fc.Arguments[2:]...)
	}
	d := events.Delay(fc.Argument(1))
	id := h.Scope().SetTimer(d, repeat, func() {
		h.Guard(func() { invoke(fn, h.Runtime().GlobalObject(), args...) })
	})
	return h.Runtime().ToValue(id)
}

// forget clears the timer of an identifier, and ignores any other value, as browsers do.
func forget(h *host.Host, v goja.Value) {
	s := h.Loop.Scope()
	if s == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return
	}
	if f := v.ToNumber().ToFloat(); f == math.Trunc(f) && f > 0 && f <= 1<<53 {
		s.ClearTimer(int64(f))
	}
}

// wait is scheduler.wait(ms, {signal}): an abort rejects with its reason and frees the timer.
func wait(h *host.Host, c *webidl.Call) goja.Value {
	d := events.Delay(c.Require(0, "number"))
	var signal *events.Signal
	if v := webidl.Option(c.Object(1, "WaitOptions"), "signal"); v != nil && !goja.IsNull(v) {
		var ok bool
		if signal, ok = events.SignalOf(h, v); !ok {
			c.ThrowType("Incorrect type for the 'signal' field on 'WaitOptions': the provided value is not of type " +
				"'AbortSignal'.")
		}
		if signal.Aborted() {
			reason := signal.Reason()
			if name, message, ok := h.Realm.DOMExceptionParts(reason); ok {
				// the abort came before the wait: the exception is a new one
				reason = h.Realm.DOMException(name, message)
			}
			return h.Realm.Rejected(reason)
		}
	}
	p, resolve, reject := h.Realm.NewPromise()
	scope := h.Scope()
	forget := func() {}
	id := scope.SetTimer(d, false, func() {
		forget()
		must(resolve(goja.Undefined()))
	})
	if signal != nil {
		forget = signal.OnAbort(func() {
			scope.ClearTimer(id)
			must(reject(signal.Reason()))
		})
	}
	return h.Runtime().ToValue(p)
}

// must ends the turn if settling a promise has failed, which only an interrupt can bring about.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
