package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/dop251/goja"

	"eddy/durableobject/objectjs"
	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/peer"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/worker"
)

// This file is fetch() of service bindings and of Durable Objects' stubs between sessions that share a state directory.

// callOf is a request as it goes to another session.
func callOf(name string, req *http.Request) peer.Call {
	return peer.Call{
		Worker: name, Method: req.Method, URL: req.URL.String(), Header: req.Header, HasBody: req.Body != nil, Length: req.ContentLength,
	}
}

// sendCall makes a call. What was thrown over there is an *[rpc.Failure].
func sendCall(to peer.Address, c peer.Call, req *http.Request) (*peer.Reply, io.ReadCloser, error) {
	var body io.Reader
	if req.Body != nil {
		body = req.Body
	}
	reply, in, err := peer.Do(req.Context(), to, c, body)
	var thrown *peer.Thrown
	switch {
	case errors.As(err, &thrown):
		f := rpc.Standard(thrown.Name, thrown.Message)
		f.Remote = true
		f.Retryable, f.Overloaded, f.Reset = thrown.Flags["retryable"], thrown.Flags["overloaded"], thrown.Flags["durableObjectReset"]
		return nil, nil, f
	case err != nil:
		return nil, nil, fmt.Errorf("Worker %q in the session at %s: %w", c.Worker, to.URL, err)
	}
	return reply, in, nil
}

// workerAway is the way to a Worker in another session, nil if none runs it.
func (s *Server) workerAway(name string) servicebinding.Distant {
	if s.byName[name] != nil {
		return nil
	}
	to, ok := s.queues.Running(name)
	if !ok {
		return nil
	}
	return func(req *http.Request, o servicebinding.DistantOptions) (*worker.Response, error) {
		c := callOf(name, req)
		c.Entrypoint, c.Props, c.CF = o.Entrypoint, o.Props, o.CF
		reply, body, err := sendCall(to, c, req)
		if err != nil {
			return nil, err
		}
		return &worker.Response{
			Status: reply.Status, StatusText: reply.StatusText, Header: reply.Header, Body: body, Null: reply.Null, Length: reply.Length, Encoding: reply.Encoding,
		}, nil
	}
}

// objectsAway is the way to the Durable Objects of a Worker in another session, nil if none runs it.
func (s *Server) objectsAway(name string) objectjs.Distant {
	if s.byName[name] != nil {
		return nil
	}
	to, ok := s.queues.Running(name)
	if !ok {
		return nil
	}
	return func(req *http.Request, object objectjs.DistantObject, cf string) (*fetch.Parts, error) {
		c := callOf(name, req)
		c.CF = cf
		var err error
		if c.Object, err = json.Marshal(object); err != nil {
			return nil, err
		}
		reply, body, err := sendCall(to, c, req)
		if err != nil {
			return nil, err
		}
		p := &fetch.Parts{Status: reply.Status, StatusText: reply.StatusText, Header: reply.Header, Body: body, Length: reply.Length, Encoding: reply.Encoding}
		if reply.Null {
			p.Body = nil
			return p, body.Close()
		}
		return p, nil
	}
}

// serveCall answers a request from another session's Worker.
func (s *Server) serveCall(w http.ResponseWriter, r *http.Request) {
	peer.ServeCall(w, r, s.door.token, func(c peer.Call, body io.ReadCloser, reply func(peer.Reply) (io.Writer, error)) error {
		svc := s.byName[c.Worker]
		if svc == nil {
			return peer.ErrNotRunning
		}
		g, err := svc.wait(r.Context())
		if err != nil {
			return peer.ErrNotRunning
		}
		var head peer.Reply
		var out io.ReadCloser
		u, err := url.Parse(c.URL)
		if err == nil {
			req := &http.Request{Method: c.Method, URL: u, Header: c.Header, Host: u.Host, ContentLength: c.Length}
			if req.Header == nil {
				req.Header = http.Header{}
			}
			if c.HasBody {
				req.Body = body
			}
			if c.Object != nil {
				head, out, err = s.callObject(r.Context(), c, req)
			} else {
				head, out, err = s.callWorker(r.Context(), svc, g, c, req)
			}
		}
		if errors.Is(err, objectjs.ErrNotServed) {
			return peer.ErrNotRunning
		}
		if err != nil {
			f := rpc.FailureOf(err)
			_, err := reply(peer.Reply{Thrown: &peer.Thrown{Name: f.Name, Message: f.Message, Flags: map[string]bool{
				"retryable": f.Retryable, "overloaded": f.Overloaded, "durableObjectReset": f.Reset,
			}}})
			return err
		}
		to, err := reply(head)
		if out == nil || err != nil {
			return err
		}
		defer out.Close()
		_, err = io.Copy(to, out)
		return err
	})
}

// callWorker runs a Worker's fetch handler for another session.
func (s *Server) callWorker(ctx context.Context, svc *service, g *generation, c peer.Call, req *http.Request) (head peer.Reply, body io.ReadCloser, err error) {
	o := worker.FetchOptions{DispatchOptions: worker.DispatchOptions{Entrypoint: c.Entrypoint}}
	if c.Props != nil {
		o.Props = func(iso *worker.Isolate) goja.Value { return rpc.Of(iso.Host).DecodeProps(c.Props) }
	}
	if json.Valid([]byte(c.CF)) {
		o.CF = func(iso *worker.Isolate) goja.Value {
			v, err := worker.Var{JSON: c.CF}.Install(iso)
			if err != nil {
				panic(iso.Realm.ErrorValue(err))
			}
			return v
		}
	}
	res, err := g.Fetch(ctx, req, o)
	var ex *worker.Exception
	if errors.As(err, &ex) {
		s.uncaught(svc, ex)
		f := rpc.Standard(ex.Name, ex.Message)
		f.Retryable, f.Overloaded, f.Reset = ex.Flags["retryable"], ex.Flags["overloaded"], ex.Flags["durableObjectReset"]
		return head, nil, f
	}
	if err != nil {
		return head, nil, err
	}
	if res.WebSocket != nil {
		res.WebSocket.Lose(errors.New("sockets are not carried between sessions"))
		res.Release()
		return head, nil, errors.Join(rpc.Fail("The Worker answered with a WebSocket, which is not carried between sessions that share a state directory."), res.Body.Close())
	}
	return peer.Reply{Status: res.Status, StatusText: res.StatusText, Header: res.Header, Null: res.Null, Length: res.Length, Encoding: res.Encoding}, res.Body, nil
}

// callObject runs a Durable Object's fetch method for another session.
func (s *Server) callObject(ctx context.Context, c peer.Call, req *http.Request) (head peer.Reply, body io.ReadCloser, err error) {
	var object objectjs.DistantObject
	if err := json.Unmarshal(c.Object, &object); err != nil {
		return head, nil, err
	}
	if !json.Valid([]byte(c.CF)) {
		c.CF = ""
	}
	p, err := s.objects.Fetch(ctx, c.Worker, object, req, c.CF)
	if err != nil {
		return head, nil, err
	}
	return peer.Reply{Status: p.Status, StatusText: p.StatusText, Header: p.Header, Null: p.Body == nil, Length: p.Length, Encoding: p.Encoding}, p.Body, nil
}
