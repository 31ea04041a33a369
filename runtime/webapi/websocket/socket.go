package websocket

import (
	"context"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/clone"
	"eddy/runtime/webapi/events"
)

// phase is how far a socket is.
type phase int

const (
	connecting  phase = iota // the constructor has made it, there is no connection yet
	waiting                  // it was neither accepted nor returned
	accepted                 // it delivers messages as events
	hibernating              // it was accepted for hibernation: messages go to whoever took the End
	released                 // it was returned in a response, or is over
)

// socket is the state of a WebSocket object.
type socket struct {
	events.Target
	h      *host.Host
	end    *End
	object *goja.Object
	phase  phase
	// other is the other half of a WebSocketPair as long as both are in this isolate.
	other *socket
	// outside says that the peer is not, or no longer, in this isolate. An accepted socket keeps its invocation alive
	// then.
	outside bool
	// served says that the other half was returned in a response: what comes is part of the event that answers so.
	served bool
	blob   bool
	// failure is what the socket failed with.
	failure goja.Value
	// aborted says that nothing more goes out.
	aborted bool
	scope   *eventloop.Scope
	held    holder
	unwatch func() bool
	// cancelDial ends the attempt to connect.
	cancelDial func()
}

// holder is a scope's owner that can be kept alive.
type holder interface {
	Hold()
	Release()
}

type kit struct {
	h      *host.Host
	socket *webidl.Interface
	pair   *webidl.Interface
	auto   *webidl.Interface
}

type kitKey struct{}

func of(h *host.Host) *kit {
	k, ok := h.Value(kitKey{}).(*kit)
	if !ok {
		panic("websocket: used before Install")
	}
	return k
}

func (k *kit) wrap(e *End, p phase) *socket {
	s := &socket{h: k.h, end: e, phase: p, blob: k.h.Enabled("websocket_standard_binary_type")}
	s.object = k.socket.Wrap(s)
	e.object, e.holder = s.object, k.h
	return s
}

// halfOpenByDefault is whether a close that comes in is left for the script to answer (WS10).
func (k *kit) halfOpenByDefault() bool { return !k.h.Enabled("web_socket_auto_reply_to_close") }

// Wrap makes the WebSocket object in front of an end that came from elsewhere, a network connection or another
// isolate. It waits to be accepted or returned.
func Wrap(h *host.Host, e *End) *goja.Object {
	k := of(h)
	e.HalfOpen = k.halfOpenByDefault()
	s := k.wrap(e, waiting)
	s.outside = true
	if scope := h.Loop.Scope(); scope != nil {
		// A socket that nobody has taken when its scope ends would be open for ever.
		context.AfterFunc(scope.Context(), func() {
			h.Loop.Post(func() {
				if s.phase == waiting {
					e.Lose(nil)
				}
			})
		})
	}
	return s.object
}

// Object is the WebSocket object in front of a hibernatable end: always the same one (WS3), until [Forget].
func Object(h *host.Host, e *End) *goja.Object {
	if e.object != nil && e.holder == h {
		return e.object
	}
	s := of(h).wrap(e, hibernating)
	s.outside = true
	return s.object
}

// Forget drops the JavaScript object in front of an end: the isolate or the object instance that saw it is gone.
func Forget(e *End) { e.object, e.holder = nil, nil }

// EndOf is the end behind a WebSocket object.
func EndOf(h *host.Host, v goja.Value) (*End, bool) {
	s, ok := webidl.StateOf[*socket](h.Realm, v)
	if !ok {
		return nil, false
	}
	return s.end, true
}

// Detach takes the end out of a WebSocket that is returned in a response, to be coupled to a connection or handed to
// another isolate. It throws the platform's TypeError when the socket was accepted or returned before.
func Detach(h *host.Host, v goja.Value) *End {
	s, ok := webidl.StateOf[*socket](h.Realm, v)
	if !ok {
		panic("websocket: Detach of something that is no WebSocket")
	}
	r := h.Realm
	switch s.phase {
	case connecting:
		r.ThrowType("Can't return WebSocket in a Response if it was created with `new WebSocket()`")
	case released:
		r.ThrowType("Can't return WebSocket that was already used in a response.")
	case hibernating:
		r.ThrowType("Can't return WebSocket in a Response after calling acceptWebSocket().")
	case accepted:
		r.ThrowType("Can't return WebSocket in a Response after calling accept().")
	}
	s.phase = released
	Forget(s.end)
	if o := s.other; o != nil {
		o.outside, o.served = true, true
		o.hold()
		o.other, s.other = nil, nil
	}
	return s.end
}

