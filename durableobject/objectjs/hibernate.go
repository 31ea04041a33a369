package objectjs

import (
	"math"
	"time"

	"github.com/dop251/goja"

	"eddy/durableobject"
	"eddy/runtime/cause"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/websocket"
)

// Limits of WS4, WS15 and WS16.
const (
	maxTags      = 10
	maxTagLength = 256
	maxSockets   = 32_768
	maxTimeout   = 604_800_000
)

// sleeping is the hibernatable sockets of one object. The sockets belong to Go, so they outlive instances and isolates
// (WS17). Only the loop that has them uses it.
type sleeping struct {
	h     *home
	id    durableobject.ID
	name  string // from which the id was made, if it left its home with one (ID14)
	named bool
	list  []*websocket.End // oldest first
	auto  *websocket.AutoResponse
	limit float64 // of setHibernatableWebSocketEventTimeout in ms, 0 for none
}

// errEventTime is the failure of everything in progress when a handler takes longer than
// setHibernatableWebSocketEventTimeout allows (WS16).
var errEventTime = &rpc.RemoteError{Name: "Error", Message: "Actor exceeded event execution time and was disconnected.",
	Retryable: true, Reset: true}

// socketsOf returns the sockets of an object. If it has none, make says whether to begin a list.
func (i *instance) socketsOf(make bool) *sleeping {
	key := i.object.ID.String()
	s := i.h.sockets[key]
	if s == nil && make {
		s = &sleeping{h: i.h, id: i.object.ID}
		i.h.sockets[key] = s
	}
	return s
}

// watch waits for the next message of a socket, on whichever home has it then.
func (s *sleeping) watch(e *websocket.End) {
	h := s.h
	e.Notify(func() { h.ns.post(func(now *home) { s.receive(now, e) }) })
}

// receive takes what has come, while the socket is still the object's.
func (s *sleeping) receive(now *home, e *websocket.End) {
	// A facet's home is not the namespace's: it lives and goes with its parent.
	if now == nil || s.h != now && (s.h == nil || s.h.parent == nil) || now.closed || !s.has(e) {
		return
	}
	for {
		m, ok := e.Take()
		if !ok {
			s.watch(e)
			return
		}
		if s.answer(e, m) {
			continue
		}
		s.deliver(e, m, e.Opened)
		if m.Kind == websocket.Close || m.Kind == websocket.Lost {
			return
		}
	}
}

func (s *sleeping) has(e *websocket.End) bool {
	for _, o := range s.list {
		if o == e {
			return true
		}
	}
	return false
}

// answer gives the automatic response, without waking the object (WS15).
func (s *sleeping) answer(e *websocket.End, m websocket.Message) bool {
	if s.auto == nil || m.Kind != websocket.Text || m.Text != s.auto.Request || e.ClosedOut {
		return false
	}
	e.AutoResponse = s.h.now()
	e.Send(websocket.Message{Kind: websocket.Text, Text: s.auto.Response})
	return true
}

// deliver wakes the object for a message (WS6 to WS9). from is the cause of the event.
func (s *sleeping) deliver(e *websocket.End, m websocket.Message, from cause.Cause) {
	inst, failure := s.h.instance(s.id, "", false)
	if failure != nil {
		s.h.iso.Warn("A Durable Object could not be woken for a WebSocket message: " + failure.Message)
		return
	}
	inst.begin()
	inst.enter(socketEvent, func() { inst.socketEvent(s, e, m, from) })
}

func (i *instance) socketEvent(s *sleeping, e *websocket.End, m websocket.Message, from cause.Cause) {
	iso := i.h.iso
	ws := websocket.Object(iso.Host, e)
	rt := iso.Runtime()
	last := false
	var handler string
	var args []goja.Value
	switch m.Kind {
	case websocket.Close:
		e.ClosedIn = true
		handler, last = "webSocketClose", true
		args = []goja.Value{ws, rt.ToValue(m.Code), rt.ToValue(m.Reason), rt.ToValue(true)}
	case websocket.Lost:
		e.ClosedIn, e.Gone, last = true, true, true
		if perr, ok := m.Err.(*websocket.ProtocolError); ok {
			e.Failed = true
			handler = "webSocketError"
			args = []goja.Value{ws, iso.Realm.NewError("Error", perr.Error())}
		} else {
			handler = "webSocketClose"
			args = []goja.Value{ws, rt.ToValue(1006), rt.ToValue("WebSocket disconnected without sending Close frame."),
				rt.ToValue(false)}
		}
	default:
		handler = "webSocketMessage"
		args = []goja.Value{ws, websocket.Value(iso.Host, m)}
	}
	stop := s.limitEvent(i)
	recorded := i.recordSocket(e, m, from)
	finish := func(failed bool) {
		recorded.end(failed)
		stop()
		if e.Gone {
			e.ClosedOut, e.Failed = true, true
		}
		if last {
			s.remove(e)
		}
		i.end()
	}
	var result goja.Value
	ex := iso.Realm.Try(func() {
		fn, ok := goja.AssertFunction(i.value.Get(handler))
		if !ok {
			return // a missing handler drops the message (WS6)
		}
		v, err := fn(i.value, args...)
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		result = v
	})
	if ex != nil {
		iso.Uncaught(ex)
		finish(true)
		return
	}
	if _, ok := result.(*goja.Object); !ok {
		finish(false) // most handlers return nothing, which needs no promise
		return
	}
	iso.Realm.Then(result, func(goja.Value) { finish(false) }, func(v goja.Value) {
		iso.Uncaught(v)
		finish(true)
	})
}

