package sharing

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"eddy/durableobject/objectjs"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/rpc/wire"
	"eddy/runtime/sharing/peer"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/websocket"
)

// placeTime is how long a call waits for its object to be somewhere: longer than a lease and a takeover.
const placeTime = 15 * time.Second

// Placed is the way to an object of this session's Workers that may be on another node of the cluster.
func (s *Sharing) Placed(name string, object objectjs.DistantObject) objectjs.Distant {
	b, err := json.Marshal(distantName{name, object})
	if err != nil {
		panic(err) // texts always marshal
	}
	return &placedObject{s: s, worker: name, object: object, name: b,
		shard: s.o.Cluster.ShardOf(object.Key, object.ID)}
}

// placedObject is the Client of an object on whichever node has it. Calls that come while its place is not known wait,
// in order. Once a call was sent it is not repeated: it may have happened.
type placedObject struct {
	s      *Sharing
	worker string
	object objectjs.DistantObject
	name   []byte
	shard  int

	mu      sync.Mutex // guards the rest
	waiting []*rpc.Op
	seeking bool
	over    *wire.Wire
	at      peer.Address
	to      *wire.Proxy // of over
}

// Send implements [rpc.Client].
func (p *placedObject) Send(op *rpc.Op) {
	if p.object.Forwarded {
		p.s.passing.add(op)
	}
	p.mu.Lock()
	if !p.seeking {
		if to := p.knownLocked(); to != nil {
			p.mu.Unlock()
			to.Send(op)
			return
		}
		p.seeking = true
		go p.deliver()
	}
	p.waiting = append(p.waiting, op)
	p.mu.Unlock()
}

// knownLocked is the proxy that was used last, if the object is still there. It is called with mu held.
func (p *placedObject) knownLocked() *wire.Proxy {
	if p.over == nil || p.object.Forwarded {
		return nil
	}
	if at, ok := p.where(); ok {
		return p.overLocked(at)
	}
	return nil
}

// overLocked is the proxy that was used last, if its wire leads to an address and lives. It is called with mu held.
func (p *placedObject) overLocked(at peer.Address) *wire.Proxy {
	if p.over == nil || p.at != at {
		return nil
	}
	if _, over := p.over.Ended(); over {
		return nil
	}
	return p.to
}

// where is the other node that has the object, as of the last look.
func (p *placedObject) where() (peer.Address, bool) {
	place := p.s.o.Cluster.Place(p.shard)
	if place.Shard != nil || place.URL == "" {
		return peer.Address{}, false
	}
	return peer.Address{URL: place.URL, Token: p.s.token, Cert: string(place.Cert)}, true
}

// deliver finds the object and sends what waits.
func (p *placedObject) deliver() {
	ctx, cancel := context.WithTimeout(context.Background(), placeTime)
	defer cancel()
	to := p.seek(ctx)
	for {
		p.mu.Lock()
		list := p.waiting
		p.waiting = nil
		if len(list) == 0 {
			p.seeking = false
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		for _, op := range list {
			if to == nil {
				op.Fail(rpc.Disconnected())
				continue
			}
			to.Send(op)
		}
	}
}

// seek waits until the object is somewhere, and gives the way to it: on this node, or over a wire that is connected. It
// gives nil if ctx ends first.
func (p *placedObject) seek(ctx context.Context) rpc.Client {
	c := p.s.o.Cluster
	changed := c.Changed()
	if p.object.Forwarded { // the sender may have seen more than this node
		c.Look()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
	for ctx.Err() == nil {
		changed = c.Changed()
		if p.s.o.Session.Here(p.object.Key, p.object.ID) {
			return p.s.o.Session.ObjectClient(p.worker, p.object)
		}
		if at, ok := p.where(); ok {
			p.mu.Lock()
			to := p.overLocked(at)
			p.mu.Unlock()
			if to != nil {
				return to
			}
			if w := p.s.wires.connect(ctx, at); w != nil {
				p.mu.Lock()
				p.over, p.at, p.to = w, at, w.Object(p.name)
				to = p.to
				p.mu.Unlock()
				return to
			}
		}
		// The database is asked again soon, but not by every call.
		pause := time.NewTimer(lookPause)
		select {
		case <-changed:
		case <-pause.C:
			c.Look()
		case <-ctx.Done():
		}
		pause.Stop()
	}
	return nil
}

const lookPause = 50 * time.Millisecond

// Fetch implements [objectjs.Distant].
func (p *placedObject) Fetch(req *http.Request, cf string, hops eventloop.Hops) (*fetch.Parts, *websocket.End, error) {
	ctx, cancel := context.WithTimeout(req.Context(), placeTime)
	defer cancel()
	switch to := p.seek(ctx).(type) {
	case *wire.Proxy:
		return fetchOver(to, req, cf, hops)
	case nil:
		return nil, nil, rpc.Disconnected()
	default:
		return p.fetchHere(to, req, cf, hops)
	}
}

// fetchHere delivers a request to an object that has come to this node.
func (p *placedObject) fetchHere(to rpc.Client, req *http.Request, cf string, hops eventloop.Hops) (*fetch.Parts,
	*websocket.End, error) {
	type answer struct {
		parts *fetch.Parts
		end   *websocket.End
		f     *rpc.RemoteError
	}
	ch := make(chan answer, 1)
	p.s.o.Session.FetchObject(to, req, cf, hops, func(parts *fetch.Parts, end *websocket.End, f *rpc.RemoteError) {
		ch <- answer{parts, end, f}
	})
	a := <-ch
	if a.f != nil {
		return nil, nil, a.f
	}
	return a.parts, a.end, nil
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
