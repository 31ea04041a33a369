// Package sockets is cloudflare:sockets: outgoing TCP connections, plain and under TLS.
//
// connect() answers at once with a Socket; the connection is made off the loop. readable and writable are byte streams
// over it. Everything with a goja value belongs to the loop goroutine.
package sockets

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/streams"
)

// module is what an isolate has of the package.
type module struct {
	class     *webidl.Interface
	namespace *goja.Object
	// route is the way of connect(), nil if none goes out.
	route func(Destination) Way
}

type moduleKey struct{}

// Module returns the module's namespace, which is made once for each isolate.
func Module(h *host.Host) *goja.Object { return of(h).namespace }

func of(h *host.Host) *module {
	if m, ok := h.Value(moduleKey{}).(*module); ok {
		return m
	}
	m := newModule(h)
	h.SetValue(moduleKey{}, m)
	return m
}

func newModule(h *host.Host) *module {
	class := h.Realm.Define(webidl.Spec{Name: "Socket", Members: []webidl.Member{
		webidl.Getter("readable", func(s *socket, _ *webidl.Call) goja.Value { return s.readable }),
		webidl.Getter("writable", func(s *socket, _ *webidl.Call) goja.Value { return s.writable }),
		webidl.Getter("opened", func(s *socket, _ *webidl.Call) goja.Value { return s.opened }),
		webidl.Getter("closed", func(s *socket, _ *webidl.Call) goja.Value { return s.closed }),
		webidl.Getter("upgraded", func(s *socket, c *webidl.Call) goja.Value { return c.Value(s.upgraded) }),
		webidl.Getter("secureTransport", func(s *socket, c *webidl.Call) goja.Value { return c.Value(s.transport) }),
		webidl.Async("close", func(s *socket, _ *webidl.Call) goja.Value { s.conn.close(nil); return s.closed }),
		webidl.Method("startTls", (*socket).startTLS),
	}})
	connect := h.Realm.Function("connect", func(fc goja.FunctionCall) goja.Value {
		return open(h, fc.Argument(0), fc.Argument(1))
	})
	ns := h.Runtime().NewObject()
	_ = ns.Set("connect", connect)
	_ = ns.Set("default", ns)
	return &module{class, ns, network}
}

// socket is the state of a Socket.
type socket struct {
	h                  *host.Host
	class              *webidl.Interface
	conn               *connection
	readable, writable goja.Value
	opened, closed     goja.Value
	transport          string // "off", "on" or "starttls"
	upgraded           bool
}

func open(h *host.Host, addr, options goja.Value) goja.Value {
	n := fetch.NetworkOf(h)
	if n.Closed != "" {
		h.Realm.ThrowError("Error", "%s", n.Closed)
	}
	if fetch.Diverted(h) {
		h.Realm.ThrowError("Error", "%s", NoConnect)
	}
	return Connect(h, addr, options, of(h).route)
}

// SetRoute gives connections of cloudflare:sockets another way than the network; nil refuses them. Call it before
// scripts run.
func SetRoute(h *host.Host, route func(Destination) Way) { of(h).route = route }

// network is the route of connections that nobody has given another.
func network(to Destination) Way {
	return Way{Dial: func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", to.Address)
	}}
}

// NoConnect is the text of a connect() to what takes requests only.
const NoConnect = "connect() is not carried to this binding: only fetch() is."

// Connect is connect() of a binding, or of cloudflare:sockets: addr and options are its arguments.
func Connect(h *host.Host, addr, options goja.Value, route func(Destination) Way) goja.Value {
	hostname, port := address(h, addr)
	if route == nil {
		h.Realm.ThrowError("Error", "%s", NoConnect)
	}
	transport, half := "off", false
	if o, ok := options.(*goja.Object); ok {
		if t := webidl.Option(o, "secureTransport"); t != nil {
			transport = t.String()
		}
		if v := webidl.Option(o, "allowHalfOpen"); v != nil {
			half = v.ToBoolean()
		}
	}
	switch transport {
	case "off", "on", "starttls":
	default:
		h.Realm.ThrowType("Unsupported value in secureTransport socket option: %s", transport)
	}
	scope := h.Scope()
	secure := transport == "on"
	to := Destination{Address: net.JoinHostPort(hostname, port), Secure: secure, Scope: scope}
	way := route(to)
	class := of(h).class
	c := &connection{hostname: hostname, half: half, ready: make(chan struct{}), within: way.Join != nil}
	var joint *Joint
	if way.Join != nil {
		joint = newJoint(c, h.Loop.Clock(), to.Address)
	}
	s := newSocket(h, class, c, transport)
	scope.Output(func(err error) {
		switch {
		case err != nil:
			c.close(err)
		case joint != nil && secure:
			joint.Refuse() // scripts speak no TLS
		case joint != nil:
			way.Join(joint)
		default:
			go func() {
				conn, err := way.Dial(scope.Context())
				c.established(scope.Context(), conn, err, secure)
			}()
		}
	})
	return class.Wrap(s)
}

