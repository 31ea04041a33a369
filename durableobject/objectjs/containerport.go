package objectjs

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"

	"github.com/dop251/goja"

	"eddy/runtime/containers"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/sockets"
	"eddy/runtime/webapi/websocket"
)

// maxPort is the highest number of a TCP port.
const maxPort = 65535

// port is a stub whose fetch() and connect() go to a TCP port of the container.
func (c *container) port(call *webidl.Call) goja.Value {
	c.need()
	port := call.Require(0, "number").ToInteger()
	if port <= 0 || port > maxPort {
		c.h.iso.Realm.ThrowType("Invalid port number: %d", port)
	}
	return c.h.kit.rpc.NewFetcher(&rpc.Fetcher{
		Client: portClient{}, Fetch: c.sender(int(port)),
		Connect: func(to sockets.Destination) sockets.Way {
			r := c.run
			return sockets.Way{Dial: func(ctx context.Context) (net.Conn, error) {
				if to.Secure {
					return nil, &fetch.Refusal{Text: noTLS}
				}
				return c.dial(ctx, r, int(port))
			}}
		},
	})
}

const noTLS = "Connecting to a container using TLS is not currently supported. It is unnecessary anyway, as the " +
	"connection is already secure by default."

// sender sends requests to a port.
func (c *container) sender(port int) fetch.Transport {
	return func(scope *eventloop.Scope, q *fetch.OutRequest, answer func(fetch.TransportAnswer)) func() {
		if strings.HasPrefix(q.URL, "https:") {
			answer(fetch.TransportAnswer{Failure: c.h.iso.Realm.NewError("Error", "Connecting to a container using "+
				"HTTPS is not currently supported; use HTTP instead. TLS is unnecessary anyway, as the connection is "+
				"already secure by default.")})
			return nil
		}
		rt := c.transport(c.run, port)
		if q.Upgrade {
			return websocket.Through(c.h.iso.Host, rt)(scope, q, answer)
		}
		return fetch.Over(c.h.iso.Host, rt)(scope, q, answer)
	}
}

// transport is the way to a port of a life of the container.
func (c *container) transport(r *containerRun, port int) *http.Transport {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return c.dial(ctx, r, port) }
	t := &http.Transport{DisableCompression: true, DialContext: dial}
	if r == nil {
		return t
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if have := r.ports[port]; have != nil {
		return have
	}
	r.ports[port] = t
	return t
}

// closePorts ends the connections that wait for requests.
func (r *containerRun) closePorts() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.ports {
		t.CloseIdleConnections()
	}
}

const notStarted = "The container is not running, consider calling start()"

// dial connects to a port of a life of the container, when it has started. Any goroutine.
func (c *container) dial(ctx context.Context, r *containerRun, port int) (net.Conn, error) {
	if r == nil {
		return nil, &fetch.Refusal{Text: notStarted}
	}
	select {
	case <-r.started:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if r.live == nil {
		return nil, &fetch.Refusal{Text: notStarted}
	}
	conn, err := r.live.Dial(ctx, port)
	var unreached *containers.UnreachedError
	switch {
	case errors.As(err, &unreached):
		return nil, &fetch.Refusal{Text: unreached.Error()}
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EHOSTUNREACH):
		return nil, &fetch.Refusal{Text: "Container is not listening to port " + strconv.Itoa(port)}
	}
	return conn, err
}

// portClient refuses the methods of a port: it is no Worker.
type portClient struct{}

// Send implements [rpc.Client].
func (portClient) Send(op *rpc.Op) {
	op.Fail(rpc.Fail("A container port has fetch() and connect() only."))
}

// Dup implements [rpc.Client].
func (p portClient) Dup() rpc.Client { return p }

// Release implements [rpc.Client].
func (portClient) Release() {}

// Home implements [rpc.Client].
func (portClient) Home() *eventloop.Loop { return nil }
