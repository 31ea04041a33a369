package events

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// CustomEvent is the state of a CustomEvent.
type CustomEvent struct {
	EventObject
	Detail goja.Value
}

// ExtendableEvent is the state of an ExtendableEvent. WaitUntil takes its promises.
type ExtendableEvent struct {
	EventObject
	WaitUntil func(promise goja.Value)
}

// MessageEvent is the state of a MessageEvent. Nil values read as undefined (Data) or null.
type MessageEvent struct {
	EventObject
	Data        goja.Value
	LastEventID string
	// Origin is null when empty.
	Origin string
	Source goja.Value
}

// CloseEvent is the state of a CloseEvent.
type CloseEvent struct {
	EventObject
	Code     int
	Reason   string
	WasClean bool
}

// ErrorEvent is the state of an ErrorEvent.
type ErrorEvent struct {
	EventObject
	Message, Filename string
	Line, Column      int
	Error             goja.Value
}

// RejectionEvent is the state of a PromiseRejectionEvent.
type RejectionEvent struct {
	EventObject
	Promise, Reason goja.Value
}

// NewMessage makes a trusted MessageEvent; the type is "message" when e has none.
func NewMessage(h *host.Host, e MessageEvent) *goja.Object {
	if e.Type == "" {
		e.Type = "message"
	}
	e.Trusted = true
	return of(h).message.Wrap(&e)
}

// NewClose makes a trusted CloseEvent of type "close".
func NewClose(h *host.Host, code int, reason string, clean bool) *goja.Object {
	return of(h).closing.Wrap(
		&CloseEvent{EventObject: EventObject{Type: "close", Trusted: true}, Code: code, Reason: reason,
			WasClean: clean})
}

// NewError makes a trusted ErrorEvent of type "error" around a thrown value.
func NewError(h *host.Host, message string, err goja.Value) *goja.Object {
	return of(h).failure.Wrap(&ErrorEvent{EventObject: EventObject{Type: "error", Trusted: true}, Message: message,
		Error: err})
}

// NewOpen makes a trusted OpenEvent of type "open".
func NewOpen(h *host.Host) *goja.Object {
	return of(h).open.Wrap(&EventObject{Type: "open", Trusted: true})
}

func installSubclasses(h *host.Host, k *classes) {
	r := h.Realm
	k.custom = r.Define(webidl.Spec{
		Name: "CustomEvent", Parent: k.event,
		New: func(c *webidl.Call) any {
			return &CustomEvent{EventObject: ParseInit(c), Detail: webidl.Option(c.Object(1, "CustomEventInit"),
				"detail")}
		},
		Members: []webidl.Member{
			webidl.Getter("detail", func(e *CustomEvent, _ *webidl.Call) goja.Value { return orNull(e.Detail) }),
		},
	}).Install()
	k.extendable = r.Define(webidl.Spec{
		Name: "ExtendableEvent", Parent: k.event,
		Members: []webidl.Member{
			webidl.Method("waitUntil", func(e Extendable, c *webidl.Call) goja.Value {
				x := e.Extended()
				if !x.Trusted || x.WaitUntil == nil {
					c.Realm().ThrowDOM("InvalidStateError", "waitUntil() can only be called on trusted event.")
				}
				x.WaitUntil(c.Require(0, "Promise"))
				return nil
			}),
		},
	}).Install()
	k.open = r.Define(webidl.Spec{Name: "OpenEvent", Parent: k.event})
	k.message = defineMessage(r, k)
	k.closing = defineClose(r, k)
	k.failure = defineError(r, k)
	k.rejection = r.Define(webidl.Spec{
		Name: "PromiseRejectionEvent", Parent: k.event,
		Members: []webidl.Member{
			webidl.Getter("promise", func(e *RejectionEvent, _ *webidl.Call) goja.Value { return e.Promise }),
			webidl.Getter("reason", func(e *RejectionEvent, _ *webidl.Call) goja.Value { return e.Reason }),
		},
	}).Install()
}

// Extendable is the state of any class derived from ExtendableEvent.
type Extendable interface{ Extended() *ExtendableEvent }

// Extended implements [Extendable].
func (e *ExtendableEvent) Extended() *ExtendableEvent { return e }