// newSocket makes the streams and promises over a connection that is still being made.
func newSocket(h *host.Host, class *webidl.Interface, c *connection, transport string) *socket {
	s := &socket{h: h, class: class, conn: c, transport: transport}
	scope := h.Scope()
	failure := func(err error) goja.Value { return h.Realm.NewError("Error", err.Error()) }
	s.readable = streams.FromReader(h, reader{c}, streams.ReaderOptions{Length: -1, Waiting: true, Failure: failure})
	s.writable = streams.NewWritable(h, writer{c}, streams.WritableOptions{Failure: failure})
	rt := h.Runtime()
	opened, resolveOpened, rejectOpened := rt.NewPromise()
	closed, resolveClosed, rejectClosed := rt.NewPromise()
	s.opened, s.closed = rt.ToValue(opened), rt.ToValue(closed)
	wait := scope.Waiting
	if c.within {
		wait = scope.Within
	}
	ticket := wait()
	c.onReady(func(info map[string]any, err error) {
		ticket.Return(func() {
			if err != nil {
				_ = rejectOpened(failure(err))
				return
			}
			_ = resolveOpened(rt.ToValue(info))
		})
	})
	end := wait()
	c.onClose(func(err error) {
		end.Return(func() {
			if err != nil {
				_ = rejectClosed(failure(err))
				return
			}
			_ = resolveClosed(goja.Undefined())
		})
	})
	return s
}

// startTLS puts the connection under TLS and gives a new Socket for it; this one is over. The certificate must be for
// the name that was connected to, or for the option expectedServerHostname.
func (s *socket) startTLS(c *webidl.Call) goja.Value {
	if s.transport != "starttls" {
		c.ThrowType("The `secureTransport` socket option must be set to 'starttls' for startTls to be used.")
	}
	if s.upgraded {
		c.ThrowType("Cannot startTls on a TLS socket.")
	}
	s.upgraded = true
	next := &connection{hostname: s.conn.hostname, half: s.conn.half, ready: make(chan struct{})}
	if o, ok := c.Arg(0).(*goja.Object); ok {
		if name := webidl.Option(o, "expectedServerHostname"); name != nil {
			next.hostname = name.String()
		}
	}
	made := newSocket(s.h, s.class, next, "on")
	old := s.conn
	ctx := s.h.Scope().Context()
	go func() {
		<-old.ready
		conn, err := old.take()
		next.established(ctx, conn, err, true)
	}()
	return s.class.Wrap(made)
}

// roots are the certificates that are trusted; nil means the machine's own. Tests put theirs here.
var roots *x509.CertPool

// connection is a TCP connection that may still be under way. Any goroutine.
type connection struct {
	hostname string
	within   bool          // the other end is a script of this process
	half     bool          // allowHalfOpen: the end of what the peer sends does not end what goes to it
	ready    chan struct{} // closed when conn or err is set
	reading  sync.Mutex    // held while a read is under way

	mu struct {
		sync.Mutex
		conn    net.Conn
		err     error
		closed  bool
		sides   [2]bool // with half: whether reading is over, and writing
		opened  []func(map[string]any, error)
		ended   []func(error)
		readied bool
	}
}

// established ends the attempt to connect: conn is the connection, or err says why there is none.
func (c *connection) established(ctx context.Context, conn net.Conn, err error, secure bool) {
	var refused *fetch.Refusal
	switch {
	case errors.As(err, &refused):
		err = refused
	case err != nil:
		err = errNoConnection
	}
	if err == nil && secure {
		t := tls.Client(conn, &tls.Config{ServerName: c.hostname, MinVersion: tls.VersionTLS12, RootCAs: roots})
		if err = t.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			err = errors.New("TLS Handshake Failed.")
		} else {
			conn = t
		}
	}
	c.mu.Lock()
	if c.mu.readied {
		c.mu.Unlock()
		if err == nil {
			_ = conn.Close()
		}
		return
	}
	c.mu.readied, c.mu.conn, c.mu.err = true, conn, err
	c.mu.Unlock()
	close(c.ready)
	var info map[string]any
	if err == nil {
		info = map[string]any{"remoteAddress": conn.RemoteAddr().String(), "localAddress": conn.LocalAddr().String()}
	}
	c.tell(info, err)
	if err != nil {
		c.close(err)
	}
}

