package sharing

import (
	"encoding/json"
	"io"
	"net/http"

	"eddy/durableobject/objectjs"
	"eddy/runtime/bindings/objectstore"
	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/rpc/wire"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/websocket"
	"eddy/runtime/worker"
)

// asking is the head of a request to another session, as JSON.
type asking struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Header http.Header `json:"header,omitempty"`
	CF     string      `json:"cf,omitempty"` // JSON
	// Cause is what the request is caused by, as traceparent has it; the others are how deep it is.
	Cause   string `json:"cause,omitempty"`
	Objects uint8  `json:"objects,omitempty"`
	Workers uint8  `json:"workers,omitempty"`
	Calls   int32  `json:"calls,omitempty"`
	// Connect says that it is no request, but a connection to the object, for that address. What the caller sends is
	// the body, and what it gets that of the answer.
	Connect string `json:"connect,omitempty"`
	// Tail says that it is no request, but traces for the Worker's tail(), which the body has as JSON.
	Tail bool `json:"tail,omitempty"`
	// Workflow says that it is no request, but a command to the Worker's workflow of that name, which the body has.
	Workflow string `json:"workflow,omitempty"`
	// Store says that it is no request, but a call to a store of the cluster, and Ask what is asked of it.
	Store *objectstore.Name `json:"store,omitempty"`
	Ask   json.RawMessage   `json:"ask,omitempty"`
}

// telling is the head of an answer.
type telling struct {
	Status     int         `json:"status"`
	StatusText string      `json:"statusText,omitempty"`
	Header     http.Header `json:"header,omitempty"`
	Length     int64       `json:"length"` // -1 if unknown
	Encoding   string      `json:"encoding,omitempty"`
	// Protocol and Extensions are those of the WebSocket.
	Protocol   string `json:"protocol,omitempty"`
	Extensions string `json:"extensions,omitempty"`
	// Said is what a store answers.
	Said json.RawMessage `json:"said,omitempty"`
}

// ask sends a request over a wire. What the other session's Worker threw is an *[rpc.RemoteError].
func ask(to *wire.Proxy, req *http.Request, cf string, hops eventloop.Hops) (*telling, *wire.Reply, error) {
	return begin(to, req, cf, hops)()
}

// begin is the first half of ask: what it returns waits for the answer, and must be called once.
func begin(to *wire.Proxy, req *http.Request, cf string, hops eventloop.Hops) func() (*telling, *wire.Reply, error) {
	a := asking{Method: req.Method, URL: req.URL.String(), Header: req.Header, CF: cf, Cause: hops.Cause.String()}
	a.Objects, a.Workers, a.Calls = hops.Depth()
	head, err := json.Marshal(a)
	if err != nil {
		return func() (*telling, *wire.Reply, error) { return nil, nil, err }
	}
	wait := to.Ask(wire.Question{Head: head, Body: req.Body, Length: req.ContentLength})
	return func() (*telling, *wire.Reply, error) { return told(wait(req.Context())) }
}

// told takes the head of an answer apart.
func told(reply *wire.Reply, err error) (*telling, *wire.Reply, error) {
	if err != nil {
		return nil, nil, err
	}
	t := &telling{}
	if err := json.Unmarshal(reply.Head, t); err != nil {
		reply.Drop()
		return nil, nil, err
	}
	if reply.Socket != nil {
		reply.Socket.Protocol, reply.Socket.Extensions = t.Protocol, t.Extensions
	}
	return t, reply, nil
}

// tell sends an answer. over, which may be nil, is called when its WebSocket is over.
func tell(d wire.Asked, t telling, body io.ReadCloser, end *websocket.End, over func()) {
	if end != nil {
		t.Protocol, t.Extensions = end.Protocol, end.Extensions
	}
	r := &wire.Reply{Body: body, Length: t.Length, Socket: end, Over: over}
	var err error
	if r.Head, err = json.Marshal(t); err != nil {
		r.Drop()
		d.Answer(rpc.FailType(err.Error()), nil)
		return
	}
	d.Answer(nil, r)
}

// Worker is the way to a Worker in another session, nil if none runs it. Not for Workers of this session.
func (s *Sharing) Worker(name string) servicebinding.DistantWorker {
	to, ok := s.Queues.Running(name)
	if !ok {
		return nil
	}
	return func(req *http.Request, o servicebinding.DistantOptions) (*worker.Response, error) {
		w := s.wires.open(to)
		if w == nil {
			return nil, rpc.Disconnected()
		}
		t, reply, err := ask(w.Entry(wire.Entry{Worker: name, Entrypoint: o.Entrypoint, Props: o.Props}), req, o.CF,
			o.Hops)
		if err != nil {
			return nil, err
		}
		return &worker.Response{
			Status: t.Status, StatusText: t.StatusText, Header: t.Header, Body: reply.Body, Null: reply.Body == nil,
			Length: t.Length, Encoding: t.Encoding, WebSocket: reply.Socket,
		}, nil
	}
}

// Fetch implements [objectjs.Distant].
func (d *distantObject) Fetch(req *http.Request, cf string, hops eventloop.Hops, done objectjs.Answered) {
	to := d.find()
	if to == nil {
		go done(nil, nil, rpc.Disconnected())
		return
	}
	fetchOver(to, req, cf, hops, done)
}

// fetchOver sends a request to an object on the other side of a wire. It does not wait.
func fetchOver(to *wire.Proxy, req *http.Request, cf string, hops eventloop.Hops, done objectjs.Answered) {
	wait := begin(to, req, cf, hops)
	go func() {
		t, reply, err := wait()
		if err != nil {
			done(nil, nil, err)
			return
		}
		done(&fetch.Parts{Status: t.Status, StatusText: t.StatusText, Header: t.Header, Body: reply.Body,
			Length: t.Length, Encoding: t.Encoding}, reply.Socket, nil)
	}()
}

var _ objectjs.Distant = (*distantObject)(nil)
