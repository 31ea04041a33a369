package events

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// EventObject is the state of an event object (https://dom.spec.whatwg.org/#interface-event).
type EventObject struct {
	Type                          string
	Bubbles, Cancelable, Composed bool
	// Trusted is set on events that the runtime made.
	Trusted bool

	target      *goja.Object
	dispatching bool
	stopped     bool
	prevented   bool
	bubbleOff   bool
}

// Eventer is the state of any class derived from Event.
type Eventer interface{ BaseEvent() *EventObject }

// BaseEvent implements [Eventer].
func (e *EventObject) BaseEvent() *EventObject { return e }

// Prevented tells whether a listener called preventDefault (or returned true), cancelable or not: that is what the
// platform acts on.
func (e *EventObject) Prevented() bool { return e.prevented }

// ParseInit reads the type and the options of an event constructor.
func ParseInit(c *webidl.Call) EventObject {
	e := EventObject{Type: c.String(0)}
	o := c.Object(1, "EventInit")
	flag := func(name string) bool {
		v := webidl.Option(o, name)
		return v != nil && v.ToBoolean()
	}
	e.Bubbles, e.Cancelable, e.Composed = flag("bubbles"), flag("cancelable"), flag("composed")
	return e
}

// classes are the classes of one isolate.
type classes struct {
	event, target, custom, extendable, message, closing, failure, open, rejection *webidl.Interface
	fetch, scheduled, queue, tail, controller, signal, channel, port              *webidl.Interface
	global                                                                        *globalTarget
}

type classesKey struct{}

func of(h *host.Host) *classes {
	k, ok := h.Value(classesKey{}).(*classes)
	if !ok {
		panic("events: used before Install")
	}
	return k
}

// Install puts the classes and the global functions of this package on the isolate.
func Install(h *host.Host) {
	k := &classes{}
	h.SetValue(classesKey{}, k)
	k.event = defineEvent(h)
	k.target = defineTarget(h)
	installSubclasses(h, k)
	installHandlers(h, k)
	installAbort(h, k)
	installChannel(h, k)
	installGlobal(h, k)
}

// TargetClass is the class EventTarget.
func TargetClass(h *host.Host) *webidl.Interface { return of(h).target }

// New makes a trusted plain event.
func New(h *host.Host, typ string) *goja.Object {
	return of(h).event.Wrap(&EventObject{Type: typ, Trusted: true})
}

func defineEvent(h *host.Host) *webidl.Interface {
	flag := func(name string, get func(e *EventObject) bool) webidl.Member {
		return webidl.Getter(name, func(e Eventer, c *webidl.Call) goja.Value { return c.Value(get(e.BaseEvent())) })
	}
	// An event that was never dispatched has the target undefined, where browsers have null.
	target := func(name string) webidl.Member {
		return webidl.Getter(name, func(e Eventer, _ *webidl.Call) goja.Value {
			if t := e.BaseEvent().target; t != nil {
				return t
			}
			return goja.Undefined()
		})
	}
	// Without the flag currentTarget is another name for target, as it once was by mistake.
	currentTarget := target("currentTarget")
	if h.Enabled("pedantic_wpt") {
		currentTarget = webidl.Getter("currentTarget", func(e Eventer, _ *webidl.Call) goja.Value {
			if b := e.BaseEvent(); b.dispatching {
				return b.target
			}
			return goja.Null()
		})
	}
	do := func(name string, f func(e *EventObject)) webidl.Member {
		return webidl.Method(name, func(e Eventer, _ *webidl.Call) goja.Value {
			f(e.BaseEvent())
			return nil
		})
	}
	return h.Realm.Define(webidl.Spec{
		Name: "Event",
		New: func(c *webidl.Call) any {
			e := ParseInit(c)
			return &e
		},
		Members: []webidl.Member{
			webidl.Getter("type", func(e Eventer, c *webidl.Call) goja.Value { return c.Value(e.BaseEvent().Type) }),
			webidl.Getter("eventPhase", func(e Eventer, c *webidl.Call) goja.Value {
				if e.BaseEvent().dispatching {
					return c.Value(2)
				}
				return c.Value(0)
			}),
			flag("composed", func(e *EventObject) bool { return e.Composed }),
			flag("bubbles", func(e *EventObject) bool { return e.Bubbles }),
			flag("cancelable", func(e *EventObject) bool { return e.Cancelable }),
			flag("defaultPrevented", func(e *EventObject) bool { return e.Cancelable && e.prevented }),
			flag("returnValue", func(e *EventObject) bool { return !e.Cancelable || !e.prevented }),
			currentTarget,
			target("target"),
			target("srcElement"),
			webidl.Getter("timeStamp", func(_ Eventer, c *webidl.Call) goja.Value { return c.Value(0) }),
			flag("isTrusted", func(e *EventObject) bool { return e.Trusted }),
			webidl.Accessor("cancelBubble", func(e Eventer, c *webidl.Call) goja.Value {
				return c.Value(e.BaseEvent().bubbleOff)
			}, func(e Eventer, _ *webidl.Call, v goja.Value) { e.BaseEvent().bubbleOff = v.ToBoolean() }),
			do("stopImmediatePropagation", func(e *EventObject) { e.stopped = true }),
			do("preventDefault", func(e *EventObject) { e.prevented = true }),
			do("stopPropagation", func(e *EventObject) { e.bubbleOff = true }),
			webidl.Method("composedPath", func(e Eventer, c *webidl.Call) goja.Value {
				if b := e.BaseEvent(); b.dispatching {
					return c.Runtime().NewArray(b.target)
				}
				return c.Runtime().NewArray()
			}),
			webidl.Const("NONE", 0), webidl.Const("CAPTURING_PHASE", 1),
			webidl.Const("AT_TARGET", 2), webidl.Const("BUBBLING_PHASE", 3),
		},
	}).Install()
}
