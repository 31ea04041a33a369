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

// Joint is a connection between two scripts: the caller's Socket is there already, and whoever got the Joint accepts or
// refuses it; only the first of these calls counts. Who carries it to a script of another process has its Line, and
// accepts it with Opened. Any goroutine, but for Accept.
type Joint struct {
	address string
	caller  *connection
	callee  *Line
	once    sync.Once // it was accepted or refused
}

// errNoConnection is what scripts hear of any connection that cannot be made (the platform's text).
var errNoConnection = errors.New("proxy request failed, cannot connect to the specified address")

// newJoint makes the two ends.
func newJoint(c *connection, k clock.Clock, address string) *Joint {
	downIn, downOut := streams.NewConduit(k)
	upIn, upOut := streams.NewConduit(k)
	c.mu.conn = &Line{in: downIn, out: upOut}
	c.mu.readied = true
	close(c.ready)
	return &Joint{address: address, caller: c, callee: &Line{in: upIn, out: downOut}}
}

// Accept makes the callee's Socket, the argument of a connect handler, and tells the caller that the connection is
// open. On the callee's loop.
func (j *Joint) Accept(h *host.Host) goja.Value {
	j.Opened()
	c := &connection{half: true, ready: make(chan struct{}), within: true}
	c.mu.conn, c.mu.readied = j.callee, true
	close(c.ready)
	m := of(h)
	s := newSocket(h, m.class, c, "off")
	c.tell(map[string]any{"localAddress": j.address}, nil)
	return m.class.Wrap(s)
}

// Opened tells the caller that the connection is open.
func (j *Joint) Opened() {
	j.once.Do(func() { j.caller.tell(map[string]any{"remoteAddress": j.address}, nil) })
}

// Address is what the caller has asked for, "host:port".
func (j *Joint) Address() string { return j.address }

// Line is the callee's end.
func (j *Joint) Line() *Line { return j.callee }

// Carried makes the Joint of a caller in another process, whose end here is the Line. accepted is called once, with
// whether somebody takes the connection, on any goroutine; it must not block.
func Carried(k clock.Clock, address string, accepted func(bool)) (*Joint, *Line) {
	c := &connection{ready: make(chan struct{})}
	c.onReady(func(_ map[string]any, err error) { accepted(err == nil) })
	j := newJoint(c, k, address)
	return j, c.mu.conn.(*Line)
}

// Refuse says that nobody takes the connection.
func (j *Joint) Refuse() {
	j.once.Do(func() {
		j.caller.close(errNoConnection) // closed is settled before who waits for opened goes on
		j.caller.tell(nil, errNoConnection)
		j.callee.abort(errNoConnection)
	})
}

// End closes the callee's side: its handler is done.
func (j *Joint) End() { _ = j.callee.Close() }

// Line is one end of a connection within this process. Any goroutine.
type Line struct {
	in  *streams.ConduitReader
	out *streams.ConduitWriter
}

// Read implements [net.Conn].
func (m *Line) Read(p []byte) (int, error) {
	n, err := m.in.Read(p)
	if errors.Is(err, io.ErrClosedPipe) {
		err = net.ErrClosed
	}
	return n, err
}

// Write implements [net.Conn].
func (m *Line) Write(p []byte) (int, error) {
	if err := m.out.Write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close implements [net.Conn].
func (m *Line) Close() error { return errors.Join(m.out.Close(), m.in.Close()) }

// CloseWrite ends one direction.
func (m *Line) CloseWrite() error { return m.out.Close() }

// CloseRead ends the other direction: what the other end writes from now on fails.
func (m *Line) CloseRead() error { return m.in.Close() }

// Lose ends both directions: the other end hears that the connection is lost.
func (m *Line) Lose() { m.abort(errLost) }

// abort ends both directions with an error for the other end.
func (m *Line) abort(err error) {
	m.out.Abort(err)
	_ = m.in.Close()
}

// LocalAddr implements [net.Conn].
func (m *Line) LocalAddr() net.Addr { return &net.UnixAddr{} }

// RemoteAddr implements [net.Conn].
func (m *Line) RemoteAddr() net.Addr { return &net.UnixAddr{} }

// SetDeadline implements [net.Conn].
func (m *Line) SetDeadline(time.Time) error { return os.ErrNoDeadline }

// SetReadDeadline implements [net.Conn]. A time that is past ends reading for good.
func (m *Line) SetReadDeadline(t time.Time) error {
	if t.IsZero() {
		return nil
	}
	return m.in.Close()
}

// SetWriteDeadline implements [net.Conn].
func (m *Line) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }

// attend attends the end of a connection that reads, or the one that writes, if it is within this process.
func (c *connection) attend(end func(*Line) any) (leave func()) {
	c.mu.Lock()
	m, ok := c.mu.conn.(*Line)
	c.mu.Unlock()
	if !ok {
		return func() {}
	}
	return clock.Attend(end(m))
}

// Attend implements [clock.Attended].
func (r reader) Attend() (leave func()) { return r.c.attend(func(m *Line) any { return m.in }) }

// Attend implements [clock.Attended].
func (w writer) Attend() (leave func()) { return w.c.attend(func(m *Line) any { return m.out }) }
