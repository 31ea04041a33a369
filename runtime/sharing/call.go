package sharing

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/dop251/goja"

	"eddy/durableobject/objectjs"
	"eddy/runtime/cause"
	"eddy/runtime/rpc"
	"eddy/runtime/sharing/peer"
	"eddy/runtime/worker"
)

// serveCall answers a request from another session's Worker.
func (s *Sharing) serveCall(w http.ResponseWriter, r *http.Request) {
	peer.ServeCall(w, r, s.token, func(c peer.Call, body io.ReadCloser,
		reply func(peer.Reply) (io.Writer, error)) error {
		live, err := s.o.Session.Live(r.Context(), c.Worker)
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
				head, out, err = s.callWorker(r.Context(), live, c, req)
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
func (s *Sharing) callWorker(ctx context.Context, live *worker.Worker, c peer.Call, req *http.Request) (head peer.Reply,
	body io.ReadCloser, err error) {
	o := worker.FetchOptions{DispatchOptions: worker.DispatchOptions{Entrypoint: c.Entrypoint}}
	o.Hops.Cause = cause.Parse(c.Cause)
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
	res, err := live.Fetch(ctx, req, o)
	var ex *worker.Exception
	if errors.As(err, &ex) {
		s.o.Session.Uncaught(c.Worker, ex)
		f := rpc.Standard(ex.Name, ex.Message)
		f.Retryable, f.Overloaded, f.Reset = ex.Flags["retryable"], ex.Flags["overloaded"],
			ex.Flags["durableObjectReset"]
		return head, nil, f
	}
	if err != nil {
		return head, nil, err
	}
	if res.WebSocket != nil {
		res.WebSocket.Lose(errors.New("sockets are not carried between sessions"))
		res.Release()
		return head, nil, errors.Join(rpc.Fail("The Worker answered with a WebSocket, which is not carried between "+
			"sessions that share a state directory."), res.Body.Close())
	}
	return peer.Reply{Status: res.Status, StatusText: res.StatusText, Header: res.Header, Null: res.Null,
		Length: res.Length, Encoding: res.Encoding}, res.Body, nil
}

// callObject runs a Durable Object's fetch method for another session.
func (s *Sharing) callObject(ctx context.Context, c peer.Call, req *http.Request) (head peer.Reply, body io.ReadCloser,
	err error) {
	var object objectjs.DistantObject
	if err := json.Unmarshal(c.Object, &object); err != nil {
		return head, nil, err
	}
	if !json.Valid([]byte(c.CF)) {
		c.CF = ""
	}
	p, err := s.o.Session.FetchObject(ctx, c.Worker, object, req, c.CF)
	if err != nil {
		return head, nil, err
	}
	return peer.Reply{Status: p.Status, StatusText: p.StatusText, Header: p.Header, Null: p.Body == nil,
		Length: p.Length, Encoding: p.Encoding}, p.Body, nil
}