// tell says that the connection is open, or why it is not.
func (c *connection) tell(info map[string]any, err error) {
	c.mu.Lock()
	opened := c.mu.opened
	c.mu.opened = nil
	c.mu.Unlock()
	for _, f := range opened {
		f(info, err)
	}
}

func (c *connection) onReady(f func(map[string]any, error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.opened = append(c.mu.opened, f)
}

func (c *connection) onClose(f func(error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mu.ended = append(c.mu.ended, f)
}

// take gives the raw connection to a new owner, and this one is over. It ends a read that waits, because that would
// take what belongs to the new owner.
func (c *connection) take() (net.Conn, error) {
	c.mu.Lock()
	conn, err := c.mu.conn, c.mu.err
	c.mu.conn = nil
	c.mu.Unlock()
	if conn != nil {
		_ = conn.SetReadDeadline(time.Unix(1, 0))
		c.reading.Lock()
		err = conn.SetReadDeadline(time.Time{})
		c.reading.Unlock()
	}
	if conn == nil && err == nil {
		err = net.ErrClosed
	}
	c.close(nil)
	return conn, err
}

// close ends the connection; only the first call counts. err says why, and is nil for an ordinary end.
func (c *connection) close(err error) {
	c.mu.Lock()
	if c.mu.closed {
		c.mu.Unlock()
		return
	}
	c.mu.closed = true
	if errors.Is(err, errNoConnection) {
		c.mu.err = err
	}
	conn, ended := c.mu.conn, c.mu.ended
	if !c.mu.readied {
		c.mu.readied, c.mu.err = true, net.ErrClosed
		close(c.ready)
	}
	c.mu.Unlock()
	if conn != nil {
		_ = conn.Close()
	}
	for _, f := range ended {
		f(err)
	}
}

// refused tells whether nobody has taken the connection.
func (c *connection) refused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Is(c.mu.err, errNoConnection)
}

func (c *connection) get() (net.Conn, error) {
	<-c.ready
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.err != nil {
		return nil, c.mu.err
	}
	if c.mu.conn == nil {
		return nil, net.ErrClosed
	}
	return c.mu.conn, nil
}

// The two sides of a connection.
const (
	readSide = iota
	writeSide
)

// over notes that one side has ended. When both have ended, so has the connection.
func (c *connection) over(side int) {
	c.mu.Lock()
	c.mu.sides[side] = true
	both := c.mu.sides[readSide] && c.mu.sides[writeSide]
	c.mu.Unlock()
	if both {
		c.close(nil)
	}
}

// errLost is what scripts hear when an established connection fails, as on the platform.
var errLost = errors.New("Network connection lost.") // the platform's text

type reader struct{ c *connection }

func (r reader) Read(p []byte) (int, error) {
	<-r.c.ready
	r.c.reading.Lock()
	defer r.c.reading.Unlock()
	conn, err := r.c.get()
	if errors.Is(err, net.ErrClosed) {
		return 0, io.EOF
	}
	if err != nil {
		return 0, err
	}
	n, err := conn.Read(p)
	switch {
	case err == nil || n > 0:
		return n, nil
	case errors.Is(err, io.EOF) && r.c.half:
		r.c.over(readSide)
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded):
		r.c.close(nil)
	case errors.Is(err, errNoConnection):
		return 0, err
	default:
		r.c.close(errLost)
		return 0, errLost
	}
	return 0, io.EOF
}

// Close ends the connection, unless the end of what the peer sends does not.
func (r reader) Close() error {
	r.c.mu.Lock()
	ended := r.c.half && r.c.mu.sides[readSide]
	r.c.mu.Unlock()
	if !ended {
		r.c.close(nil)
	}
	return nil
}

type writer struct{ c *connection }

func (w writer) Write(p []byte) error {
	conn, err := w.c.get()
	if err == nil {
		_, err = conn.Write(p)
	}
	switch {
	case err != nil && w.c.refused():
		return errNoConnection
	case err != nil && w.established():
		return errLost
	}
	return err
}

// established tells whether the connection was ever made; it may be lost by now.
func (w writer) established() bool {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	return w.c.mu.conn != nil
}

// Close sends the end of the stream; the other direction goes on. If the connection is over already there is nothing to
// send.
func (w writer) Close() error {
	conn, err := w.c.get()
	if err == nil {
		if one, ok := conn.(interface{ CloseWrite() error }); ok {
			err = one.CloseWrite()
		}
		w.c.over(writeSide)
	}
	if err != nil && w.established() {
		return nil
	}
	return err
}

func (w writer) Abort(err error) { w.c.close(err) }
func (w writer) Waiting() bool   { return true }