// limitEvent resets the object, unless stop is called in time (WS16).
func (s *sleeping) limitEvent(i *instance) (stop func()) {
	if s.limit == 0 {
		return func() {}
	}
	loop := i.h.iso.Loop
	over := false
	timer := loop.Clock().AfterFunc(time.Duration(s.limit)*time.Millisecond, func() {
		loop.Post(func() {
			if !over {
				i.reset(errEventTime)
			}
		})
	})
	return func() {
		over = true
		timer.Stop()
	}
}

// remove forgets a socket that has ended.
func (s *sleeping) remove(e *websocket.End) {
	for j, o := range s.list {
		if o == e {
			s.list = append(s.list[:j], s.list[j+1:]...)
			break
		}
	}
	if e.ClosedOut {
		e.Retire()
	}
	s.release(1)
	if len(s.list) > 0 || s.auto != nil || s.h.sockets == nil {
		return
	}
	delete(s.h.sockets, s.id.String())
	if o := s.h.live.Live(s.id); o != nil && o.State() == durableobject.Hibernating {
		s.h.live.Change(o, durableobject.Expire, s.h.now())
	}
}

// release undoes the holds of n sockets on the parent of a facet. A facet hibernates like any object, but could not be
// woken without its parent.
func (s *sleeping) release(n int) {
	if s.h == nil || s.h.parent == nil {
		return
	}
	for range n {
		s.h.parent.end()
	}
}

// forget drops the JavaScript objects: the instance that saw them is gone.
func (s *sleeping) forget() {
	for _, e := range s.list {
		websocket.Forget(e)
	}
}

// remember keeps the object's name for the next home: nobody who wakes it by a message tells it. Called before the
// object leaves.
func (s *sleeping) remember() {
	if o := s.h.live.Live(s.id); o != nil && o.HasName {
		s.name, s.named = o.Name, true
	}
}

// leave takes the sockets off their home; messages wait in them.
func (s *sleeping) leave() {
	s.forget()
	s.h = nil
}

// lose closes all sockets, as a reset does (GT8).
func (s *sleeping) lose() {
	for _, e := range s.list {
		e.Lose(errReloaded)
	}
	s.release(len(s.list))
	s.list = nil
}

// inherit takes over the sockets of the generation before (loop).
func (h *home) inherit() {
	for key, s := range h.inherited {
		s.h = h
		h.sockets[key] = s
		o := h.live.Get(s.id)
		if s.named && !o.HasName {
			o.Name, o.HasName = s.name, true
		}
		if o.State() == durableobject.Cold && len(s.list) > 0 {
			h.live.Adopt(o)
		}
		for _, e := range s.list {
			s.watch(e)
		}
	}
	h.inherited = nil
}

