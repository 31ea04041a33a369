package wire

import (
	"sync"

	"eddy/runtime/webapi/websocket"
)

// socket is one end of a WebSocket whose other end is on the other side of the wire.
type socket struct {
	w  *Wire
	id uint64
	// given says that this side has given it away; the other side numbers its own.
	given bool
	end   *websocket.End
	// in and out say which directions have seen a close; guarded by the mu of w.
	in, out bool
	// done, if set, is called by over.
	done func()
	once sync.Once
}

// sockets are those of a wire, by who gave them.
type sockets map[bool]map[uint64]*socket

// socket notes one. Call it with mu held, while the wire has not ended; send runs on a goroutine of its own.
func (w *Wire) socket(id uint64, given bool, end *websocket.End) *socket {
	s := &socket{w: w, id: id, given: given, end: end}
	w.sockets[given][id] = s
	return s
}

// send passes on what this side's end is told, until both directions are closed or the connection is lost.
func (s *socket) send() {
	ready := make(chan struct{}, 1)
	for woken := false; ; {
		m, ok := s.end.Take()
		switch {
		case !ok && woken: // taken away
			s.over()
			return
		case !ok:
			s.end.Notify(func() { ready <- struct{}{} })
			<-ready
			woken = true
			continue
		}
		woken = false
		s.w.out.put(&frame{kind: kindMessage, id: s.id, message: message{given: s.given, Message: m}})
		if m.Kind == websocket.Lost {
			s.over()
			s.end.Retire()
			return
		}
		if m.Kind == websocket.Close && s.closed(&s.out) {
			return
		}
	}
}

// closed notes a close in one direction; after the second the socket is done, and closed reports true.
func (s *socket) closed(direction *bool) bool {
	s.w.mu.Lock()
	*direction = true
	both := s.in && s.out
	s.w.mu.Unlock()
	if both {
		s.over()
		s.end.Retire()
	}
	return both
}

// over lets go of the socket.
func (s *socket) over() {
	s.w.mu.Lock()
	if s.w.sockets[s.given] != nil {
		delete(s.w.sockets[s.given], s.id)
	}
	s.w.mu.Unlock()
	if s.done != nil {
		s.once.Do(s.done)
	}
}

// told passes on what the other side's end was told.
func (w *Wire) told(f *frame) {
	w.mu.Lock()
	s := w.sockets[!f.message.given][f.id]
	w.mu.Unlock()
	if s == nil {
		return // it is over here, and the other side did not know yet
	}
	m := f.message.Message
	switch {
	case m.Kind == websocket.Lost:
		s.over()
		s.end.Lose(nil)
	case !s.end.Send(m):
		s.over()
		s.end.Retire()
		w.out.put(&frame{kind: kindMessage, id: s.id, message: message{given: s.given,
			Message: websocket.Message{Kind: websocket.Lost}}})
	case m.Kind == websocket.Close:
		s.closed(&s.in)
	}
}
