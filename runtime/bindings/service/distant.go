package service

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/websocket"
	"eddy/runtime/worker"
)

// DistantWorker sends requests to a Worker in another session. An error that is an [*rpc.RemoteError] is what the
// handler threw. RPC goes over [Directory.Distant].
type DistantWorker func(req *http.Request, o DistantOptions) (*worker.Response, error)

// DistantOptions are the options of a request to another session.
type DistantOptions struct {
	Entrypoint string
	// Props is ctx.props, encoded; nil is {}. CF is request.cf as JSON, "" for none.
	Props []byte
	CF    string
	// Hops are the caller's: the event that sends the request, and how deep it is.
	Hops eventloop.Hops
}

// sendAway is a sender's work for a Worker in another session.
func (t *target) sendAway(
	iso *worker.Isolate, distant DistantWorker, scope *eventloop.Scope, q *fetch.OutRequest,
	answer func(fetch.TransportAnswer)) func() {
	u, err := url.Parse(q.URL)
	if err != nil {
		answer(fetch.TransportAnswer{Failure: iso.Realm.TypeError("Invalid URL: %s", q.URL)})
		return nil
	}
	hops, err := iso.Loop.Hops().Worker()
	if err != nil {
		answer(fetch.TransportAnswer{Failure: rpc.Of(iso.Host).Value(rpc.Fail(err.Error()))})
		return nil
	}
	ctx, end := context.WithCancel(scope.Context())
	req := (&http.Request{
		Method: q.Method, URL: u, Header: q.Header, ContentLength: q.Body.Length, Host: u.Host}).WithContext(ctx)
	if body := q.Body.Open(iso.Host, nil); body != nil {
		req.Body = body
	}
	o := DistantOptions{Entrypoint: t.entrypoint, Props: t.props, CF: q.CF, Hops: hops}
	ticket := scope.Ticket()
	go func() {
		res, err := distant(req, o)
		var failure *rpc.RemoteError
		switch {
		case errors.As(err, &failure):
		case err != nil:
			failure = rpc.Disconnected() // the session has ended, or its Worker has
		}
		if failure != nil {
			end()
		}
		ticket.Return(func() {
			if failure != nil {
				answer(fetch.TransportAnswer{Failure: rpc.Of(iso.Host).Value(failure)})
				return
			}
			parts, socket, _ := partsOf(res, end, end, end)
			parts.Waiting = false // it comes over a connection, like any response from outside
			if socket != nil {
				parts.WebSocket = websocket.Wrap(iso.Host, socket)
			}
			answer(fetch.TransportAnswer{Parts: parts})
		})
	}()
	return end
}
