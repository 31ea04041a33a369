package websocket

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/journal"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/fetch"
)

// lostReason is the reason of the close event of a connection that broke (WS9).
const lostReason = "WebSocket disconnected without sending Close frame."

// receive delivers one message and waits for the next. It runs in the scope that accepted the socket.
func (s *socket) receive() {
	m, ok := s.end.Take()
	if !ok {
		if s.end.gone() {
			s.over()
			return
		}
		s.listen()
		return
	}
	if ex := s.h.Realm.Try(func() { s.deliver(m) }); ex != nil {
		// A listener that throws ends the socket (WS18).
		s.h.Report(ex)
		s.end.ClosedIn = true
		s.fail(ex)
		s.over()
		return
	}
	if s.end.ClosedIn {
		s.over()
		s.release()
		return
	}
	s.listen()
}

func (s *socket) deliver(m Message) {
	if s.served {
		s.h.Entry().AddFrame(journal.Frame{At: s.h.Loop.Clock().Now().UnixMicro(), Event: m.Event()})
	}
	switch m.Kind {
	case Close:
		s.end.ClosedIn = true
		if !s.end.HalfOpen && !s.end.ClosedOut && !s.aborted {
			s.sent(m)
			s.end.ClosedOut = true
		}
		events.Dispatch(s.h, s.object, events.NewClose(s.h, m.Code, m.Reason, true))
	case Lost:
		s.aborted = true
		if s.end.ClosedIn {
			return
		}
		// Listeners still see an open socket.
		defer func() { s.end.ClosedIn = true }()
		if p := m.Breach(); p != nil {
			s.fail(s.h.Realm.NewError("Error", p.Error()))
			return
		}
		events.Dispatch(s.h, s.object, events.NewClose(s.h, 1006, lostReason, false))
	default:
		data := Value(s.h, m)
		if m.Kind == Binary && s.blob {
			data = fetch.NewBlob(s.h, m.Data, "")
		}
		events.Dispatch(s.h, s.object, events.NewMessage(s.h, events.MessageEvent{Data: data}))
	}
}

// Value is the content of a message: a string, or an ArrayBuffer (WS6).
func Value(h *host.Host, m Message) goja.Value {
	if m.Kind == Binary {
		return h.Realm.ArrayBuffer(append([]byte(nil), m.Data...))
	}
	return h.Runtime().ToValue(m.Text)
}

// fail fires an error event, once, and takes the connection away.
func (s *socket) fail(err goja.Value) {
	if s.failure != nil {
		return
	}
	s.failure, s.aborted, s.end.Failed = err, true, true
	defer s.end.Lose(nil)
	if s.phase != hibernating {
		s.phase = released
	}
	s.h.Guard(func() {
		events.Dispatch(s.h, s.object, events.NewError(s.h, "Uncaught "+err.String(), err))
	})
}
