package objectjs

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"runtime"
	"strings"

	"eddy/durableobject"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/sockets"
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
	// Key is the unique key of the namespace here. Forwarded says that the call has come from another session: who sent
	// it here knows no better, or less.
	Key       string `json:"-"`
	Forwarded bool   `json:"-"`
}

// Distant is an object of a Worker in another session. Any goroutine.
type Distant interface {
	rpc.Client
	// Fetch sends a request, after the requests and calls that were sent before. It does not wait.
	Fetch(req *http.Request, cf string, hops eventloop.Hops, done Answered)
	// Connect takes a connection there. It does not wait.
	Connect(j *sockets.Joint, hops eventloop.Hops)
}

// Answered gets the answer of [Distant]'s Fetch, once, on any goroutine: with the caller's end of its WebSocket, if it
// has one. The body must be closed. An error that is an [*rpc.RemoteError] is what the object threw.
type Answered func(*fetch.Parts, *websocket.End, error)

// away is the way to an object of another session, nil if none serves it.
func (c *client) away() Distant {
	if c.ns.objs.opts.Distant == nil {
		return nil
	}
	a := &c.conn.away
	a.Lock()
	defer a.Unlock()
	if a.client == nil {
		if a.client = c.ns.objs.opts.Distant(c.ns.class.Worker, c.distant()); a.client != nil {
			runtime.AddCleanup(c.conn, Distant.Release, a.client)
		}
	}
	return a.client
}

// distant names the object to another session.
func (c *client) distant() DistantObject {
	return DistantObject{Class: c.ns.class.Name, ID: c.id.String(), Name: c.name, Named: c.named, Key: c.ns.key,
		Forwarded: c.forwarded}
}

// sendAway delivers a request to an object of another session.
func (e *fetchEvent) sendAway(within context.Context, distant Distant) (cancel func()) {
	q := e.request
	u, err := url.Parse(q.URL)
	if err != nil {
		e.fail(rpc.FailType("Invalid URL: " + q.URL))
		return nil
	}
	ctx, end := context.WithCancel(within)
	req := (&http.Request{Method: q.Method, URL: u, Header: q.Header, ContentLength: q.Body.Length,
		Host: u.Host}).WithContext(ctx)
	if e.body != nil {
		req.Body = e.body
	}
	distant.Fetch(req, q.CF, e.hops, func(parts *fetch.Parts, socket *websocket.End, err error) {
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
			e.reply(parts, socket, nil)
			return
		}
		end()
		e.fail(failure)
	})
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
	return &client{ns: n, id: id, name: to.Name, named: to.Named, conn: &connection{}, forwarded: true}, nil
}

// Client is an object of a Worker of this session, for calls that come from another one. Any goroutine.
func (o *Objects) Client(workerName string, to DistantObject) rpc.Client {
	c, err := o.client(workerName, to)
	if err != nil {
		return rpc.Broken{Failure: rpc.FailType(err.Error())}
	}
	return c
}

// Fetch delivers a request from another session to an object that [Objects.Client] has given, and gives done the
// answer, with the caller's end of its WebSocket. It does not wait. done is called once, on any goroutine; the body of
// the answer must be closed.
func (o *Objects) Fetch(to rpc.Client, req *http.Request, cf string, hops eventloop.Hops,
	done func(*fetch.Parts, *websocket.End, *rpc.RemoteError)) {
	c, ok := to.(*client)
	if !ok {
		done(nil, nil, to.(rpc.Broken).Failure)
		return
	}
	e := &fetchEvent{
		request: &fetch.OutRequest{
			Method: req.Method, URL: req.URL.String(), Header: req.Header, CF: cf,
			Body:    fetch.Payload{Null: req.Body == nil, Length: req.ContentLength},
			Upgrade: strings.EqualFold(req.Header.Get("Upgrade"), "websocket"),
		},
		body: req.Body, answer: done, hops: hops,
	}
	if !c.ns.bring(c.id, func(h *home) {
		if h == nil || h.closed {
			e.fail(c.ns.absent())
			return
		}
		h.fetch(c, e)
	}) {
		if away := c.elsewhere(); away != nil {
			e.sendAway(req.Context(), away)
			return
		}
		e.fail(rpc.Disconnected()) // its Worker has ended
	}
}

// elsewhere is away in a cluster, where an object may have gone to another node; nil outside.
func (c *client) elsewhere() Distant {
	if c.ns.objs.opts.Cluster == nil {
		return nil
	}
	return c.away()
}
