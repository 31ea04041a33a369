package worker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/journal"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/websocket"
)

// Texts of fetch events (CL5, CL6).
const (
	NoFetchHandler = "Handler does not export a fetch() function."
	NotAResponse   = "Incorrect type for Promise: the Promise did not resolve to 'Response'."
)

// FetchOptions say how a request is delivered.
type FetchOptions struct {
	DispatchOptions
	// CF makes request.cf; nil is undefined.
	CF func(iso *Isolate) goja.Value
	// FromWorker says that another Worker sends the request. Then an exception of the handler is reported here, because
	// nobody else may show it (RT14).
	FromWorker bool
	// BodyWaits says that the writer of the request's body may wait for the clock. Then reading the body does not hold
	// the clock.
	BodyWaits bool
	// Run handles the request instead of the export's fetch function (Durable Objects).
	Run func(inv *Invocation, request *goja.Object) goja.Value
	// Gone, if set, is called with a function before FetchAsync returns. The sender of the request calls that function
	// when the client has left. Unlike the end of ctx, the call keeps its place among what the same goroutine does: the
	// signal has fired before anything that is posted to the loop later. With here set, which only the isolate's own
	// loop may do, it has fired when the call returns.
	Gone func(gone func(here bool))
}

// fetchEvent is one request in flight.
type fetchEvent struct {
	req     *http.Request
	options FetchOptions
	signal  *events.Signal
	inv     *Invocation
	own     Invocation         // what inv is
	url     string             // of the request
	status  int                // of the response, 0 before there is one
	body    *journal.BodyNotes // what the journal notes of the request's, nil for nothing

	replied bool
	clock   clock.Clock
	result  FetchResult   // what answer tells of
	answer  chan struct{} // has an element when there is a result, for who takes it
	over    atomic.Bool
	// done is closed when the event is over, if it is not nil.
	done chan struct{}
	// unwatch ends the watch for the client's leaving, if there is one.
	unwatch atomic.Pointer[func() bool]
}

// reply answers once. Loop goroutine only.
func (e *fetchEvent) reply(res *Response, err error) {
	if e.replied {
		return
	}
	e.replied = true
	taken := nothing
	if _, real := e.clock.(clock.Real); !real {
		back, release := clock.Away(e.clock), e.clock.Hold("a response that nobody has taken")
		taken = sync.OnceFunc(func() { release(); back() })
	}
	e.result = FetchResult{res, err, taken}
	e.answer <- struct{}{}
}

// take is the result when answer has told of it. A script may keep the request, and with it the event, but not that.
func (e *fetchEvent) take() FetchResult {
	a := e.result
	e.result = FetchResult{}
	return a
}

// Fetch sends a request and waits for the head of the response. If the handler throws, the error is an [*Exception].
// req.URL must be absolute. When ctx ends before the response does, the client counts as gone: request.signal is
// aborted and a response body that is still being written is cancelled.
func (iso *Isolate) Fetch(ctx context.Context, req *http.Request, o FetchOptions) (*Response, error) {
	if iso.cacheable(req, &o) {
		a := <-iso.cachedFetch(ctx, req, o)
		a.Taken()
		return a.Response, a.Err
	}
	e := iso.newFetch(req, &o)
	a, left := iso.await(ctx, e)
	a.Taken()
	if !left {
		e.watch(ctx, iso.Loop)
	}
	return a.Response, a.Err
}

// await sends the event and waits for its answer. left says that ctx has ended meanwhile.
func (iso *Isolate) await(ctx context.Context, e *fetchEvent) (a FetchResult, left bool) {
	if !iso.dispatch(context.WithoutCancel(ctx), e, &e.options.DispatchOptions) {
		return e.last(), false
	}
	gone := ctx.Done()
	for {
		select {
		case <-e.answer:
			return e.take(), left
		case <-gone:
			iso.Loop.Post(e.clientGone)
			gone, left = nil, true
		case <-iso.Loop.Stopped():
			return e.last(), left
		}
	}
}

