package service

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/websocket"
	"eddy/runtime/worker"
)

// sender sends fetch() of a stub in iso to the Worker: to its assets first, as a request from outside would be. A named
// entrypoint is the script's alone.
func (t *target) sender(iso *worker.Isolate) fetch.Transport {
	script := t.scriptSender(iso)
	return func(scope *eventloop.Scope, q *fetch.OutRequest, answer func(fetch.TransportAnswer)) func() {
		var files Files
		if t.own == nil && t.entrypoint == "" {
			files = t.dir.Files(t.worker)
		}
		u, err := url.Parse(q.URL)
		if files == nil || err != nil {
			return script(scope, q, answer)
		}
		ticket := scope.Ticket()
		// Both are used on the loop only. What cancel has to do changes when the script gets the request.
		canceled, cancel := false, func() {}
		go func() {
			res, ok, err := files.First((&http.Request{Method: q.Method, URL: u, Header: q.Header,
				Host: u.Host}).WithContext(scope.Context()))
			ticket.Return(func() {
				switch {
				case canceled:
				case err != nil:
					answer(fetch.TransportAnswer{Failure: iso.Realm.NewError("Error", err.Error())})
				case ok:
					if body := q.Body.Open(iso.Host, nil); body != nil {
						_ = body.Close() // files take none; nothing was read, so nothing can fail
					}
					answer(fetch.TransportAnswer{Parts: fetch.PartsOf(res)})
				default:
					if f := script(scope, q, answer); f != nil {
						cancel = f
					}
				}
			})
		}()
		return func() { canceled = true; cancel() }
	}
}

// scriptSender sends fetch() to the Worker's script.
func (t *target) scriptSender(iso *worker.Isolate) fetch.Transport {
	return func(scope *eventloop.Scope, q *fetch.OutRequest, answer func(fetch.TransportAnswer)) func() {
		kit := rpc.Of(iso.Host)
		callee, ok := t.isolate()
		if !ok && t.late != nil {
			answer(fetch.TransportAnswer{Failure: kit.Value(rpc.Disconnected())})
			return nil
		}
		if !ok {
			if distant := t.dir.Elsewhere(t.worker); distant != nil {
				return t.sendAway(iso, distant, scope, q, answer)
			}
			text := notFoundText(t.worker)
			answer(fetch.TransportAnswer{Parts: &fetch.Parts{
				Status: http.StatusServiceUnavailable,
				Header: http.Header{"Content-Type": {"text/plain;charset=UTF-8"}},
				Body:   io.NopCloser(bytes.NewReader([]byte(text))), Length: int64(len(text)),
			}})
			return nil
		}
		if t.lapsed(callee, false) {
			answer(fetch.TransportAnswer{Failure: kit.Value(rpc.Lapsed())})
			return nil
		}
		hops, err := iso.Loop.Hops().Worker()
		if err != nil {
			answer(fetch.TransportAnswer{Failure: kit.Value(rpc.Fail(err.Error()))})
			return nil
		}
		u, err := url.Parse(q.URL)
		if err != nil {
			answer(fetch.TransportAnswer{Failure: iso.Realm.TypeError("Invalid URL: %s", q.URL)})
			return nil
		}
		ctx, end := context.WithCancel(scope.Context())
		gone := func(bool) {}
		// Scripts call it on the caller's loop, the reader of a body on any goroutine.
		cancel := func() { gone(callee.Loop == iso.Loop); end() }
		giveUp := func() { gone(false); end() }
		req := (&http.Request{
			Method: q.Method, URL: u, Header: q.Header, ContentLength: q.Body.Length, Host: u.Host}).WithContext(ctx)
		if body := q.Body.Open(iso.Host, nil); body != nil {
			req.Body = body
		}
		o := worker.FetchOptions{
			DispatchOptions: t.options(hops), Gone: func(f func(bool)) { gone = f }, FromWorker: true,
			BodyWaits: q.Body.Waits()}
		o.Where = q.Where
		if q.CF != "" {
			o.CF = func(iso *worker.Isolate) goja.Value {
				v, err := worker.Var{JSON: q.CF}.Install(iso)
				if err != nil {
					panic(iso.Realm.ErrorValue(err))
				}
				return v
			}
		}
		ticket := scope.Within()
		results := callee.FetchAsync(ctx, req, o)
		go func() {
			r := <-results
			defer r.Taken()
			var parts *fetch.Parts
			var socket *websocket.End
			failure := failureOf(r.Err)
			if failure == nil {
				parts, socket, failure = partsOf(r.Response, end, giveUp, cancel)
			}
			if failure != nil {
				end()
			}
			ticket.Return(func() {
				if failure != nil {
					answer(fetch.TransportAnswer{Failure: kit.Value(failure)})
					return
				}
				if socket != nil {
					parts.WebSocket = websocket.Wrap(iso.Host, socket)
				}
				answer(fetch.TransportAnswer{Parts: parts})
			})
		}()
		return cancel
	}
}

// partsOf takes a response over from the callee's isolate. done is called when the body was read to its end, giveUp
// when it was closed before, cancel when a script on the caller's loop canceled it.
func partsOf(res *worker.Response, done, giveUp, cancel func()) (*fetch.Parts, *websocket.End, *rpc.RemoteError) {
	p := &fetch.Parts{
		Status: res.Status, StatusText: res.StatusText, Header: res.Header, Length: res.Length, Waiting: res.Waits,
		Encoding: res.Encoding}
	end := res.WebSocket
	if end != nil && res.Release != nil {
		// The socket goes on in the caller's isolate: end, not the response, keeps it.
		res.Release()
	}
	if !res.Null {
		p.Body = &endBody{ReadCloser: res.Body, done: done, giveUp: giveUp, cancel: cancel}
	} else if end == nil {
		done()
	}
	return p, end, nil
}

// endBody releases the request's context when the reader is done with the body.
type endBody struct {
	io.ReadCloser
	done, giveUp, cancel func()
	ended                atomic.Bool
}

// Attend implements [clock.Attended].
func (b *endBody) Attend() (leave func()) { return clock.Attend(b.ReadCloser) }

// Canceled implements streams.Canceler.
func (b *endBody) Canceled() {
	if !b.ended.Swap(true) {
		b.cancel()
	}
}

// Read implements io.Reader.
func (b *endBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.ended.Store(true)
	}
	return n, err
}

// Close implements io.Closer.
func (b *endBody) Close() error {
	if !b.ended.Swap(true) {
		b.giveUp()
	}
	err := b.ReadCloser.Close()
	b.done()
	return err
}

// Failure is what a caller in another session sees for an error of [worker.Isolate.Fetch]; nil for nil.
func Failure(err error) *rpc.RemoteError { return failureOf(err) }

// failureOf is the failure that the caller sees for an error of the callee.
func failureOf(err error) *rpc.RemoteError {
	if err == nil {
		return nil
	}
	var ex *worker.Exception
	if !errors.As(err, &ex) {
		if errors.Is(err, eventloop.ErrStopped) {
			return rpc.Disconnected()
		}
		return rpc.FailureOf(err)
	}
	if ex.Failure != nil {
		return ex.Failure
	}
	f := rpc.Standard(ex.Name, ex.Message)
	f.Remote = true
	f.Retryable, f.Overloaded, f.Reset = ex.Flags["retryable"], ex.Flags["overloaded"], ex.Flags["durableObjectReset"]
	return f
}
