package sharing

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"eddy/durableobject/objectjs"
	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/rpc"
	"eddy/runtime/sharing/peer"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/worker"
)

// callOf is a request as it goes to another session.
func callOf(name string, req *http.Request) peer.Call {
	return peer.Call{
		Worker: name, Method: req.Method, URL: req.URL.String(), Header: req.Header, HasBody: req.Body != nil,
		Length: req.ContentLength,
	}
}

// sendCall makes a call. What the other session's Worker threw is an *[rpc.RemoteError].
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
		f.Retryable, f.Overloaded, f.Reset = thrown.Flags["retryable"], thrown.Flags["overloaded"],
			thrown.Flags["durableObjectReset"]
		return nil, nil, f
	case err != nil:
		return nil, nil, fmt.Errorf("Worker %q in the session at %s: %w", c.Worker, to.URL, err)
	}
	return reply, in, nil
}

// Worker is the way to a Worker in another session, nil if none runs it. Not for Workers of this session.
func (s *Sharing) Worker(name string) servicebinding.DistantWorker {
	to, ok := s.Queues.Running(name)
	if !ok {
		return nil
	}
	return func(req *http.Request, o servicebinding.DistantOptions) (*worker.Response, error) {
		c := callOf(name, req)
		c.Entrypoint, c.Props, c.CF, c.Cause = o.Entrypoint, o.Props, o.CF, o.Cause.String()
		reply, body, err := sendCall(to, c, req)
		if err != nil {
			return nil, err
		}
		return &worker.Response{
			Status: reply.Status, StatusText: reply.StatusText, Header: reply.Header, Body: body, Null: reply.Null,
			Length: reply.Length, Encoding: reply.Encoding,
		}, nil
	}
}

// Objects is the way to the Durable Objects of a Worker in another session, nil if none runs it. Not for Workers of
// this session.
func (s *Sharing) Objects(name string) objectjs.DistantFetch {
	to, ok := s.Queues.Running(name)
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
		p := &fetch.Parts{Status: reply.Status, StatusText: reply.StatusText, Header: reply.Header, Body: body,
			Length: reply.Length, Encoding: reply.Encoding}
		if reply.Null {
			p.Body = nil
			return p, body.Close()
		}
		return p, nil
	}
}
