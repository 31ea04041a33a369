package sharing

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/runtime/cluster/node"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/rpc/wire"
	"eddy/runtime/sharing/peer"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/websocket"
)

// Placed is the way to an object of this session's Workers that may be on another node of the cluster.
func (s *Sharing) Placed(name string, object objectjs.DistantObject) objectjs.Distant {
	b, err := json.Marshal(distantName{name, object})
	if err != nil {
		panic(err) // texts always marshal
	}
	return &placedObject{s: s, worker: name, object: object, name: b,
		shard: s.o.Cluster.ShardOf(object.Key, object.ID)}
}

// placedObject is the Client of an object on whichever node has it. Once a call was sent it is not repeated: it may
// have happened.
type placedObject struct {
	s      *Sharing
	worker string
	object objectjs.DistantObject
	name   []byte
	shard  int

	mu   sync.Mutex // guards the rest
	over *wire.Wire
	to   *wire.Proxy // of over
}

// Send implements [rpc.Client].
func (p *placedObject) Send(op *rpc.Op) {
	if p.object.Forwarded {
		p.s.passing.add(op)
	}
	p.with(func(to rpc.Client) {
		if to == nil {
			op.Fail(rpc.Disconnected())
			return
		}
		to.Send(op)
	})
}

// with calls do with the way to the object: a [*wire.Proxy] if it is on another node, nil if it is nowhere.
func (p *placedObject) with(do func(to rpc.Client)) {
	k := string(p.name)
	if p.object.Forwarded {
		k += " forwarded"
	}
	p.s.seeks.with(k, p.known, p.seek, func(at place) { do(p.way(at)) })
}

// way is the object's Client at a place, nil if it has none.
func (p *placedObject) way(at place) rpc.Client {
	switch {
	case at.here:
		return p.s.o.Session.ObjectClient(p.worker, p.object)
	case at.over == nil:
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over != at.over {
		if p.to != nil {
			p.to.Release()
		}
		p.over, p.to = at.over, at.over.Object(p.name)
	}
	return p.to
}

// known is where the object is if that needs no waiting; otherwise no place.
func (p *placedObject) known() place {
	if p.object.Forwarded {
		return place{}
	}
	at, ok := p.where()
	if !ok {
		return place{}
	}
	return place{over: p.s.wires.connected(at)}
}

// where is the other node that has the object, as of the last look.
func (p *placedObject) where() (peer.Address, bool) {
	at := p.s.o.Cluster.Place(p.shard)
	return p.s.address(at), at.Shard == nil && at.URL != ""
}

// seek waits until the object is somewhere: on this node, or behind a wire that is connected. It gives no place if ctx
// ends first.
func (p *placedObject) seek(ctx context.Context) place {
	c := p.s.o.Cluster
	changed := c.Changed()
	if p.object.Forwarded { // the sender may have seen more than this node
		c.Look()
		select {
		case <-changed:
		case <-ctx.Done():
			return place{}
		}
	}
	for ctx.Err() == nil {
		changed = c.Changed()
		if p.s.o.Session.Here(p.object.Key, p.object.ID) {
			return place{here: true}
		}
		if at, ok := p.where(); ok {
			if w := p.s.wires.connect(ctx, at); w != nil {
				return place{over: w}
			}
		}
		p.s.awaitMove(ctx, changed, nil)
	}
	return place{}
}

// awaitMove waits until shards have moved, which closes changed, or may have: then the database is asked again, soon,
// but not by every call. ended tells whether it was cut short by ending.
func (s *Sharing) awaitMove(ctx context.Context, changed, ending <-chan struct{}) (ended bool) {
	pause := time.NewTimer(lookPause)
	defer pause.Stop()
	select {
	case <-changed:
	case <-pause.C:
		s.o.Cluster.Look()
	case <-ending:
		return true
	case <-ctx.Done():
	}
	return false
}

// address is where the node of a place takes calls.
func (s *Sharing) address(at node.Place) peer.Address {
	return peer.Address{URL: at.URL, Token: s.token, Cert: string(at.Cert)}
}

// Fetch implements [objectjs.Distant].
func (p *placedObject) Fetch(req *http.Request, cf string, hops eventloop.Hops, done objectjs.Answered) {
	p.with(func(to rpc.Client) {
		switch to := to.(type) {
		case nil:
			done(nil, nil, rpc.Disconnected())
		case *wire.Proxy:
			fetchOver(to, req, cf, hops, done)
		default: // the object has come to this node
			p.s.o.Session.FetchObject(to, req, cf, hops, func(parts *fetch.Parts, end *websocket.End,
				f *rpc.RemoteError) {
				if f != nil {
					done(nil, nil, f)
					return
				}
				done(parts, end, nil)
			})
		}
	})
}

// Dup implements [rpc.Client]: it is shared.
func (p *placedObject) Dup() rpc.Client { return p }

// Release implements [rpc.Client]. Later calls open another entry.
func (p *placedObject) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil {
		p.to.Release()
	}
	p.over, p.to = nil, nil
}

// Home implements [rpc.Client].
func (p *placedObject) Home() *eventloop.Loop { return nil }

var _ objectjs.Distant = (*placedObject)(nil)

// Settle waits until calls that came here for objects that this node has handed over are answered, or ctx ends.
func (s *Sharing) Settle(ctx context.Context) { s.passing.settle(ctx) }
