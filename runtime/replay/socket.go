package replay

import (
	"context"
	"encoding/hex"
	"net/http"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/runtime/cause"
	"eddy/runtime/journal"
	"eddy/runtime/webapi/websocket"
	"eddy/runtime/worker"
)

// socket lets what came over a hibernatable WebSocket come again: over the socket of the event that accepted it, if
// that has run again, else over one without a client.
func (p *player) socket(ctx context.Context, l *journal.Line, from cause.Cause) error {
	m, err := socketMessage(l.Socket)
	if err != nil {
		return err
	}
	come := objectjs.SocketCome{Message: m, Tags: l.Socket.Tags, Attachment: l.Socket.Attachment, From: from}
	if span, err := hex.DecodeString(l.Parent); err == nil {
		copy(come.Opened.Span[:], span)
	}
	p.mu.Lock()
	for span, origin := range p.origins {
		if origin != nil && l.Parent != "" && origin.Span == l.Parent {
			come.Opened.Span = span
		}
	}
	p.mu.Unlock()
	return p.up.RunSocket(ctx, l.Object.Namespace, l.Object.ID, l.Object.Name, come)
}

// fromClient tells whether what came over a hibernatable WebSocket came from outside, so that nothing sends it again by
// itself. A Worker that runs again sends by itself what it sent over a socket that it did not answer with.
func fromClient(l *journal.Line, spans map[string]*journal.Line) bool {
	root := l
	for range len(spans) { // a file that was edited may go in circles
		above := spans[root.Parent]
		if above == nil {
			break
		}
		root = above
	}
	switch {
	case root == l, root.Kind == journal.Socket:
		return true
	case root.Kind == journal.Fetch && root.Request != nil:
		return root.Object != nil || root.Request.Status == http.StatusSwitchingProtocols
	}
	return !first(root, spans)
}

// socketMessage is what a line or a frame tells of.
func socketMessage(s *journal.FileSocket) (websocket.Message, error) {
	event := journal.SocketEvent{Type: s.Type, Binary: s.Binary, Code: s.Code, Reason: s.Reason}
	if s.Data != nil {
		var err error
		if event.Data, err = s.Data.Bytes(); err != nil {
			return websocket.Message{}, err
		}
	}
	return websocket.MessageOf(event), nil
}

// connect is the client of a WebSocket with which a request was answered. It sends what the file has, at the captured
// instants, and listens to nothing.
func (p *player) connect(step *Rerun, res *worker.Response) {
	client := res.WebSocket
	client.Discard()
	p.mu.Lock()
	p.clients = append(p.clients, func() {
		client.Lose(nil)
		res.Release()
	})
	p.mu.Unlock()
	var play func(l *journal.Line)
	play = func(l *journal.Line) {
		at, _ := time.Parse(time.RFC3339Nano, l.At) // Read has looked at it
		for i := range l.Frames {
			f := &l.Frames[i]
			m, err := socketMessage(&f.FileSocket)
			if err != nil {
				continue // Read has looked at it
			}
			p.clock.AfterFunc(max(0, at.Add(afterMS(f)).Sub(p.clock.Now())), func() {
				if m.Kind == websocket.Lost {
					client.Lose(m.Err)
				} else {
					client.Send(m)
				}
			})
		}
		if l.Span == "" {
			return
		}
		for _, r := range p.below[l.Span] {
			play(r.Line)
		}
	}
	play(step.Line)
}

func afterMS(f *journal.FileFrame) time.Duration {
	return time.Duration(f.AfterMS * float64(time.Millisecond))
}

// lastFrame is when the last frame of an event came, zero if none did.
func lastFrame(r *Recorded) (at time.Time) {
	if n := len(r.Line.Frames); n > 0 {
		at = r.At.Add(afterMS(&r.Line.Frames[n-1]))
	}
	return at
}

// hangUp ends the WebSockets of the clients: the events that answered with them go on until then.
func (p *player) hangUp(ctx context.Context) error {
	p.mu.Lock()
	clients := p.clients
	p.clients = nil
	p.mu.Unlock()
	for _, end := range clients {
		end()
	}
	return p.clock.Advance(ctx, 0)
}
