package wire

import (
	"runtime"
	"sync/atomic"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/websocket"
)

// shared counts the references to something of the other side. With the last one a frame of this kind tells it.
type shared struct {
	w    *Wire
	kind kind
	id   uint64
	refs atomic.Int32
}

func newShared(w *Wire, k kind, id uint64) *shared {
	s := &shared{w: w, kind: k, id: id}
	s.refs.Store(1)
	return s
}

// pack gives what a Cargo has to the other side. It is called with mu held, while the wire has not ended; then is
// called without mu, when the frame is in the outbox.
func (w *Wire) pack(c *rpc.Cargo) (out *cargo, then func()) {
	var after []func()
	out = &cargo{data: c.Data}
	for _, g := range c.Goods {
		out.goods = append(out.goods, w.give(g, &after))
	}
	if c.Dispose != nil {
		out.disposer = w.number()
		w.exports[out.disposer] = disposer{c.Dispose}
	}
	return out, func() {
		for _, f := range after {
			f()
		}
	}
}

// give is pack for one good.
func (w *Wire) give(g rpc.Good, after *[]func()) good {
	if p, ok := g.Client.(*Proxy); ok && p.w == w && p.to.what == toExport {
		// It goes back to where it came from. The release follows on the wire when the message has gone.
		*after = append(*after, p.Release)
		return good{what: goodYours, id: p.to.id}
	}
	id := w.number()
	switch {
	case g.Client != nil:
		w.exports[id] = g.Client
		return good{what: goodExport, id: id}
	case g.Reader != nil:
		w.readable[id] = &source{w: w, id: id, from: g.Reader}
		return good{what: goodReader, id: id, length: g.Length}
	case g.Sink != nil:
		w.writable[id] = &drain{w: w, id: id, to: g.Sink}
		return good{what: goodSink, id: id}
	}
	t := g.Trigger
	*after = append(*after, func() {
		t.Then(func(reason []byte) { w.out.put(&frame{kind: kindSignal, id: id, data: reason}) })
		runtime.AddCleanup(t, func(w *Wire) { w.out.put(&frame{kind: kindIdle, id: id}) }, w)
	})
	return good{what: goodTrigger, id: id}
}

// unpackCall is unpack for a value of RPC, in which there are no sockets.
func (w *Wire) unpackCall(in *cargo) (*rpc.Cargo, error) {
	c, ends, err := w.unpack(in)
	if err == nil && len(ends) > 0 {
		c.Drop()
		err = errFrame
	}
	return c, err
}

// unpack takes what the other side gives.
func (w *Wire) unpack(in *cargo) (c *rpc.Cargo, ends []*websocket.End, err error) {
	c = &rpc.Cargo{Data: in.data}
	w.mu.Lock()
	defer w.mu.Unlock()
	over := w.ended != nil
	for _, g := range in.goods {
		if w.known(g) {
			return nil, nil, errFrame
		}
		switch g.what {
		case goodExport:
			c.Goods = append(c.Goods, rpc.Good{Client: &Proxy{w: w, to: place{what: toExport, id: g.id},
				shared: newShared(w, kindRelease, g.id)}})
		case goodYours:
			own := w.exports[g.id]
			if own == nil && !over {
				return nil, nil, errFrame
			} else if own == nil {
				c.Goods = append(c.Goods, rpc.Good{Client: rpc.Broken{Failure: rpc.Disconnected()}})
				continue
			}
			c.Goods = append(c.Goods, rpc.Good{Client: own.Dup()})
		case goodReader:
			r := newReader(w, g.id)
			if over {
				r.stream.fail(rpc.Disconnected())
			} else {
				w.reading[g.id] = r.stream
			}
			c.Goods = append(c.Goods, rpc.Good{Reader: r, Length: g.length})
		case goodSink:
			s := &sink{w: w, id: g.id, done: make(chan *rpc.RemoteError, 1)}
			if over {
				s.fail(rpc.Disconnected())
			} else {
				w.writing[g.id] = s
			}
			c.Goods = append(c.Goods, rpc.Good{Sink: s})
		case goodTrigger:
			t := &rpc.AbortTrigger{}
			if !over {
				w.waiting[g.id] = t
			}
			c.Goods = append(c.Goods, rpc.Good{Trigger: t})
		case goodSocket:
			end, inner := websocket.NewPipe()
			ends = append(ends, end)
			if over {
				inner.Lose(nil)
			} else {
				go w.socket(g.id, false, inner).send()
			}
		}
	}
	if in.disposer != 0 {
		d := newShared(w, kindRelease, in.disposer)
		c.Dispose = func() { d.w.out.put(&frame{kind: d.kind, id: d.id}) }
	}
	return c, ends, nil
}

// known tells whether the other side has used a number before. Call it with mu held.
func (w *Wire) known(g good) bool {
	switch g.what {
	case goodReader:
		return w.reading[g.id] != nil
	case goodSink:
		return w.writing[g.id] != nil
	case goodTrigger:
		return w.waiting[g.id] != nil
	case goodSocket:
		return w.sockets[false][g.id] != nil
	}
	return false
}

// disposer is the export behind Cargo.Dispose: it can only be released.
type disposer struct{ f func() }

// Send implements [rpc.Client].
func (d disposer) Send(op *rpc.Op) { op.Fail(rpc.Disconnected()) }

// Dup implements [rpc.Client]. Nobody else has it.
func (d disposer) Dup() rpc.Client { return rpc.Broken{Failure: rpc.Disconnected()} }

// Release implements [rpc.Client].
func (d disposer) Release() { d.f() }

// Home implements [rpc.Client].
func (d disposer) Home() *eventloop.Loop { return nil }

// signaled aborts a trigger, or lets it go.
func (w *Wire) signaled(f *frame) {
	w.mu.Lock()
	t := w.waiting[f.id]
	delete(w.waiting, f.id)
	w.mu.Unlock()
	if t != nil && f.kind == kindSignal {
		t.Fire(f.data)
	}
}
