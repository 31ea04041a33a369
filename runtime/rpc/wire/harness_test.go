package wire

import (
	"io"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
)

// host is a Client that serves ops in Go.
type host struct {
	serve    func(op *rpc.Op)
	mu       sync.Mutex // guards the rest
	refs     int
	released chan struct{} // closed with the last reference
}

func newHost(serve func(op *rpc.Op)) *host {
	return &host{serve: serve, refs: 1, released: make(chan struct{})}
}

// Send implements [rpc.Client].
func (h *host) Send(op *rpc.Op) { h.serve(op) }

// Dup implements [rpc.Client].
func (h *host) Dup() rpc.Client {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refs++
	return h
}

// Release implements [rpc.Client].
func (h *host) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refs--; h.refs == 0 {
		close(h.released)
	}
}

// Home implements [rpc.Client].
func (h *host) Home() *eventloop.Loop { return nil }

// result is what a call gave.
type result struct {
	failure *rpc.RemoteError
	cargo   *rpc.Cargo
}

// ask calls a Client and gives the result when it is there, and the Client of what was not awaited.
func ask(c rpc.Client, path string, arguments *rpc.Cargo) (<-chan result, *rpc.Answer) {
	out := make(chan result, 1)
	a := rpc.Arrival{Path: []string{path}, Arguments: arguments,
		Reply: func(f *rpc.RemoteError, c *rpc.Cargo) { out <- result{f, c} }}
	op, answer := a.Op()
	c.Send(op)
	return out, answer
}

// pair is two connected wires. The second one answers every entry and object with c.
type pair struct {
	near, far *Wire
	over      [2]chan error
}

func connect(t *testing.T, c rpc.Client) *pair {
	t.Helper()
	a, b := net.Pipe()
	p := &pair{
		near: New(Options{Name: "near"}),
		far: New(Options{Name: "far", Entry: func(Entry) rpc.Client { return c },
			Open: func([]byte) rpc.Client { return c.Dup() }}),
	}
	for i, side := range []struct {
		w    *Wire
		conn io.ReadWriteCloser
	}{{p.near, a}, {p.far, b}} {
		over := make(chan error, 1)
		p.over[i] = over
		go func() { over <- side.w.Run(side.conn) }()
	}
	t.Cleanup(func() {
		p.near.End(nil)
		p.far.End(nil)
		<-p.over[0]
		<-p.over[1]
	})
	return p
}

// empty waits until neither side keeps anything. What was pipelined is forgotten when the collector finds it.
func (p *pair) empty(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); p.near.Held()+p.far.Held() > 0; {
		runtime.GC()
		runtime.Gosched()
		if time.Now().After(deadline) {
			t.Fatalf("%d and %d things are kept", p.near.Held(), p.far.Held())
		}
	}
}
