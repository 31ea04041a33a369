package events

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
)

// port is the state of a MessagePort. Messages that arrive before it is started wait in queue.
type port struct {
	Target
	object    *goja.Object
	other     *port
	queue     []goja.Value
	started   bool
	closed    bool
	onmessage goja.Value
}

// channel is the state of a MessageChannel.
type channel struct{ port1, port2 *port }

// Clone makes a structured clone of a message, or throws. The package that installs structuredClone sets it; until then
// only primitive values can be posted.
type Clone func(v goja.Value) goja.Value

type cloneKey struct{}

// SetClone sets how MessagePort copies what is posted.
func SetClone(h *host.Host, c Clone) { h.SetValue(cloneKey{}, c) }

func clone(h *host.Host, v goja.Value) goja.Value {
	if c, ok := h.Value(cloneKey{}).(Clone); ok {
		return c(v)
	}
	if _, ok := v.(*goja.Object); ok {
		h.Realm.ThrowDOM("DataCloneError", "This isolate has no structured clone: only primitive values can be posted.")
	}
	return v
}

func installChannel(h *host.Host, k *classes) {
	r := h.Realm
	k.port = r.Define(webidl.Spec{
		Name: "MessagePort", Parent: k.target,
		Members: []webidl.Member{
			webidl.Method("postMessage", func(p *port, c *webidl.Call) goja.Value {
				p.post(h, c)
				return nil
			}),
			webidl.Method("close", func(p *port, _ *webidl.Call) goja.Value {
				p.close(h)
				return nil
			}),
			webidl.Method("start", func(p *port, _ *webidl.Call) goja.Value {
				p.start(h)
				return nil
			}),
			webidl.Accessor("onmessage", func(p *port, _ *webidl.Call) goja.Value { return orNull(p.onmessage) },
				func(p *port, _ *webidl.Call, v goja.Value) {
					p.onmessage = handlerValue(v)
					p.listening(h)
				}),
		},
	}).Install()
	k.channel = r.Define(webidl.Spec{
		Name: "MessageChannel",
		New: func(*webidl.Call) any {
			ch := &channel{port1: newPort(h, k), port2: newPort(h, k)}
			ch.port1.other, ch.port2.other = ch.port2, ch.port1
			return ch
		},
		Members: []webidl.Member{
			webidl.Getter("port1", func(s *channel, _ *webidl.Call) goja.Value { return s.port1.object }),
			webidl.Getter("port2", func(s *channel, _ *webidl.Call) goja.Value { return s.port2.object }),
		},
	}).Install()
}

func newPort(h *host.Host, k *classes) *port {
	p := &port{}
	p.object = k.port.Wrap(p)
	p.Listening = func() { p.listening(h) }
	return p
}

// listening starts the port when somebody listens, and lets messages queue again when nobody does.
func (p *port) listening(h *host.Host) {
	if p.Count("message") > 0 || p.onmessage != nil {
		p.start(h)
	} else {
		p.started = false
	}
}

func (p *port) start(h *host.Host) {
	if p.closed || p.started {
		return
	}
	p.started = true
	queue := p.queue
	p.queue = nil
	for _, v := range queue {
		p.deliver(h, v)
	}
}

func (p *port) post(h *host.Host, c *webidl.Call) {
	list := c.Arg(1)
	if o, ok := list.(*goja.Object); ok {
		if t := webidl.Option(o, "transfer"); t != nil {
			list = t
		}
		if l, ok := list.(*goja.Object); ok {
			if n := l.Get("length"); n != nil && n.ToInteger() > 0 {
				h.Realm.ThrowError("Error", "Transfer list is not supported")
			}
		}
	}
	v := clone(h, c.Arg(0))
	if p.other != nil {
		p.other.deliver(h, v)
	}
}

func (p *port) deliver(h *host.Host, v goja.Value) {
	switch {
	case p.closed:
	case !p.started:
		p.queue = append(p.queue, v)
	default:
		h.Realm.Then(goja.Undefined(), func(goja.Value) { h.Guard(func() { p.dispatchMessage(h, v) }) }, nil)
	}
}

// dispatchMessage fires the message; what a listener throws comes to the port once more as a message, as on the
// platform.
func (p *port) dispatchMessage(h *host.Host, v goja.Value) {
	fire := func(v goja.Value) {
		Dispatch(h, p.object, NewMessage(h, MessageEvent{Data: v, Source: p.object}))
	}
	if ex := h.Realm.Try(func() { fire(v) }); ex != nil {
		fire(ex)
	}
}

func (p *port) close(h *host.Host) {
	if p.closed {
		return
	}
	p.closed, p.queue = true, nil
	if o := p.other; o != nil {
		p.other = nil
		o.close(h)
	}
	Dispatch(h, p.object, New(h, "close"))
}
