package events

import (
	"fmt"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/v8text"
	"eddy/runtime/engine/webidl"
)

// Target is the state of an event target (https://dom.spec.whatwg.org/#interface-eventtarget). Its zero value has no
// listeners.
type Target struct {
	listeners []*listener
	warned    bool
	// Listening, if set, is called whenever a listener came or went.
	Listening func()
}

// Targeter is the state of any class derived from EventTarget.
type Targeter interface{ EventTarget() *Target }

// EventTarget implements [Targeter].
func (t *Target) EventTarget() *Target { return t }

// listener is one registration. Exactly one of value and native is set.
type listener struct {
	typ     string
	value   *goja.Object
	native  func(event *goja.Object)
	once    bool
	removed bool
}

// Count is the number of listeners for a type.
func (t *Target) Count(typ string) int {
	n := 0
	for _, l := range t.listeners {
		if l.typ == typ {
			n++
		}
	}
	return n
}

// Listen registers a Go listener; the function it returns removes it.
func (t *Target) Listen(typ string, fn func(event *goja.Object)) (remove func()) {
	l := &listener{typ: typ, native: fn}
	t.add(l)
	return func() { t.remove(l) }
}

func (t *Target) add(l *listener) {
	t.listeners = append(t.listeners, l)
	t.changed()
}

func (t *Target) remove(l *listener) {
	for i, x := range t.listeners {
		if x == l {
			l.removed = true
			t.listeners = append(t.listeners[:i:i], t.listeners[i+1:]...)
			t.changed()
			return
		}
	}
}

func (t *Target) clear() {
	for _, l := range t.listeners {
		l.removed = true
	}
	t.listeners = nil
	t.changed()
}

func (t *Target) changed() {
	if t.Listening != nil {
		t.Listening()
	}
}

func (t *Target) find(typ string, value *goja.Object) *listener {
	for _, l := range t.listeners {
		if l.typ == typ && l.value == value {
			return l
		}
	}
	return nil
}

// Dispatch fires event at target: the on<type> property of the object first, then the listeners in order. It reports
// whether the default action may go on. What a listener throws is thrown on, or reported under the flag
// spec_compliant_dispatch_exceptions.
func Dispatch(h *host.Host, target, event *goja.Object) bool {
	return dispatch(h, target, event, false)
}

// Deliver is Dispatch for what a Worker is for (fetch, scheduled): what a listener throws is always thrown on, because
// it fails the event.
func Deliver(h *host.Host, target, event *goja.Object) bool { return dispatch(h, target, event, true) }

func dispatch(h *host.Host, target, event *goja.Object, throws bool) bool {
	t, ok := webidl.StateOf[Targeter](h.Realm, target)
	if !ok {
		panic("events: Dispatch at something that is no EventTarget")
	}
	ev, ok := webidl.StateOf[Eventer](h.Realm, event)
	if !ok {
		panic("events: Dispatch of something that is no Event")
	}
	return t.EventTarget().dispatch(h, target, event, ev.BaseEvent(), throws)
}

// Fire is Dispatch for the runtime: what a listener throws goes to the isolate's error handler.
func Fire(h *host.Host, target, event *goja.Object) {
	h.Guard(func() { Dispatch(h, target, event) })
}

func (t *Target) dispatch(h *host.Host, target, event *goja.Object, e *EventObject, throws bool) bool {
	if e.dispatching {
		h.Realm.ThrowDOM("InvalidStateError", "The event is already being dispatched.")
	}
	e.dispatching, e.target, e.prevented = true, target, false
	defer func() { e.dispatching = false }()
	// The list is taken before the first call: listeners added meanwhile wait for the next event. The on<type> handler
	// is read first for the same reason.
	handler, hasHandler := goja.AssertFunction(target.Get("on" + e.Type))
	var calls []*listener
	for _, l := range t.listeners {
		if l.typ == e.Type {
			calls = append(calls, l)
		}
	}
	// Under the flag each listener is called, whatever the ones before it have thrown, as the standard says. What a
	// listener of the global error event throws is told without a further event.
	guard := func(f func()) { f() }
	if h.Flag != nil && !throws && h.Enabled("spec_compliant_dispatch_exceptions") {
		guard = func(f func()) {
			if ex := h.Realm.Try(f); ex != nil && e.Type == "error" && target == h.Runtime().GlobalObject() {
				h.Report(ex)
			} else if ex != nil {
				ReportError(h, ex)
			}
		}
	}
	if hasHandler && !e.stopped {
		guard(func() { t.result(h, e, call(h, handler, target, event)) })
	}
	for _, l := range calls {
		if e.stopped {
			break
		}
		if l.removed {
			continue
		}
		if l.once {
			t.remove(l)
		}
		if l.native != nil {
			l.native(event)
			continue
		}
		guard(func() { t.result(h, e, l.call(h, target, event)) })
	}
	return !e.prevented
}

func (l *listener) call(h *host.Host, target, event *goja.Object) goja.Value {
	if f, ok := goja.AssertFunction(l.value); ok {
		return call(h, f, target, event)
	}
	f, ok := goja.AssertFunction(l.value.Get("handleEvent"))
	if !ok {
		h.Realm.ThrowType("EventListener.handleEvent is not a function.")
	}
	return call(h, f, l.value, event)
}

