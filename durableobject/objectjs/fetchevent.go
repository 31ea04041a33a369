package objectjs

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/journal"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/websocket"
	"eddy/runtime/worker"
)

// fetchEvent is one request to an object, from any isolate.
type fetchEvent struct {
	request *fetch.OutRequest
	body    io.ReadCloser
	// answer gives the response back to the caller's loop.
	answer func(*fetch.Parts, *websocket.End, *rpc.RemoteError)
	once   sync.Once
	inst   *instance // loop of its home only
	hops   eventloop.Hops
	// recording is what the journal will get of it.
	recording *recording
	noted     *journal.BodyNotes // of the request, nil for nothing
}

func (e *fetchEvent) reply(p *fetch.Parts, end *websocket.End, f *rpc.RemoteError) {
	e.once.Do(func() { e.answer(p, end, f) })
}

func (e *fetchEvent) fail(f *rpc.RemoteError) { e.reply(nil, nil, f) }

// sender is the fetch.Transport of a stub of k's isolate (RPC20, RPC21).
func (c *client) sender(k *kit) fetch.Transport {
	return c.through(k, func(q *fetch.OutRequest, fn func(*home, *rpc.RemoteError)) bool {
		return c.arrive(".fetch", q.Where, func(h *home) {
			if h == nil || h.closed {
				fn(nil, c.ns.absent())
				return
			}
			fn(h, nil)
		})
	})
}

// through is a Transport that reaches the home by post.
func (c *client) through(k *kit, post func(*fetch.OutRequest, func(*home, *rpc.RemoteError)) bool) fetch.Transport {
	return func(scope *eventloop.Scope, q *fetch.OutRequest, answer func(fetch.TransportAnswer)) func() {
		hops, err := k.iso.Loop.Hops().Object()
		if err != nil {
			answer(fetch.TransportAnswer{Failure: k.rpc.Value(rpc.Fail(err.Error()))})
			return nil
		}
		ticket := scope.Within()
		e := &fetchEvent{request: q, body: q.Body.Open(k.iso.Host, nil), hops: hops}
		e.answer = func(p *fetch.Parts, end *websocket.End, f *rpc.RemoteError) {
			ticket.Return(func() {
				if f != nil {
					answer(fetch.TransportAnswer{Failure: k.rpc.Value(f)})
					return
				}
				if end != nil {
					p.WebSocket = websocket.Wrap(k.iso.Host, end)
				}
				answer(fetch.TransportAnswer{Parts: p})
			})
		}
		if !post(q, func(h *home, failure *rpc.RemoteError) {
			if failure != nil {
				e.fail(failure)
				return
			}
			h.fetch(c, e)
		}) {
			if distant := c.away(); distant != nil {
				return e.sendAway(scope.Context(), distant)
			}
			// If nobody serves the class, the answer is a response, not an error (CL11).
			text := c.ns.notFound().Message
			e.reply(&fetch.Parts{
				Status: 503, Header: http.Header{"Content-Type": {"text/plain;charset=UTF-8"}},
				Body: io.NopCloser(bytes.NewReader([]byte(text))), Length: int64(len(text)),
			}, nil, nil)
		}
		return nil
	}
}

// fetch delivers a request.
func (h *home) fetch(c *client, e *fetchEvent) {
	defer h.unstarted(func(f *rpc.RemoteError) { e.fail(f) })
	inst, failure := h.reach(c)
	if failure != nil {
		e.fail(failure)
		return
	}
	e.inst = inst
	inst.begin()
	inst.fetches[e] = struct{}{}
	inst.enter(e, e.run)
}

