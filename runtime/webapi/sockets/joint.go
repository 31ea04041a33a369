package sockets

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/streams"
)

// Dialer makes a connection, off the loop. A [fetch.Refusal] as its error has a text for scripts.
type Dialer func(ctx context.Context) (net.Conn, error)

// Destination is what connect() was called with.
type Destination struct {
	// Address is "host:port".
	Address string
	// Secure says that TLS is to be spoken from the beginning.
	Secure bool
	// Scope is that of the caller.
	Scope *eventloop.Scope
}

// Way is the way that a connection goes: Dial makes one to a server, Join takes one to a script of this process.
type Way struct {
	Dial Dialer
	Join func(*Joint)
}

// Joint is a connection between two scripts of this process: the caller's Socket is there already, and whoever got the
// Joint accepts or refuses it; only the first of these calls counts. Any goroutine, but for Accept.
type Joint struct {
	address string
	caller  *connection
	callee  *memory
	once    sync.Once // it was accepted or refused
}

// errNoConnection is what scripts hear of any connection that cannot be made (the platform's text).
var errNoConnection = errors.New("proxy request failed, cannot connect to the specified address")

// newJoint makes the two ends.
func newJoint(c *connection, k clock.Clock, address string) *Joint {
	downIn, downOut := streams.NewConduit(k)
	upIn, upOut := streams.NewConduit(k)
	c.mu.conn = &memory{in: downIn, out: upOut}
	c.mu.readied = true
	close(c.ready)
	return &Joint{address: address, caller: c, callee: &memory{in: upIn, out: downOut}}
}

// Accept makes the callee's Socket, the argument of a connect handler, and tells the caller that the connection is
// open. On the callee's loop.
func (j *Joint) Accept(h *host.Host) goja.Value {
	j.once.Do(func() { j.caller.tell(map[string]any{"remoteAddress": j.address}, nil) })
	c := &connection{half: true, ready: make(chan struct{}), within: true}
	c.mu.conn, c.mu.readied = j.callee, true
	close(c.ready)
	m := of(h)
	s := newSocket(h, m.class, c, "off")
	c.tell(map[string]any{"localAddress": j.address}, nil)
	return m.class.Wrap(s)
}

// Refuse says that nobody takes the connection.
func (j *Joint) Refuse() {
	j.once.Do(func() {
		j.caller.tell(nil, errNoConnection)
		j.caller.close(errNoConnection)
		j.callee.abort(errNoConnection)
	})
}

// End closes the callee's side: its handler is done.
func (j *Joint) End() { _ = j.callee.Close() }

// memory is one end of a connection within this process.
type memory struct {
	in  *streams.ConduitReader
	out *streams.ConduitWriter
}

// Read implements [net.Conn].
func (m *memory) Read(p []byte) (int, error) {
	n, err := m.in.Read(p)
	if errors.Is(err, io.ErrClosedPipe) {
		err = net.ErrClosed
	}
	return n, err
}

// Write implements [net.Conn].
func (m *memory) Write(p []byte) (int, error) {
	if err := m.out.Write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close implements [net.Conn].
func (m *memory) Close() error { return errors.Join(m.out.Close(), m.in.Close()) }

// CloseWrite ends one direction.
func (m *memory) CloseWrite() error { return m.out.Close() }

// abort ends both directions with an error for the other end.
func (m *memory) abort(err error) {
	m.out.Abort(err)
	_ = m.in.Close()
}

// LocalAddr implements [net.Conn].
func (m *memory) LocalAddr() net.Addr { return &net.UnixAddr{} }

// RemoteAddr implements [net.Conn].
func (m *memory) RemoteAddr() net.Addr { return &net.UnixAddr{} }

// SetDeadline implements [net.Conn].
func (m *memory) SetDeadline(time.Time) error { return os.ErrNoDeadline }

// SetReadDeadline implements [net.Conn]. A time that is past ends reading for good.
func (m *memory) SetReadDeadline(t time.Time) error {
	if t.IsZero() {
		return nil
	}
	return m.in.Close()
}

// SetWriteDeadline implements [net.Conn].
func (m *memory) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }

// attend attends the end of a connection that reads, or the one that writes, if it is within this process.
func (c *connection) attend(end func(*memory) any) (leave func()) {
	c.mu.Lock()
	m, ok := c.mu.conn.(*memory)
	c.mu.Unlock()
	if !ok {
		return func() {}
	}
	return clock.Attend(end(m))
}

// Attend implements [clock.Attended].
func (r reader) Attend() (leave func()) { return r.c.attend(func(m *memory) any { return m.in }) }

// Attend implements [clock.Attended].
func (w writer) Attend() (leave func()) { return w.c.attend(func(m *memory) any { return m.out }) }
