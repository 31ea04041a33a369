package objectjs

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"runtime"

	"eddy/durableobject"
	"eddy/runtime/cause"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/websocket"
)

// DistantObject names an object to another session.
type DistantObject struct {
	Class string `json:"class"`
	ID    string `json:"id"`
	// Name is the object's name if Named is set. The receiver goes by the id, unless the sender could not know the key
	// of the namespace.
	Name  string `json:"name,omitempty"`
	Named bool   `json:"named,omitempty"`
	// Cause is what the request is caused by, as traceparent has it.
	Cause string `json:"cause,omitempty"`
}

// DistantFetch sends a request to an object of a Worker in another session. An error that is an [*rpc.RemoteError] is
// what the object threw. RPC goes over Options.Distant, WebSockets do not go.
type DistantFetch func(req *http.Request, to DistantObject, cf string) (*fetch.Parts, error)

// elsewhere is the way to a namespace that another session serves, nil if none does.
func (n *namespace) elsewhere() DistantFetch {
	if n.objs.opts.Elsewhere == nil {
		return nil
	}
	return n.objs.opts.Elsewhere(n.class.Worker)
}

// away is the way of RPC to an object of another session, nil if none serves it.
func (c *client) away() rpc.Client {
	if c.ns.objs.opts.Distant == nil {
		return nil
	}
	a := &c.conn.away
	a.Lock()
	defer a.Unlock()
	if a.client == nil {
		if a.client = c.ns.objs.opts.Distant(c.ns.class.Worker, c.distant("")); a.client != nil {
			runtime.AddCleanup(c.conn, rpc.Client.Release, a.client)
		}
	}
	return a.client
}

// distant names the object to another session.
func (c *client) distant(by string) DistantObject {
	return DistantObject{Class: c.ns.class.Name, ID: c.id.String(), Name: c.name, Named: c.named, Cause: by}
}

func (n *namespace) notCarried(what string) *rpc.RemoteError {
	f := rpc.Fail(what + ` to a Durable Object of Worker "` + n.class.Worker +
		`" is not carried between sessions that share a state directory. Run both in one session: ` +
		`eddy dev -c ONE -c ANOTHER`)
	f.Remote = true
	return f
}

// sendAway delivers a request to an object of another session.
func (e *fetchEvent) sendAway(scope *eventloop.Scope, c *client, distant DistantFetch) (cancel func()) {
	q := e.request
	if q.Upgrade {
		e.fail(c.ns.notCarried("A WebSocket"))
		return nil
	}
	u, err := url.Parse(q.URL)
	if err != nil {
		e.fail(rpc.FailType("Invalid URL: " + q.URL))
		return nil
	}
	ctx, end := context.WithCancel(scope.Context())
	req := (&http.Request{Method: q.Method, URL: u, Header: q.Header, ContentLength: q.Body.Length,
		Host: u.Host}).WithContext(ctx)
	if e.body != nil {
		req.Body = e.body
	}
	go func() {
		parts, err := distant(req, c.distant(e.hops.Cause.String()), q.CF)
		var failure *rpc.RemoteError
		switch {
		case errors.As(err, &failure):
		case err != nil:
			failure = rpc.Disconnected() // the session has ended, or its Worker has
		default:
			if parts.Body != nil {
				parts.Body = &heldBody{ReadCloser: parts.Body, closed: end}
			} else {
				end()
			}
			e.reply(parts, nil, nil)
			return
		}
		end()
		e.fail(failure)
	}()
	return end
}

// client is the stub of an object of a Worker of this session, by the name that another session gives it.
func (o *Objects) client(workerName string, to DistantObject) (*client, error) {
	n := o.namespace(Class{Worker: workerName, Name: to.Class}, false)
	id, err := durableobject.ParseID(n.key, to.ID)
	if errors.Is(err, durableobject.ErrIDNamespace) && to.Named {
		id, err = durableobject.IDFromName(n.key, to.Name), nil
	}
	if err != nil {
		return nil, err
	}
	return &client{ns: n, id: id, name: to.Name, named: to.Named, conn: &connection{}}, nil
}

// Client is an object of a Worker of this session, for calls that come from another one. Any goroutine.
func (o *Objects) Client(workerName string, to DistantObject) rpc.Client {
	c, err := o.client(workerName, to)
	if err != nil {
		return rpc.Broken{Failure: rpc.FailType(err.Error())}
	}
	return c
}

// Fetch delivers a request from another session to an object of a Worker of this one. An error that is an
// [*rpc.RemoteError] is what the object threw; [ErrNotServed] says that the Worker is not running. The body of the
// answer, nil for a null one, must be closed.
func (o *Objects) Fetch(ctx context.Context, workerName string, to DistantObject, req *http.Request,
	cf string) (*fetch.Parts, error) {
	c, err := o.client(workerName, to)
	if err != nil {
		return nil, rpc.FailType(err.Error())
	}
	type result struct {
		parts   *fetch.Parts
		failure *rpc.RemoteError
	}
	answer := make(chan result, 1)
	e := &fetchEvent{
		request: &fetch.OutRequest{
			Method: req.Method, URL: req.URL.String(), Header: req.Header, CF: cf,
			Body: fetch.Payload{Null: req.Body == nil, Length: req.ContentLength},
		},
		body: req.Body,
		// Only a request that asks for a socket can be answered with one, and this one does not.
		answer: func(p *fetch.Parts, _ *websocket.End, f *rpc.RemoteError) { answer <- result{p, f} },
	}
	e.hops.Cause = cause.Parse(to.Cause)
	if !c.ns.post(func(h *home) {
		if h == nil || h.closed {
			e.fail(errReloaded)
			return
		}
		h.fetch(c, e)
	}) {
		return nil, ErrNotServed
	}
	select {
	case r := <-answer:
		if r.failure != nil {
			return nil, r.failure
		}
		return r.parts, nil
	case <-ctx.Done():
		go func() { // the object goes on; nobody reads what it answers
			if r := <-answer; r.parts != nil && r.parts.Body != nil {
				_ = r.parts.Body.Close()
			}
		}()
		return nil, context.Cause(ctx)
	}
}