func (e *fetchEvent) run() {
	i := e.inst
	iso := i.h.iso
	e.recordFetch()
	iso.Loop.SetHops(e.hops)
	var result goja.Value
	ex := iso.Realm.Try(func() {
		fn, ok := goja.AssertFunction(i.value.Get("fetch"))
		if !ok {
			iso.Warn("Received a FetchEvent but we lack a handler for FetchEvents. Did you remember to export a " +
				"fetch() function?")
			iso.Realm.ThrowError("Error", "%s", worker.NoFetchHandler)
		}
		q := e.request
		in := fetch.Incoming{Method: q.Method, URL: q.URL, Header: q.Header, Body: e.body, Length: q.Body.Length,
			Waiting: q.Body.Waits(), Manual: true}
		if q.CF != "" {
			in.CF = func() goja.Value {
				v, err := worker.Var{JSON: q.CF}.Install(iso)
				if err != nil {
					panic(iso.Realm.ErrorValue(err))
				}
				return v
			}
		}
		v, err := fn(i.value, fetch.NewRequest(iso.Host, in))
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		result = v
	})
	if ex != nil {
		e.failed(ex)
		return
	}
	iso.Realm.Then(result, e.succeeded, e.failed)
}

func (e *fetchEvent) failed(ex goja.Value) {
	e.inst.h.iso.Uncaught(ex)
	f := e.inst.h.kit.rpc.Thrown(ex)
	e.finish(nil, nil, f)
}

func (e *fetchEvent) succeeded(v goja.Value) {
	h := e.inst.h.iso.Host
	var parts *fetch.Parts
	var end *websocket.End
	if ex := h.Realm.Try(func() { parts, end = e.parts(v) }); ex != nil {
		e.failed(ex)
		return
	}
	e.finish(parts, end, nil)
}

// parts takes the response apart for the caller.
func (e *fetchEvent) parts(v goja.Value) (*fetch.Parts, *websocket.End) {
	i := e.inst
	h := i.h.iso.Host
	if !fetch.IsResponse(h, v) {
		h.Realm.ThrowType("%s", worker.NotAResponse)
	}
	out, failure := fetch.Outgoing(h, v)
	if failure != nil {
		panic(failure)
	}
	p := &fetch.Parts{Status: out.Status, StatusText: out.StatusText, Header: out.Header, Length: out.Body.Length,
		Waiting: out.Body.Waits(), Encoding: out.Body.Encoding}
	var end *websocket.End
	if out.WebSocket != nil {
		if !e.request.Upgrade {
			h.Realm.ThrowType("Worker tried to return a WebSocket in a response to a request which did not contain " +
				"the header \"Upgrade: websocket\".")
		}
		end = websocket.Detach(h, out.WebSocket)
	}
	if !out.Body.Null {
		if out.Body.Stream != nil {
			i.begin() // until the stream has ended
			body := out.Body.Open(h, nil)
			p.Body = &heldBody{ReadCloser: body, closed: func() { h.Loop.Post(i.end) }}
		} else {
			p.Body = out.Body.Open(h, nil)
		}
	}
	return p, end
}

// heldBody tells when its reader is done.
type heldBody struct {
	io.ReadCloser
	once   sync.Once
	closed func()
}

// Attend implements [clock.Attended].
func (b *heldBody) Attend() (leave func()) { return clock.Attend(b.ReadCloser) }

// Read implements io.Reader.
func (b *heldBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.once.Do(b.closed)
	}
	return n, err
}

// Close implements io.Closer.
func (b *heldBody) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(b.closed)
	return err
}

// finish answers when everything written before is confirmed (GT7).
func (e *fetchEvent) finish(p *fetch.Parts, end *websocket.End, f *rpc.RemoteError) {
	i := e.inst
	i.scope.Output(func(err error) {
		if err != nil {
			if p != nil && p.Body != nil {
				go p.Body.Close()
			}
			p, f = nil, rpc.FailureOf(err)
		}
		if e.recording != nil && e.recording.entry != nil {
			r := e.recording.entry.Request
			if p != nil {
				r.Status = p.Status
			}
			r.Body, r.BodyCut = e.noted.Bytes()
		}
		e.recording.end(f != nil)
		e.reply(p, end, f)
		delete(i.fetches, e)
		i.end()
	})
}