// watch tells the event when ctx ends before it does.
func (e *fetchEvent) watch(ctx context.Context, loop *eventloop.Loop) {
	if e.over.Load() {
		return
	}
	stop := context.AfterFunc(ctx, func() { loop.Post(e.clientGone) })
	if e.unwatch.Store(&stop); e.over.Load() {
		stop()
	}
}

// ErrNotBegun is the answer to a request that found the isolate stopped. Another isolate may take the request.
var ErrNotBegun = fmt.Errorf("the request has not begun: %w", eventloop.ErrStopped)

// FetchResult is the outcome of FetchAsync.
type FetchResult struct {
	Response *Response
	Err      error
	// Taken must be called once the caller goes on with the answer. Until then virtual time stands still.
	Taken func()
}

// FetchAsync does what Fetch does without waiting. The channel delivers one result.
func (iso *Isolate) FetchAsync(ctx context.Context, req *http.Request, o FetchOptions) <-chan FetchResult {
	if iso.cacheable(req, &o) {
		return iso.cachedFetch(ctx, req, o)
	}
	return iso.fetchAsync(ctx, req, o)
}

func (iso *Isolate) fetchAsync(ctx context.Context, req *http.Request, o FetchOptions) <-chan FetchResult {
	e := iso.newFetch(req, &o)
	e.done = make(chan struct{})
	out := make(chan FetchResult, 1)
	if !iso.dispatch(context.WithoutCancel(ctx), e, &e.options.DispatchOptions) {
		out <- e.last()
		return out
	}
	go func() {
		select {
		case <-e.answer:
			out <- e.take()
		case <-ctx.Done():
			iso.Loop.Post(func() { e.clientGone() })
			select {
			case <-e.answer:
				out <- e.take()
			case <-iso.Loop.Stopped():
				out <- e.last()
			}
			return
		case <-iso.Loop.Stopped():
			out <- e.last()
			return
		}
		select {
		case <-ctx.Done():
			iso.Loop.Post(func() { e.clientGone() })
		case <-e.done:
		case <-iso.Loop.Stopped():
		}
	}()
	return out
}

// newFetch makes the event of a request.
func (iso *Isolate) newFetch(req *http.Request, o *FetchOptions) *fetchEvent {
	e := &fetchEvent{req: req, options: *o, clock: iso.Loop.Clock(), answer: make(chan struct{}, 1)}
	if o.Gone != nil {
		o.Gone(func(here bool) {
			if here && e.inv != nil {
				e.clientGone()
				return
			}
			iso.Loop.Post(e.clientGone)
		})
	}
	return e
}

// last is the answer when the loop has stopped: it answers nothing any more, but an answer from before may still be
// there.
func (e *fetchEvent) last() FetchResult {
	select {
	case <-e.answer:
		return e.take()
	default:
	}
	err := eventloop.ErrStopped
	if e.inv == nil {
		err = ErrNotBegun
	}
	return FetchResult{Err: err, Taken: nothing}
}

func nothing() {}

// clientGone runs on the loop when the client has left before the end.
func (e *fetchEvent) clientGone() {
	if e.inv == nil || e.inv.Over() {
		return
	}
	if e.signal != nil {
		h := e.inv.Isolate.Host
		e.inv.Scope.EnterNow(
			func() { e.signal.Abort(h, h.Realm.DOMException("AbortError", "The client has disconnected")) })
	}
}

// Kind implements [Event].
func (e *fetchEvent) Kind() string { return "fetch" }

