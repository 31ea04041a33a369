package websocket

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// Couple joins an end to a connection: what is sent to the end goes out, what comes in is sent through it. It returns
// at once; done (which may be nil) is called, on a goroutine of its own, when both directions are over and the
// connection is closed.
func Couple(e *End, c *Conn, done func()) {
	p := &coupling{end: e, conn: c}
	var over atomic.Int32
	pump := func(f func()) {
		f()
		if over.Add(1) == 2 {
			_ = c.Close()
			if done != nil {
				done()
			}
		}
	}
	go pump(p.read)
	go pump(p.write)
}

// coupling is a pair of pumps. Each direction passes on a close by itself; when both have, the connection is closed.
// When it breaks, or the end is taken away, both pumps end.
type coupling struct {
	end  *End
	conn *Conn
	mu   struct {
		sync.Mutex
		in, out bool // whether a close has come in, and has gone out
	}
}

// closed notes a close and closes the connection after the second.
func (p *coupling) closed(in bool) {
	p.mu.Lock()
	p.mu.in = p.mu.in || in
	p.mu.out = p.mu.out || !in
	both := p.mu.in && p.mu.out
	p.mu.Unlock()
	if both {
		_ = p.conn.Close()
	}
}

// read is the pump from the network.
func (p *coupling) read() {
	for {
		m, err := p.conn.Receive()
		if err != nil {
			_ = p.conn.Close()
			var protocol *ProtocolError
			if !errors.As(err, &protocol) {
				// A connection that ends is the same to scripts however it ends.
				err = nil
			}
			p.end.Lose(err)
			return
		}
		if !p.end.sendWait(m) {
			_ = p.conn.Close()
			p.end.Retire()
			return
		}
		if m.Kind == Close {
			break
		}
	}
	p.closed(true)
	// The connection is half open now. Nothing more may come, but somebody has to see it end.
	_, _ = io.Copy(io.Discard, p.conn.r)
	p.end.Lose(nil)
}

// write is the pump to the network.
func (p *coupling) write() {
	ready := make(chan struct{}, 1)
	wake := func() { ready <- struct{}{} }
	for {
		m, ok := p.end.Take()
		if !ok {
			// Nothing else waits that could go out together with what is queued.
			if err := p.conn.Flush(); err != nil {
				_ = p.conn.Close()
				p.end.Lose(nil)
				return
			}
		}
		switch {
		case !ok && p.end.gone():
			_ = p.conn.Close()
			return
		case !ok:
			p.end.Notify(wake)
			<-ready
		case m.Kind == Lost:
			_ = p.conn.Flush() // what was sent before goes out; the connection ends in any case
			_ = p.conn.Close()
			p.end.Retire()
			return
		default:
			send := p.conn.Queue
			if m.Kind == Close {
				send = p.conn.Send
			}
			if err := send(m); err != nil {
				_ = p.conn.Close()
				p.end.Lose(nil)
				return
			}
			if m.Kind == Close {
				p.closed(false)
				return
			}
		}
	}
}
