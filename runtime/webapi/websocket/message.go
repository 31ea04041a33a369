package websocket

import (
	"errors"
	"fmt"

	"eddy/runtime/journal"
)

// MessageKind is the kind of a message.
type MessageKind uint8

// The kinds of messages.
const (
	Text MessageKind = iota
	Binary
	Close
	// Lost is not sent: it is what comes last from a connection that broke.
	Lost
)

// Message is what goes through a pipe.
type Message struct {
	Kind MessageKind
	// Text is the content of a text message.
	Text string
	// Data is the content of a binary message. It is not changed once sent.
	Data []byte
	// Code and Reason are those of a close; 1005 is a close without a code.
	Code   int
	Reason string
	// Err says why a connection was lost; nil when it ended without a close.
	Err error
}

// NoCode is the code of a close frame that has none.
const NoCode = 1005

// MaxMessage is the size limit for messages that come in, in bytes (WS13).
const MaxMessage = 32 << 20

// ProtocolError says how a peer broke the protocol. The connection is closed with Code.
type ProtocolError struct {
	Code        int
	Description string
}

// Error is the platform's text (WS13).
func (e *ProtocolError) Error() string {
	return fmt.Sprintf(
		"WebSocket protocol error; protocolError.statusCode = %d; protocolError.description = %s", e.Code,
		e.Description)
}

// Breach is the peer's breach of the protocol that ended the connection, nil if there was none. Scripts hear of a
// breach as an error, and of any other loss as a close with 1006 (WS9, WS13).
func (m Message) Breach() *ProtocolError {
	var p *ProtocolError
	if m.Kind == Lost && errors.As(m.Err, &p) {
		return p
	}
	return nil
}

// Event is the message as the journal has it.
func (m Message) Event() journal.SocketEvent {
	s := journal.SocketEvent{Type: "message"}
	switch m.Kind {
	case Close:
		s.Type, s.Code, s.Reason = "close", m.Code, m.Reason
	case Lost:
		s.Type, s.Code = "close", 1006
		if p := m.Breach(); p != nil {
			s.Type, s.Code, s.Reason = "error", p.Code, p.Description
		}
	case Text:
		s.SetMessage([]byte(m.Text), false)
	default:
		s.SetMessage(m.Data, true)
	}
	return s
}

// MessageOf is the message that an event of the journal tells of. An event whose data was cut gives what is left.
func MessageOf(s journal.SocketEvent) Message {
	switch {
	case s.Type == "error":
		return Message{Kind: Lost, Err: &ProtocolError{Code: s.Code, Description: s.Reason}}
	case s.Type == "close" && s.Code == 1006:
		return Message{Kind: Lost}
	case s.Type == "close":
		return Message{Kind: Close, Code: s.Code, Reason: s.Reason}
	case s.Binary:
		return Message{Kind: Binary, Data: s.Data}
	}
	return Message{Kind: Text, Text: string(s.Data)}
}

// size is what a message counts against the buffer of an end.
func (m Message) size() int { return len(m.Text) + len(m.Data) + len(m.Reason) + 64 }