// Run implements [Event].
func (e *fetchEvent) Run(inv *Invocation) goja.Value {
	e.inv = inv
	iso := inv.Isolate
	e.url = e.req.URL.String()
	in := fetch.Incoming{
		Method: e.req.Method, URL: e.url, Header: e.req.Header, Length: e.req.ContentLength, Manual: true,
		Waiting: e.options.BodyWaits,
	}
	if e.req.Body != nil && e.req.Body != http.NoBody {
		if in.Body = e.req.Body; inv.entry != nil {
			e.body = &journal.BodyNotes{}
			in.Body = e.body.Reader(in.Body)
		}
	}
	if e.options.CF != nil {
		in.CF = func() goja.Value { return e.options.CF(iso) }
	}
	if iso.Flags.Enabled("enable_request_signal") {
		e.signal = events.NewSignal(iso.Host)
		in.Signal = e.signal
	}
	request := fetch.NewRequest(iso.Host, in)
	if e.options.Run != nil {
		return e.options.Run(inv, request)
	}
	if h, ok := inv.Handler("fetch"); ok {
		return h.Call(inv, request)
	}
	if r, handled := iso.dispatchLegacy(inv, "fetch", request); handled && r != nil {
		return r
	}
	iso.Warn("Received a FetchEvent but we lack a handler for FetchEvents. Did you remember to export a fetch() " +
		"function?")
	iso.Realm.ThrowError("Error", NoFetchHandler)
	return nil
}

// Settle implements [Event].
func (e *fetchEvent) Settle(inv *Invocation, value, failure goja.Value) {
	iso := inv.Isolate
	if failure != nil {
		ex := iso.Exception(failure)
		ex.Failure = rpc.Of(iso.Host).Thrown(failure)
		if e.options.FromWorker {
			iso.Uncaught(failure)
		}
		inv.Scope.Output(func(err error) {
			if err != nil {
				e.reply(nil, err)
				return
			}
			e.reply(nil, ex)
		})
		return
	}
	if !fetch.IsResponse(iso.Host, value) {
		iso.Realm.ThrowType("%s", NotAResponse)
	}
	out, failed := fetch.Outgoing(iso.Host, value)
	if failed != nil {
		panic(failed)
	}
	e.status = out.Status
	if len(iso.observed) > 0 {
		iso.returned(inv.entry, `{"type":"fetch","statusCode":`+strconv.Itoa(out.Status)+`}`)
	}
	res := &Response{
		Status: out.Status, StatusText: out.StatusText, Header: out.Header, Length: out.Body.Length,
		Waits: out.Body.Waits(), Null: out.Body.Null,
		Encoding: out.Body.Encoding, Encode: out.Encode, Isolate: iso,
	}
	if out.WebSocket != nil {
		if !websocket.IsUpgrade(e.req) {
			iso.Realm.ThrowType("Worker tried to return a WebSocket in a response to a request which did not contain " +
				"the header \"Upgrade: websocket\".")
		}
		res.WebSocket = websocket.Detach(iso.Host, out.WebSocket)
		release := inv.HoldOpen()
		var once sync.Once
		res.Release = func() { once.Do(func() { iso.Loop.Post(release) }) }
	}
	switch {
	case out.Body.Null:
		res.Body = http.NoBody
	case out.Body.Stream != nil:
		res.failed = &atomic.Pointer[Exception]{}
		res.Body = e.pump(inv, out.Body.Stream, res.failed)
	case out.Body.Reader != nil:
		release := inv.HoldOpen()
		res.Body = &heldBody{ReadCloser: out.Body.Reader, closed: func() { iso.Loop.Post(release) }}
	default:
		res.bytes.data = out.Body.Bytes
		res.Body = &res.bytes
	}
	if !inv.Scope.Gated() {
		e.reply(res, nil)
		return
	}
	inv.Scope.Output(func(err error) {
		if err != nil {
			_ = res.Body.Close()
			e.reply(nil, err)
			return
		}
		e.reply(res, nil)
	})
}

var errNoResponse = errors.New("The script will never generate a response.") // the platform's text

// Done implements [Event].
func (e *fetchEvent) Done(inv *Invocation, err error) {
	if err == nil {
		// A handler whose promise never settles is over when nothing is left that could settle it.
		err = errNoResponse
	}
	e.reply(nil, err)
	e.over.Store(true)
	if e.done != nil {
		close(e.done)
	}
	if stop := e.unwatch.Load(); stop != nil {
		(*stop)()
	}
}
