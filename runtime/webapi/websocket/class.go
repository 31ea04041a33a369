package websocket

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/fetch"
)

// Install puts WebSocket, WebSocketPair and WebSocketRequestResponsePair on the isolate. Packages events and fetch must
// be installed before.
func Install(h *host.Host) {
	k := &kit{h: h}
	h.SetValue(kitKey{}, k)
	k.defineSocket()
	k.definePair()
	k.defineAutoResponse()
	fetch.SetUpgrader(h, k)
}

// IsWebSocket implements fetch.Upgrader.
func (k *kit) IsWebSocket(v goja.Value) bool {
	_, ok := webidl.StateOf[*socket](k.h.Realm, v)
	return ok
}

func (k *kit) defineSocket() {
	rt := k.h.Runtime()
	text := func(name string, get func(e *End) (string, bool)) webidl.Member {
		return webidl.Getter(name, func(s *socket, _ *webidl.Call) goja.Value {
			if v, ok := get(s.end); ok {
				return rt.ToValue(v)
			}
			return goja.Null()
		})
	}
	members := []webidl.Member{
		webidl.Method("accept", func(s *socket, c *webidl.Call) goja.Value { s.accept(c); return nil }),
		webidl.Method("send", func(s *socket, c *webidl.Call) goja.Value { s.send(c); return nil }),
		webidl.Method("close", func(s *socket, c *webidl.Call) goja.Value { s.close(c); return nil }),
		webidl.Method("serializeAttachment", func(s *socket, c *webidl.Call) goja.Value {
			s.serializeAttachment(c.Require(0, "Value"))
			return nil
		}),
		webidl.Method("deserializeAttachment",
			func(s *socket, _ *webidl.Call) goja.Value { return s.deserializeAttachment() }),
		webidl.Getter("readyState", func(s *socket, c *webidl.Call) goja.Value { return c.Value(s.readyState()) }),
		text("url", func(e *End) (string, bool) { return e.URL, e.HasURL }),
		text("protocol", func(e *End) (string, bool) { return e.Protocol, e.HasProtocol }),
		text("extensions", func(e *End) (string, bool) { return e.Extensions, e.HasExtensions }),
		webidl.Accessor("binaryType", func(s *socket, c *webidl.Call) goja.Value {
			if s.blob {
				return c.Value("blob")
			}
			return c.Value("arraybuffer")
		}, func(s *socket, _ *webidl.Call, v goja.Value) {
			// Other values are ignored, as in browsers.
			switch v.String() {
			case "blob":
				s.blob = true
			case "arraybuffer":
				s.blob = false
			}
		}),
	}
	for i, name := range []string{"CONNECTING", "OPEN", "CLOSING", "CLOSED"} {
		members = append(members, webidl.Const("READY_STATE_"+name, i), webidl.Const(name, i))
	}
	k.socket = k.h.Realm.Define(webidl.Spec{
		Name: "WebSocket", Parent: events.TargetClass(k.h),
		Make:    func(c *webidl.Call, proto *goja.Object) *goja.Object { return k.construct(c, proto) },
		Members: members,
	}).Install()
}

// send is the method send (WS12).
func (s *socket) send(c *webidl.Call) {
	if len(c.Args) == 0 {
		c.ThrowNotOfType(0, "ArrayBuffer or ArrayBufferView or string")
	}
	var m Message
	if data, ok := s.h.Realm.Bytes(c.Arg(0)); ok {
		m = Message{Kind: Binary, Data: data}
	} else {
		m = Message{Kind: Text, Text: webidl.ToString(c.Arg(0))}
	}
	if s.end.ClosedOut {
		c.ThrowType("Can't call WebSocket send() after close().")
	}
	if s.aborted || s.phase == released || s.end.Gone || s.end.Failed {
		return
	}
	if s.phase != accepted && s.phase != hibernating {
		c.ThrowType("%s", notAccepted)
	}
	s.sent(m)
}

const notAccepted = "You must call one of accept() or state.acceptWebSocket() on this WebSocket before sending " +
	"messages."

// close is the method close (WS11).
func (s *socket) close(c *webidl.Call) {
	r := s.h.Realm
	m := Message{Kind: Close, Code: NoCode}
	if !c.Missing(0) {
		m.Code = int(r.Int32(c.Arg(0)))
		refused := m.Code < 1000 || m.Code >= 5000 || m.Code == 1004 || m.Code == 1005 || m.Code == 1006 ||
			m.Code == 1015
		if s.h.Enabled("pedantic_wpt") {
			refused = m.Code != 1000 && (m.Code < 3000 || m.Code >= 5000)
		}
		if refused {
			r.ThrowDOM("InvalidAccessError", "Invalid WebSocket close code: %d.", m.Code)
		}
	}
	if !c.Missing(1) {
		m.Reason = c.USVString(1)
		if len(m.Reason) > 123 {
			r.ThrowDOM("SyntaxError", "WebSocket close reason must not be longer than 123 bytes when UTF-8 encoded.")
		}
		if c.Missing(0) {
			r.ThrowDOM("InvalidAccessError", "If you specify a WebSocket close reason, you must also specify a code.")
		}
	}
	if s.phase == connecting {
		s.phase = released
		s.cancelDial()
		return
	}
	if s.end.ClosedOut || s.aborted || s.phase == released || s.end.Gone || s.end.Failed {
		return
	}
	if s.phase != accepted && s.phase != hibernating {
		c.ThrowType("%s", notAccepted)
	}
	s.sent(m)
	s.end.ClosedOut = true
	s.release()
}