func call(h *host.Host, f goja.Callable, this goja.Value, event *goja.Object) goja.Value {
	v, err := f(this, event)
	if err != nil {
		// This is an exception, or an interrupt, which scripts must not catch.
		panic(err)
	}
	return v
}

// result handles a listener's answer: true means preventDefault, and any other value gives one warning.
func (t *Target) result(h *host.Host, e *EventObject, v goja.Value) {
	if v == nil || goja.IsUndefined(v) {
		return
	}
	if b, ok := webidl.Primitive(v).(bool); ok {
		if b {
			e.prevented = true
		}
		return
	}
	if t.warned || h.Log == nil {
		return
	}
	t.warned = true
	text := "An event handler returned a promise that will be ignored. Event handlers should not have a return value " +
		"and should not be async functions."
	if !webidl.IsPromise(v) {
		text = fmt.Sprintf("An event handler returned a value of type %q that will be ignored. Event handlers should "+
			"not have a return value.", v8text.TypeOf(v))
	}
	h.Log(host.ConsoleLine{Level: host.LevelWarn, Time: h.Loop.Clock().Now(), Text: text, Scope: h.Loop.Scope()})
}

func defineTarget(h *host.Host) *webidl.Interface {
	return h.Realm.Define(webidl.Spec{
		Name:    "EventTarget",
		New:     func(*webidl.Call) any { return &Target{} },
		Members: targetMembers(h),
	}).Install()
}

func targetMembers(h *host.Host) []webidl.Member {
	return []webidl.Member{
		webidl.Method("addEventListener", func(t Targeter, c *webidl.Call) goja.Value {
			t.EventTarget().addEventListener(h, c)
			return nil
		}),
		webidl.Method("removeEventListener", func(t Targeter, c *webidl.Call) goja.Value {
			t.EventTarget().removeEventListener(c)
			return nil
		}),
		webidl.Method("dispatchEvent", func(t Targeter, c *webidl.Call) goja.Value {
			return c.Value(t.EventTarget().dispatchEvent(h, c, c.This.(*goja.Object)))
		}),
	}
}

func (t *Target) addEventListener(h *host.Host, c *webidl.Call) {
	typ := c.String(0)
	value := listenerArg(c, "function or HandlerObject")
	if value != nil {
		if _, ok := goja.AssertFunction(value); !ok {
			if _, ok := goja.AssertFunction(value.Get("handleEvent")); !ok {
				c.ThrowType("Incorrect type for the 'handleEvent' field on 'HandlerObject': the provided value is " +
					"not of type 'function'.")
			}
		}
	}
	var once bool
	var signal *Signal
	if o, ok := c.Arg(2).(*goja.Object); ok {
		flag := func(name string) bool {
			v := webidl.Option(o, name)
			return v != nil && v.ToBoolean()
		}
		for _, name := range []string{"capture", "passive"} {
			if flag(name) {
				c.ThrowType("addEventListener(): options.%s must be false.", name)
			}
		}
		once = flag("once")
		if v := webidl.Option(o, "signal"); v != nil {
			if signal, ok = webidl.StateOf[*Signal](h.Realm, v); !ok {
				c.ThrowType("Incorrect type for the 'signal' field on 'AddEventListenerOptions': the provided value " +
					"is not of type 'AbortSignal'.")
			}
		}
	} else if c.Arg(2).ToBoolean() {
		c.ThrowType("addEventListener(): useCapture must be false.")
	}
	if value == nil || t.find(typ, value) != nil || signal != nil && signal.aborted {
		return
	}
	l := &listener{typ: typ, value: value, once: once}
	if signal != nil {
		signal.OnAbort(func() { t.remove(l) })
	}
	t.add(l)
}

func (t *Target) removeEventListener(c *webidl.Call) {
	typ := c.String(0)
	value := listenerArg(c, "Object")
	if o, ok := c.Arg(2).(*goja.Object); ok {
		if v := webidl.Option(o, "capture"); v != nil && v.ToBoolean() {
			c.ThrowType("removeEventListener(): options.capture must be false.")
		}
	} else if c.Arg(2).ToBoolean() {
		c.ThrowType("removeEventListener(): useCapture must be false.")
	}
	if value == nil {
		return
	}
	if l := t.find(typ, value); l != nil {
		t.remove(l)
	}
}

// listenerArg is argument 1: a function or object, nil for null and undefined. want is what the platform calls it.
func listenerArg(c *webidl.Call, want string) *goja.Object {
	v := c.Require(1, want)
	if goja.IsNull(v) || goja.IsUndefined(v) {
		return nil
	}
	obj, ok := v.(*goja.Object)
	if !ok {
		c.ThrowNotOfType(1, want)
	}
	return obj
}

func (t *Target) dispatchEvent(h *host.Host, c *webidl.Call, this *goja.Object) bool {
	ev, ok := webidl.StateOf[Eventer](h.Realm, c.Arg(0))
	if !ok {
		c.ThrowNotOfType(0, "Event")
	}
	return t.dispatch(h, this, c.Arg(0).(*goja.Object), ev.BaseEvent(), false)
}