// AcceptHibernatable takes the end out of a WebSocket for ctx.acceptWebSocket; messages are from now on the caller's to
// take (Notify, Take), and the object stays usable for send and close. It throws WS4's errors.
func AcceptHibernatable(h *host.Host, v goja.Value, tags []string) *End {
	s, ok := webidl.StateOf[*socket](h.Realm, v)
	if !ok {
		panic("websocket: AcceptHibernatable of something that is no WebSocket")
	}
	if s.phase != waiting {
		h.Realm.ThrowError(
			"Error", "Cannot call `acceptWebSocket()` if the WebSocket was already accepted via `accept()`")
	}
	if s.other != nil && s.other.phase != waiting {
		h.Realm.ThrowError("Error", "Cannot call `acceptWebSocket()` on this WebSocket because its pair has already "+
			"been accepted or used in a Response.")
	}
	s.phase = hibernating
	s.end.Hibernatable, s.end.Accepted, s.end.Tags = true, true, tags
	return s.end
}

// accept is WebSocket.accept(): messages come as events in the current scope.
func (s *socket) accept(c *webidl.Call) {
	r := s.h.Realm
	switch s.phase {
	case connecting:
		r.ThrowType("Websockets obtained from the 'new WebSocket()' constructor cannot call accept")
	case released:
		r.ThrowType("Can't accept() WebSocket that was already used in a response.")
	case hibernating:
		r.ThrowType("Can't accept() WebSocket after enabling hibernation.")
	case accepted:
		return
	}
	if v := webidl.Option(c.Object(0, "AcceptOptions"), "allowHalfOpen"); v != nil {
		s.end.HalfOpen = v.ToBoolean()
	}
	s.start()
}

// start begins to read.
func (s *socket) start() {
	s.scope = s.h.Scope()
	s.phase, s.end.Accepted = accepted, true
	// A scope that ends takes the socket with it.
	s.unwatch = context.AfterFunc(s.scope.Context(), func() { s.end.Lose(nil) })
	s.hold()
	s.listen()
}

// hold keeps the invocation alive while an accepted socket has its peer outside.
func (s *socket) hold() {
	if s.phase != accepted || !s.outside || s.held != nil || s.end.ClosedIn {
		return
	}
	if o, ok := s.scope.Owner.(holder); ok {
		o.Hold()
		s.held = o
	}
}

// listen waits for the next message. Each comes in a turn of its own. A socket whose peer is in the same isolate is no
// reason to wait for it: nothing but this isolate could send.
func (s *socket) listen() {
	if s.outside {
		t := s.scope.Waiting()
		s.end.Notify(func() { t.Return(s.receive) })
		return
	}
	context := s.h.Loop.Snapshot()
	s.end.Notify(func() { s.scope.Enter(func() { context(s.receive) }) })
}

// over ends reading.
func (s *socket) over() {
	if s.held != nil {
		s.held.Release()
		s.held = nil
	}
}

// release lets the connection go when both directions are closed.
func (s *socket) release() {
	if s.phase != accepted || !s.end.ClosedIn || !s.end.ClosedOut && !s.aborted {
		return
	}
	s.phase = released
	if s.unwatch != nil {
		s.unwatch()
	}
	// The messages that were sent are on their way; the output gate may still hold the close back.
	s.scope.Output(func(error) { s.end.Retire() })
}

// sent gives a message to the peer once everything before it is confirmed.
func (s *socket) sent(m Message) {
	end := s.end
	s.h.Scope().Output(func(err error) {
		if err != nil {
			end.Lose(nil)
			return
		}
		if !end.Send(m) {
			s.aborted = true
		}
	})
}

// maxAttachment is the limit of WS14, in bytes.
const maxAttachment = 16384

func (s *socket) serializeAttachment(v goja.Value) {
	data := clone.Encode(s.h, v)
	if len(data) > maxAttachment {
		s.h.Realm.ThrowError(
			"Error", "A WebSocket 'attachment' cannot be larger than %d bytes.'attachment' was %d bytes.",
			maxAttachment, len(data))
	}
	s.end.Attachment = data
}

func (s *socket) deserializeAttachment() goja.Value {
	if s.end.Attachment == nil {
		return goja.Null()
	}
	return clone.Decode(s.h, s.end.Attachment)
}

// readyState is 0 connecting, 1 open, 2 closing, 3 closed.
func (s *socket) readyState() int {
	in, out := s.end.ClosedIn, s.end.ClosedOut
	switch {
	case in && out || s.failure != nil || s.end.Failed:
		return 3
	case in || out:
		return 2
	case s.phase == connecting:
		return 0
	}
	return 1
}
