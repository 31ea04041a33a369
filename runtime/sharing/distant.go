package sharing

import (
	"encoding/json"
	"sync"

	"eddy/durableobject/objectjs"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/rpc/wire"
)

// Client is the way of RPC to an entrypoint of a Worker in another session, nil if none runs it. It is for one op: the
// next one may find the Worker elsewhere.
func (s *Sharing) Client(name, entrypoint string, props []byte) rpc.Client {
	if to, ok := s.Queues.Running(name); ok {
		if w := s.wires.open(to); w != nil {
			return w.Entry(wire.Entry{Worker: name, Entrypoint: entrypoint, Props: props})
		}
	}
	return nil
}

// Object is the way to a Durable Object of a Worker in another session, nil if none runs it now.
func (s *Sharing) Object(name string, object objectjs.DistantObject) objectjs.Distant {
	if _, ok := s.Queues.Running(name); !ok {
		return nil
	}
	b, err := json.Marshal(distantName{name, object})
	if err != nil {
		panic(err) // texts always marshal
	}
	return &distantObject{s: s, worker: name, name: b}
}

// distantObject is the Client of an object of another session. It has one entry there as long as the wire lasts, so
// that all calls meet the same instance or none (RPC18), and looks for the session again when the wire has ended.
type distantObject struct {
	s      *Sharing
	worker string
	name   []byte

	mu   sync.Mutex // guards the rest
	over *wire.Wire
	to   *wire.Proxy // of over
}

// Send implements [rpc.Client].
func (d *distantObject) Send(op *rpc.Op) {
	if c := d.find(); c != nil {
		c.Send(op)
		return
	}
	op.Fail(rpc.Disconnected())
}

func (d *distantObject) find() *wire.Proxy {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over != nil {
		if _, over := d.over.Ended(); !over {
			return d.to
		}
	}
	to, ok := d.s.Queues.Running(d.worker)
	if !ok {
		return nil
	}
	w := d.s.wires.open(to)
	if w == nil {
		return nil
	}
	d.over, d.to = w, w.Object(d.name)
	return d.to
}

// Dup implements [rpc.Client]: it is shared.
func (d *distantObject) Dup() rpc.Client { return d }

// Release implements [rpc.Client]. Later calls open another entry.
func (d *distantObject) Release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.to != nil {
		d.to.Release()
	}
	d.over, d.to = nil, nil
}

// Home implements [rpc.Client].
func (d *distantObject) Home() *eventloop.Loop { return nil }
