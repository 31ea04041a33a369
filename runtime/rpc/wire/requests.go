package wire

import (
	"context"
	"io"

	"eddy/runtime/rpc"
	"eddy/runtime/webapi/websocket"
)

// Question is fetch() on its way to the other side. What its head says is for those who use the wire.
type Question struct {
	Head []byte
	// Body is nil if there is none; Length is -1 if it is unknown.
	Body   io.ReadCloser
	Length int64
}

// Reply is the answer to a [Question].
type Reply struct {
	Head   []byte
	Body   io.ReadCloser // nil if there is none
	Length int64
	// Socket is the caller's end of a WebSocket, nil if there is none.
	Socket *websocket.End
	// Over, if set with Socket by the side that answers, is called once when the WebSocket is over. Any goroutine.
	Over func()
}

// Asked is a [Question] that came from the other side.
type Asked struct {
	Question
	// To is the Client of the object, nil for an entrypoint, which is Entry then.
	To    rpc.Client
	Entry Entry
	// Context ends when nobody waits for the answer any more, and with the wire.
	Context context.Context
	// Answer takes the answer, once. Any goroutine.
	Answer func(*rpc.RemoteError, *Reply)
}

// asked is what this side waits for.
type asked chan answer

// answer is one of the two.
type answer struct {
	failure  *rpc.RemoteError
	response *Reply
}

// Fetch sends a request and waits for its answer, or until ctx ends; an error is an [*rpc.RemoteError]. The body of
// the answer must be closed.
func (p *Proxy) Fetch(ctx context.Context, r Question) (*Reply, error) { return p.Ask(r)(ctx) }

// Ask is the first half of Fetch: it sends the request, after what was sent over the wire before. wait, which must be
// called once, is the second half.
func (p *Proxy) Ask(r Question) (wait func(ctx context.Context) (*Reply, error)) {
	w := p.w
	c := &rpc.Cargo{Data: r.Head}
	if r.Body != nil {
		c.Goods = []rpc.Good{{Reader: r.Body, Length: r.Length}}
	}
	out := make(asked, 1)
	w.mu.Lock()
	if w.ended != nil {
		failure := w.ended
		w.mu.Unlock()
		c.Drop()
		return func(context.Context) (*Reply, error) { return nil, failure }
	}
	f := &frame{kind: kindFetch, id: w.number(), to: p.to}
	f.cargo, _ = w.pack(c)
	w.asked[f.id] = out
	w.out.put(f)
	w.mu.Unlock()
	return func(ctx context.Context) (*Reply, error) { return w.await(ctx, f.id, out) }
}

// await waits for the answer of a request, or until ctx ends.
func (w *Wire) await(ctx context.Context, id uint64, out asked) (*Reply, error) {
	select {
	case a := <-out:
		if a.failure != nil {
			return nil, a.failure
		}
		return a.response, nil
	case <-ctx.Done():
	}
	w.mu.Lock()
	_, waits := w.asked[id]
	delete(w.asked, id)
	w.mu.Unlock()
	if waits {
		w.out.put(&frame{kind: kindGiveUp, id: id})
	} else if a := <-out; a.response != nil {
		a.response.Drop()
	}
	return nil, rpc.FailureOf(context.Cause(ctx))
}

// Drop gives an answer back that nobody takes.
func (r *Reply) Drop() {
	if r.Body != nil {
		go r.Body.Close()
	}
	if r.Socket != nil {
		r.Socket.Lose(nil)
		if r.Over != nil {
			r.Over()
		}
	}
}

// requested serves a request of the other side.
func (w *Wire) requested(f *frame) error {
	c, sockets, err := w.unpack(f.cargo)
	if err == nil && len(sockets) > 0 {
		c.Drop()
		err = errFrame
	}
	if err != nil {
		return err
	}
	d := Asked{Entry: f.to.entry, Question: Question{Head: c.Data}}
	if len(c.Goods) == 1 {
		d.Body, d.Length = c.Goods[0].Reader, c.Goods[0].Length
	}
	if len(c.Goods) > 1 || len(c.Goods) == 1 && d.Body == nil {
		c.Drop()
		return errFrame
	}
	ctx, cancel := context.WithCancel(context.Background())
	d.Context = ctx
	id := f.id
	d.Answer = func(failure *rpc.RemoteError, r *Reply) { w.respond(id, failure, r) }
	w.mu.Lock()
	if w.ended != nil || w.serving[id] != nil {
		over := w.ended != nil
		w.mu.Unlock()
		cancel()
		c.Drop()
		if over {
			return nil
		}
		return errFrame
	}
	w.serving[id] = cancel
	w.mu.Unlock()
	if f.to.what != toEntry {
		if d.To = w.find(f.to); d.To == nil {
			c.Drop()
			d.Answer(rpc.Disconnected(), nil)
			return nil
		}
	}
	w.o.Fetch(d)
	return nil
}

// respond sends the answer.
func (w *Wire) respond(id uint64, failure *rpc.RemoteError, r *Reply) {
	f := &frame{kind: kindFetched, id: id, failure: failureOf(failure)}
	var s *socket
	w.mu.Lock()
	cancel := w.serving[id]
	delete(w.serving, id)
	if cancel == nil { // the other side has given up, or the wire has ended
		w.mu.Unlock()
		if r != nil {
			r.Drop()
		}
		return
	}
	if failure == nil {
		c := &rpc.Cargo{Data: r.Head}
		if r.Body != nil {
			c.Goods = []rpc.Good{{Reader: r.Body, Length: r.Length}}
		}
		f.cargo, _ = w.pack(c)
		if r.Socket != nil {
			s = w.socket(w.number(), true, r.Socket)
			s.done = r.Over
			f.cargo.goods = append(f.cargo.goods, good{what: goodSocket, id: s.id})
		}
	}
	w.out.put(f)
	w.mu.Unlock()
	if failure != nil || r.Body == nil && r.Socket == nil {
		cancel()
	}
	if s != nil {
		go s.send()
	}
}

// responded gives a request of this side its answer.
func (w *Wire) responded(f *frame) error {
	w.mu.Lock()
	out := w.asked[f.id]
	delete(w.asked, f.id)
	w.mu.Unlock()
	if f.failure != nil {
		if out != nil {
			out <- answer{failure: f.failure.remote()}
		}
		return nil
	}
	c, sockets, err := w.unpack(f.cargo)
	if err == nil && (len(c.Goods) > 1 || len(c.Goods) == 1 && c.Goods[0].Reader == nil || len(sockets) > 1) {
		c.Drop()
		err = errFrame
	}
	if err != nil {
		if out != nil {
			out <- answer{failure: rpc.Disconnected()}
		}
		return err
	}
	r := &Reply{Head: c.Data}
	if len(c.Goods) == 1 {
		r.Body, r.Length = c.Goods[0].Reader, c.Goods[0].Length
	}
	if len(sockets) == 1 {
		r.Socket = sockets[0]
	}
	if out == nil { // this side has given up
		r.Drop()
		return nil
	}
	out <- answer{response: r}
	return nil
}

// gaveUp ends the context of a request.
func (w *Wire) gaveUp(id uint64) {
	w.mu.Lock()
	cancel := w.serving[id]
	delete(w.serving, id)
	w.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}
