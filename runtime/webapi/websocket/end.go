package websocket

import (
	"sync"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/cause"
	"eddy/runtime/engine/host"
)

// maxBuffered is how much may wait in an end before the network is no longer read, in bytes.
const maxBuffered = 4 << 20

// End is one end of a pipe; see the package documentation.
type End struct {
	// These fields survive hibernation. They belong to the loop of the holder.

	// URL, Protocol and Extensions are the attributes; HasProtocol and HasExtensions tell "" from null.
	URL, Protocol, Extensions  string
	HasURL                     bool
	HasProtocol, HasExtensions bool
	// Attachment is the serialised attachment, nil if never set.
	Attachment []byte
	// Tags are those of acceptWebSocket.
	Tags []string
	// Opened is the event in which the holder accepted the end, as the journal names it; zero without a journal.
	Opened cause.Cause
	// AutoResponse is when an automatic response was last sent, zero if never.
	AutoResponse time.Time
	// HalfOpen leaves the answer to an incoming close to the script.
	HalfOpen bool
	// ClosedIn and ClosedOut tell which directions are closed. Gone tells that nothing can be sent any more, and
	// Failed that the socket therefore counts as closed.
	ClosedIn, ClosedOut, Gone, Failed bool
	// Hibernatable is set by AcceptHibernatable, Accepted by that and by accept(); they stay.
	Hibernatable, Accepted bool

	object *goja.Object
	holder *host.Host

	peer *End
	mu   struct {
		sync.Mutex
		inbox []Message
		bytes int
		wake  func()
		room  *sync.Cond
		lost  bool // this end is gone: nobody can send to it
		deaf  bool // what comes is dropped
	}
}

// NewPipe makes two ends.
func NewPipe() (*End, *End) {
	a, b := &End{HasProtocol: true, HasExtensions: true}, &End{HasProtocol: true, HasExtensions: true}
	a.peer, b.peer = b, a
	a.mu.room, b.mu.room = sync.NewCond(&a.mu), sync.NewCond(&b.mu)
	return a, b
}

// Send gives a message to the peer. It reports false when the peer is gone. Any goroutine.
func (e *End) Send(m Message) bool { return e.peer.put(m, false) }

// sendWait sends as Send does, but waits while the peer's buffer is full: it is for readers of a network.
func (e *End) sendWait(m Message) bool { return e.peer.put(m, true) }

func (e *End) put(m Message, wait bool) bool {
	e.mu.Lock()
	for wait && e.mu.bytes > maxBuffered && !e.mu.lost {
		e.mu.room.Wait()
	}
	if e.mu.lost {
		e.mu.Unlock()
		return false
	}
	if e.mu.deaf {
		e.mu.Unlock()
		return true
	}
	e.mu.inbox = append(e.mu.inbox, m)
	e.mu.bytes += m.size()
	wake := e.mu.wake
	e.mu.wake = nil
	e.mu.Unlock()
	if wake != nil {
		wake()
	}
	return true
}

// Discard drops what has come and all that will come to this end: nobody listens. Any goroutine.
func (e *End) Discard() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mu.deaf, e.mu.inbox, e.mu.bytes = true, nil, 0
	e.mu.room.Broadcast()
}

// Notify calls wake once, when there is something to take or the end is taken away, at once if that has happened
// already. wake must allow any goroutine. A later call of Notify takes the place of an earlier one. Any goroutine.
func (e *End) Notify(wake func()) {
	e.mu.Lock()
	if len(e.mu.inbox) == 0 && !e.mu.lost {
		e.mu.wake = wake
		e.mu.Unlock()
		return
	}
	e.mu.Unlock()
	if wake != nil {
		wake()
	}
}

// Take is the next message; ok is false when there is none. Any goroutine.
func (e *End) Take() (m Message, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.mu.inbox) == 0 {
		return Message{}, false
	}
	m = e.mu.inbox[0]
	e.mu.inbox[0] = Message{}
	e.mu.inbox = e.mu.inbox[1:]
	e.mu.bytes -= m.size()
	e.mu.room.Broadcast()
	return m, true
}

// Lose ends the connection at this end without a close. Messages that wait here are dropped. The peer still receives
// what was sent before, and then learns that the connection is lost. A second call does nothing. Any goroutine.
func (e *End) Lose(err error) {
	if e.retire() {
		e.peer.put(Message{Kind: Lost, Err: err}, false)
	}
}

// Retire takes the end away after a close in both directions: the peer is told nothing. Any goroutine.
func (e *End) Retire() { e.retire() }

// retire does what Retire does, and reports whether the end was still there. It wakes whoever waits for a message; that
// one finds none.
func (e *End) retire() bool {
	e.mu.Lock()
	first, wake := !e.mu.lost, e.mu.wake
	e.mu.lost = true
	e.mu.inbox, e.mu.bytes, e.mu.wake = nil, 0, nil
	e.mu.room.Broadcast()
	e.mu.Unlock()
	if wake != nil {
		wake()
	}
	return first
}

// gone tells whether the end has been taken away.
func (e *End) gone() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mu.lost
}
