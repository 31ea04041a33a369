package sharing

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/dop251/goja"

	"eddy/runtime/bindings/objectstore"
	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/cause"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/rpc/wire"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/websocket"
	"eddy/runtime/worker"
	"eddy/workflows"
)

// serveCall answers a request of another session's Worker. It does not wait.
func (s *Sharing) serveCall(d wire.Asked) {
	var a asking
	err := json.Unmarshal(d.Head, &a)
	var u *url.URL
	if err == nil {
		u, err = url.Parse(a.URL)
	}
	if err != nil {
		if d.Body != nil {
			go d.Body.Close()
		}
		d.Answer(rpc.FailType(err.Error()), nil)
		return
	}
	if a.Tail && d.Body != nil && d.To == nil {
		go s.takeTail(d)
		return
	}
	if a.Workflow != "" && d.Body != nil && d.To == nil {
		go s.takeFlow(d, a.Workflow)
		return
	}
	if a.Store != nil && d.To == nil {
		go s.takeStored(d, *a.Store, a.Ask)
		return
	}
	req := (&http.Request{Method: a.Method, URL: u, Header: a.Header, Host: u.Host,
		ContentLength: d.Length}).WithContext(d.Context)
	if req.Header == nil {
		req.Header = http.Header{}
	}
	if d.Body != nil {
		req.Body = d.Body
	}
	if !json.Valid([]byte(a.CF)) {
		a.CF = ""
	}
	hops := eventloop.Deep(a.Objects, a.Workers, a.Calls, cause.Parse(a.Cause))
	if a.Connect != "" && d.To != nil && d.Body != nil {
		s.takeConnection(d, a.Connect, hops)
		return
	}
	if d.To == nil {
		go s.callWorker(d, req, a.CF, hops)
		return
	}
	s.o.Session.FetchObject(d.To, req, a.CF, hops, func(p *fetch.Parts, end *websocket.End, f *rpc.RemoteError) {
		if f != nil {
			d.Answer(f, nil)
			return
		}
		tell(d, telling{Status: p.Status, StatusText: p.StatusText, Header: p.Header, Length: p.Length,
			Encoding: p.Encoding}, p.Body, end, nil)
	})
}

// maxTailEvent bounds the traces of one request, in bytes.
const maxTailEvent = 256 << 20

// takeTail gives traces of another session to a Worker of this one, each as an event of its own.
func (s *Sharing) takeTail(d wire.Asked) {
	var list []*worker.Trace
	text, err := io.ReadAll(io.LimitReader(d.Body, maxTailEvent))
	_ = d.Body.Close() // all that counts was read
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		d.Answer(rpc.FailType(err.Error()), nil)
		return
	}
	live, err := s.o.Session.Live(d.Context, d.Entry.Worker)
	if err != nil {
		d.Answer(rpc.Disconnected(), nil) // it does not run here any more
		return
	}
	for _, t := range list {
		if t != nil {
			live.Dispatch(context.Background(), &worker.Tail{Traces: []*worker.Trace{t}}, worker.DispatchOptions{})
		}
	}
	tell(d, telling{}, nil, nil, nil)
}

// takeFlow executes a command to a workflow of this session.
func (s *Sharing) takeFlow(d wire.Asked, name string) {
	text, err := io.ReadAll(io.LimitReader(d.Body, maxFlowCommand))
	_ = d.Body.Close() // all that counts was read
	if err == nil {
		_, err = s.o.Session.Live(d.Context, d.Entry.Worker)
	}
	if err != nil {
		d.Answer(rpc.Disconnected(), nil) // it does not run here any more
		return
	}
	w := s.o.Session.Flow(name)
	if w == nil {
		d.Answer(rpc.FailType(fmt.Sprintf("the Worker %q has no workflow %q", d.Entry.Worker, name)), nil)
		return
	}
	w.Serve(text, func(answer []byte, err error) {
		if err != nil {
			answer = workflows.Refused(err)
		}
		tell(d, telling{Length: int64(len(answer))}, io.NopCloser(bytes.NewReader(answer)), nil, nil)
	})
}

// takeStored makes a call to a store that this node has.
func (s *Sharing) takeStored(d wire.Asked, name objectstore.Name, ask []byte) {
	body := io.Reader(http.NoBody)
	if d.Body != nil {
		body = bufio.NewReaderSize(d.Body, 256<<10) // each read of it is a question to the other side
		defer func() { go d.Body.Close() }()        // all that counts was read
	}
	select {
	case <-s.connected:
	default: // the session is starting, and has no store yet
		tell(d, telling{Status: http.StatusMisdirectedRequest}, nil, nil, nil)
		return
	}
	svc := s.o.Session.ClusterStore(name)
	if svc == nil {
		d.Answer(rpc.FailType(fmt.Sprintf("this node serves no store %q of kind %q", name.ID, name.Kind)), nil)
		return
	}
	got, err := svc.Serve(ask, body)
	switch {
	case errors.Is(err, objectstore.ErrElsewhere):
		tell(d, telling{Status: http.StatusMisdirectedRequest}, nil, nil, nil)
	case err != nil:
		tell(d, telling{Status: http.StatusInternalServerError, StatusText: err.Error()}, nil, nil, nil)
	default:
		tell(d, telling{Status: http.StatusOK, Said: got.Head, Length: got.Size}, got.Body, nil, nil)
	}
}

// callWorker runs a Worker's fetch handler for another session.
func (s *Sharing) callWorker(d wire.Asked, req *http.Request, cf string, hops eventloop.Hops) {
	live, err := s.o.Session.Live(d.Context, d.Entry.Worker)
	if err != nil {
		d.Answer(rpc.Disconnected(), nil) // it does not run here any more
		return
	}
	o := worker.FetchOptions{DispatchOptions: worker.DispatchOptions{Entrypoint: d.Entry.Entrypoint, Hops: hops},
		FromWorker: true}
	if d.Entry.Props != nil {
		o.Props = func(iso *worker.Isolate) goja.Value { return rpc.Of(iso.Host).DecodeProps(d.Entry.Props) }
	}
	if cf != "" {
		o.CF = func(iso *worker.Isolate) goja.Value {
			v, err := worker.Var{JSON: cf}.Install(iso)
			if err != nil {
				panic(iso.Realm.ErrorValue(err))
			}
			return v
		}
	}
	res, err := live.Fetch(d.Context, req, o)
	if err != nil {
		d.Answer(servicebinding.Failure(err), nil)
		return
	}
	body := res.Body
	switch {
	case res.WebSocket != nil:
		body = nil
	case res.Null:
		body = nil
		err = res.Body.Close()
	}
	if err != nil {
		d.Answer(rpc.FailureOf(err), nil)
		return
	}
	tell(d, telling{Status: res.Status, StatusText: res.StatusText, Header: res.Header, Length: res.Length,
		Encoding: res.Encoding}, body, res.WebSocket, res.Release)
}
