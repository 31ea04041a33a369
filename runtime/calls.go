package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/dop251/goja"

	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/peer"
	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// This file is fetch() of service bindings between sessions that share a state directory.

// callAway sends a request to a Worker in another session.
func callAway(to peer.Address, name string, req *http.Request, o servicebinding.DistantOptions) (*worker.Response, error) {
	c := peer.Call{
		Worker: name, Entrypoint: o.Entrypoint, Props: o.Props, CF: o.CF, Method: req.Method, URL: req.URL.String(), Header: req.Header,
		HasBody: req.Body != nil, Length: req.ContentLength,
	}
	var body io.Reader
	if req.Body != nil {
		body = req.Body
	}
	reply, in, err := peer.Do(req.Context(), to, c, body)
	var thrown *peer.Thrown
	switch {
	case errors.As(err, &thrown):
		return nil, &worker.Exception{Name: thrown.Name, Message: thrown.Message, Flags: thrown.Flags, Remote: true}
	case err != nil:
		return nil, fmt.Errorf("Worker %q in the session at %s: %w", name, to.URL, err)
	}
	return &worker.Response{
		Status: reply.Status, StatusText: reply.StatusText, Header: reply.Header, Body: in, Null: reply.Null, Length: reply.Length, Encoding: reply.Encoding,
	}, nil
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
		thrown := func(name, message string, flags map[string]bool) error {
			_, err := reply(peer.Reply{Thrown: &peer.Thrown{Name: name, Message: message, Flags: flags}})
			return err
		}
		u, err := url.Parse(c.URL)
		if err != nil {
			return thrown("TypeError", "Invalid URL: "+c.URL, nil)
		}
		req := &http.Request{Method: c.Method, URL: u, Header: c.Header, Host: u.Host, ContentLength: c.Length}
		if req.Header == nil {
			req.Header = http.Header{}
		}
		if c.HasBody {
			req.Body = body
		}
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
		res, err := g.Fetch(r.Context(), req, o)
		var ex *worker.Exception
		switch {
		case errors.As(err, &ex):
			s.uncaught(svc, ex)
			return thrown(ex.Name, ex.Message, ex.Flags)
		case err != nil:
			return thrown("Error", err.Error(), nil)
		}
		defer res.Body.Close()
		if res.WebSocket != nil {
			res.WebSocket.Lose(errors.New("sockets are not carried between sessions"))
			res.Release()
			return thrown("Error", "The Worker answered with a WebSocket, which is not carried between sessions that share a state directory.", nil)
		}
		out, err := reply(peer.Reply{Status: res.Status, StatusText: res.StatusText, Header: res.Header, Null: res.Null, Length: res.Length, Encoding: res.Encoding})
		if err != nil {
			return err
		}
		_, err = io.Copy(out, res.Body)
		return err
	})
}
