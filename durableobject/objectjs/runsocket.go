package objectjs

import (
	"context"
	"slices"

	"eddy/durableobject"
	"eddy/runtime/cause"
	"eddy/runtime/webapi/websocket"
)

// SocketCome is what comes over a hibernatable WebSocket of an object, for somebody who knows of it without a network:
// a capture.
type SocketCome struct {
	Message websocket.Message
	// Opened names the event in which the object accepted the socket. If the object has no open socket of that event
	// with these tags, it gets one, which has the attachment, and to whose other end nobody listens.
	Opened     cause.Cause
	Tags       []string
	Attachment []byte
	// From is the cause of the event.
	From cause.Cause
}

// RunSocket lets something come over a hibernatable WebSocket of an object now. id is the object's in hexadecimal
// digits, name its name, "" if that is not known. RunSocket returns when the handler has been sent for. An error says
// that no Worker that runs has the namespace, or that the id is none of it.
func (o *Objects) RunSocket(ctx context.Context, namespace, id, name string, come SocketCome) error {
	parsed, err := durableobject.ParseID(namespace, id)
	if err != nil {
		return err
	}
	return o.on(ctx, namespace, func(h *home) error {
		i, failure := h.instance(parsed, name, name != "")
		if failure != nil {
			return failure
		}
		s := i.socketsOf(true)
		at := slices.IndexFunc(s.list, func(e *websocket.End) bool {
			return e.Opened.Span == come.Opened.Span && slices.Equal(e.Tags, come.Tags) && !e.ClosedIn
		})
		if at < 0 {
			e, client := websocket.NewPipe()
			client.Discard()
			e.Hibernatable, e.Accepted, e.Opened = true, true, come.Opened
			e.Tags, e.Attachment = slices.Clone(come.Tags), slices.Clone(come.Attachment)
			at = len(s.list)
			i.hold(s, e)
		}
		s.deliver(s.list[at], come.Message, come.From)
		return nil
	})
}