// socketMembers are the methods of ctx for hibernatable sockets.
func (k *kit) socketMembers() []webidl.Member {
	r := k.iso.Realm
	return []webidl.Member{
		webidl.Method("acceptWebSocket", func(i *instance, c *webidl.Call) goja.Value {
			ws := c.Require(0, "WebSocket")
			if _, ok := websocket.EndOf(k.iso.Host, ws); !ok {
				c.ThrowNotOfType(0, "WebSocket")
			}
			i.acceptSocket(ws, i.tags(c))
			return nil
		}),
		webidl.Method("getWebSockets", func(i *instance, c *webidl.Call) goja.Value { return i.webSockets(c) }),
		webidl.Method("setWebSocketAutoResponse", func(i *instance, c *webidl.Call) goja.Value {
			if c.Missing(0) || goja.IsNull(c.Arg(0)) {
				if s := i.socketsOf(false); s != nil {
					s.auto = nil
				}
				return nil
			}
			auto, ok := websocket.AutoResponseOf(k.iso.Host, c.Arg(0))
			if !ok {
				c.ThrowNotOfType(0, "WebSocketRequestResponsePair")
			}
			for _, side := range []struct{ name, text string }{{"Request", auto.Request}, {"Response", auto.Response}} {
				if len(side.text) > 2048 {
					r.ThrowError("RangeError", "%s cannot be larger than 2048 bytes. A %s of size %d was provided.",
						side.name, map[string]string{"Request": "request", "Response": "response"}[side.name],
						len(side.text))
				}
			}
			i.socketsOf(true).auto = auto
			return nil
		}),
		webidl.Method("getWebSocketAutoResponse", func(i *instance, _ *webidl.Call) goja.Value {
			if s := i.socketsOf(false); s != nil && s.auto != nil {
				return websocket.WrapAutoResponse(k.iso.Host, s.auto)
			}
			return goja.Null()
		}),
		webidl.Method("getWebSocketAutoResponseTimestamp", func(i *instance, c *webidl.Call) goja.Value {
			e, ok := websocket.EndOf(k.iso.Host, c.Arg(0))
			if !ok {
				c.ThrowNotOfType(0, "WebSocket")
			}
			if e.AutoResponse.IsZero() {
				return goja.Null()
			}
			return k.date(e.AutoResponse)
		}),
		webidl.Method("setHibernatableWebSocketEventTimeout", func(i *instance, c *webidl.Call) goja.Value {
			ms := 0.0
			if !c.Missing(0) {
				ms = c.Arg(0).ToNumber().ToFloat()
			}
			if ms < 0 {
				c.ThrowType("The value cannot be converted because it is negative and this API expects a positive " +
					"number.")
			}
			if math.IsNaN(ms) {
				ms = 0
			}
			if ms > maxTimeout {
				r.ThrowError("Error", "Event timeout should not exceed 604800000 ms.")
			}
			i.socketsOf(true).limit = math.Trunc(ms)
			return nil
		}),
		webidl.Method("getHibernatableWebSocketEventTimeout", func(i *instance, c *webidl.Call) goja.Value {
			if s := i.socketsOf(false); s != nil && s.limit > 0 {
				return c.Value(number(s.limit))
			}
			return goja.Null()
		}),
		webidl.Method("getTags", func(i *instance, c *webidl.Call) goja.Value {
			e, ok := websocket.EndOf(k.iso.Host, c.Arg(0))
			if !ok {
				c.ThrowNotOfType(0, "WebSocket")
			}
			switch {
			case e.Hibernatable:
			case !e.Accepted:
				r.ThrowError("Error", "you must call 'acceptWebSocket()' before attempting to access the tags of a "+
					"WebSocket.")
			default:
				r.ThrowError("Error", "only hibernatable websockets can have tags.")
			}
			var list []any
			for _, t := range e.Tags {
				list = append(list, k.stringOf(t))
			}
			return k.iso.Runtime().NewArray(list...)
		}),
	}
}

// tags reads the second argument of acceptWebSocket (WS4).
func (i *instance) tags(c *webidl.Call) []string {
	if c.Missing(1) {
		return nil
	}
	obj, ok := c.Arg(1).(*goja.Object)
	if !ok || obj.ClassName() != "Array" {
		c.ThrowNotOfType(1, "Array")
	}
	r := i.h.iso.Realm
	var tags []string
	seen := map[string]bool{}
	i.h.iso.Runtime().ForOf(obj, func(v goja.Value) bool {
		if t := bytesOf(v); !seen[t] {
			seen[t] = true
			tags = append(tags, t)
		}
		return true
	})
	if len(tags) > maxTags {
		r.ThrowError("Error", "a Hibernatable WebSocket cannot have more than 10 tags")
	}
	for _, t := range tags {
		if len(t) > maxTagLength {
			r.ThrowError("Error", "\"%s\" is longer than the max tag length (256 characters).", t)
		}
	}
	return tags
}

func (i *instance) acceptSocket(ws goja.Value, tags []string) {
	s := i.socketsOf(true)
	if len(s.list) >= maxSockets {
		i.h.iso.Realm.ThrowError("Error", "only %d websockets can be accepted on a single Durable Object instance",
			maxSockets)
	}
	e := websocket.AcceptHibernatable(i.h.iso.Host, ws, tags)
	if entry := i.h.iso.Recording(); entry != nil {
		e.Opened = entry.Cause()
	}
	i.hold(s, e)
}

// hold begins to listen to a socket that the object has accepted.
func (i *instance) hold(s *sleeping, e *websocket.End) {
	s.list = append(s.list, e)
	if i.h.parent != nil {
		i.h.parent.begin()
	}
	s.watch(e)
}

// webSockets is getWebSockets: newest first without a tag, oldest first with one (WS5).
func (i *instance) webSockets(c *webidl.Call) goja.Value {
	var out []any
	if s := i.socketsOf(false); s != nil {
		if c.Missing(0) {
			for j := len(s.list) - 1; j >= 0; j-- {
				out = append(out, websocket.Object(i.h.iso.Host, s.list[j]))
			}
		} else {
			tag := bytesOf(c.Arg(0))
			for _, e := range s.list {
				for _, t := range e.Tags {
					if t == tag {
						out = append(out, websocket.Object(i.h.iso.Host, e))
					}
				}
			}
		}
	}
	return i.h.iso.Runtime().NewArray(out...)
}

func (k *kit) date(t time.Time) goja.Value {
	rt := k.iso.Runtime()
	d, err := rt.New(rt.Get("Date"), rt.ToValue(t.UnixMilli()))
	if err != nil {
		panic(err)
	}
	return d
}