func orNull(v goja.Value) goja.Value {
	if v == nil {
		return goja.Null()
	}
	return v
}

func defineMessage(r *webidl.Realm, k *classes) *webidl.Interface {
	return r.Define(webidl.Spec{
		Name: "MessageEvent", Parent: k.event,
		New: func(c *webidl.Call) any {
			typ := c.String(0)
			init, ok := c.Arg(1).(*goja.Object)
			if !ok {
				c.ThrowNotOfType(1, "Initializer")
			}
			return &MessageEvent{EventObject: EventObject{Type: typ}, Data: webidl.Option(init, "data")}
		},
		Members: []webidl.Member{
			webidl.Getter("data", func(e *MessageEvent, _ *webidl.Call) goja.Value { return e.Data }),
			webidl.Getter("origin", func(e *MessageEvent, c *webidl.Call) goja.Value {
				if e.Origin == "" {
					return goja.Null()
				}
				return c.Value(e.Origin)
			}),
			webidl.Getter("lastEventId",
				func(e *MessageEvent, c *webidl.Call) goja.Value { return c.Value(e.LastEventID) }),
			webidl.Getter("source", func(e *MessageEvent, _ *webidl.Call) goja.Value { return orNull(e.Source) }),
			webidl.Getter("ports", func(_ *MessageEvent, c *webidl.Call) goja.Value { return c.Runtime().NewArray() }),
		},
	}).Install()
}

func defineClose(r *webidl.Realm, k *classes) *webidl.Interface {
	return r.Define(webidl.Spec{
		Name: "CloseEvent", Parent: k.event,
		New: func(c *webidl.Call) any {
			e := &CloseEvent{EventObject: EventObject{Type: c.String(0)}}
			o := c.Object(1, "CloseEventInit")
			if v := webidl.Option(o, "code"); v != nil {
				e.Code = int(r.Int32(v))
			}
			if v := webidl.Option(o, "reason"); v != nil {
				e.Reason = webidl.ToString(v)
			}
			if v := webidl.Option(o, "wasClean"); v != nil {
				e.WasClean = v.ToBoolean()
			}
			return e
		},
		Members: []webidl.Member{
			webidl.Getter("code", func(e *CloseEvent, c *webidl.Call) goja.Value { return c.Value(e.Code) }),
			webidl.Getter("reason", func(e *CloseEvent, c *webidl.Call) goja.Value { return c.Value(e.Reason) }),
			webidl.Getter("wasClean", func(e *CloseEvent, c *webidl.Call) goja.Value { return c.Value(e.WasClean) }),
		},
	}).Install()
}

func defineError(r *webidl.Realm, k *classes) *webidl.Interface {
	return r.Define(webidl.Spec{
		Name: "ErrorEvent", Parent: k.event,
		New: func(c *webidl.Call) any {
			e := &ErrorEvent{EventObject: EventObject{Type: c.String(0)}}
			o := c.Object(1, "ErrorEventInit")
			text := func(name string) string {
				if v := webidl.Option(o, name); v != nil {
					return webidl.ToString(v)
				}
				return ""
			}
			number := func(name string) int {
				if v := webidl.Option(o, name); v != nil {
					return int(r.Int32(v))
				}
				return 0
			}
			e.Message, e.Filename = text("message"), text("filename")
			e.Line, e.Column = number("lineno"), number("colno")
			e.Error = webidl.Option(o, "error")
			return e
		},
		Members: []webidl.Member{
			webidl.Getter("filename", func(e *ErrorEvent, c *webidl.Call) goja.Value { return c.Value(e.Filename) }),
			webidl.Getter("message", func(e *ErrorEvent, c *webidl.Call) goja.Value { return c.Value(e.Message) }),
			webidl.Getter("lineno", func(e *ErrorEvent, c *webidl.Call) goja.Value { return c.Value(e.Line) }),
			webidl.Getter("colno", func(e *ErrorEvent, c *webidl.Call) goja.Value { return c.Value(e.Column) }),
			webidl.Getter("error", func(e *ErrorEvent, _ *webidl.Call) goja.Value { return e.Error }),
		},
	}).Install()
}
