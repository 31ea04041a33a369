package fetch

import (
	"net/http"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/journal"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/url"
)

// maxRedirects is the limit of https://fetch.spec.whatwg.org/#http-redirect-fetch.
const maxRedirects = 20

// OutRequest is one request on its way out of the isolate: one hop, if redirects are followed.
type OutRequest struct {
	Method string
	// URL is absolute and has no fragment.
	URL string
	// Header is a copy.
	Header http.Header
	Body   Payload
	// Upgrade says that the request asks for a WebSocket.
	Upgrade bool
	// Manual says that redirects are not followed.
	Manual bool
	// Signal aborts the request; nil if it has none. The caller of the Transport watches it.
	Signal *events.Signal
	// CF is the cf object as JSON, empty if there is none.
	CF string
	// Where is the place in the script that called fetch.
	Where clock.Origin
	asked *journal.Asked // what the journal notes of it, nil for nothing
}

// TransportAnswer is what a Transport gives back: Parts, or Failure, which is the value to reject with, or Lost, which
// is the error of a connection; fetch makes such a value of it. fetch fills in the URLs of Parts.
type TransportAnswer struct {
	Parts   *Parts
	Failure goja.Value
	Lost    error
}

// Transport sends one request and calls answer once, on the loop, inside the scope. It follows no redirect. cancel
// (which may be nil) is called when a script aborts before the answer.
type Transport func(scope *eventloop.Scope, q *OutRequest, answer func(TransportAnswer)) (cancel func())

// exchange is one fetch().
type exchange struct {
	k       *classes
	scope   *eventloop.Scope
	send    Transport
	request *Request
	// urls are those gone through, the current one last.
	urls            []*url.URL
	promise         *goja.Promise
	resolve, reject func(any) error
	settled         bool
	unwatch         func()
	cancel          func()
	where           clock.Origin
}

// Do is fetch(input, init) through a Transport. The global fetch and those of a service binding and of a Durable
// Object's stub differ only in it (RPC20, RPC21). Do throws nothing; the result is a promise.
func Do(h *host.Host, input, init goja.Value, send Transport) goja.Value {
	k := of(h)
	return h.Realm.Promised(func() goja.Value {
		scope := h.Scope()
		q := k.newRequest(input, init)
		q.signal = q.Handed(h)
		if strings.HasPrefix(q.url, "data:") {
			return k.fetchData(q)
		}
		u, err := url.Parse(q.url, "")
		if err != nil || u.Scheme() != "http" && u.Scheme() != "https" {
			h.Realm.ThrowType("Fetch API cannot load: %s", q.url)
		}
		p, resolve, reject := h.Realm.NewPromise()
		x := &exchange{k: k, scope: scope, send: send, request: q, urls: []*url.URL{u}, promise: p,
			resolve: resolve, reject: reject, where: h.Loop.Origin()}
		scope.Output(func(err error) {
			if err != nil {
				if !scope.Closed() { // after that nobody could hear it (GT8)
					x.fail(h.Realm.ErrorValue(err))
				}
				return
			}
			x.guard(x.hop)
		})
		return h.Runtime().ToValue(p)
	})
}

// guard rejects with what f throws.
func (x *exchange) guard(f func()) {
	if ex := x.k.h.Realm.Try(f); ex != nil {
		x.fail(ex)
	}
}

func (x *exchange) fail(v goja.Value) { x.settle(x.reject, v) }

func (x *exchange) settle(f func(any) error, v goja.Value) {
	if x.settled {
		return
	}
	x.settled = true
	if x.unwatch != nil {
		x.unwatch()
	}
	if err := f(v); err != nil {
		panic(err)
	}
}

// hop sends the request to the current URL.
func (x *exchange) hop() {
	k, q := x.k, x.request
	if s := q.signal; s != nil {
		if s.Aborted() {
			x.fail(s.Reason())
			return
		}
		if x.unwatch == nil {
			x.unwatch = s.OnAbort(func() {
				x.unwatch = nil
				// The other side is told first: outside of a script, a failure runs the caller's microtasks at once.
				if x.cancel != nil {
					x.cancel()
				}
				x.fail(s.Reason())
			})
		}
	}
	out := &OutRequest{
		Method: q.method, URL: x.href(), Header: q.Headers().HTTP(), Manual: q.manual,
		Signal: q.signal, CF: k.cfJSON(q), Where: x.where,
	}
	if q.cache != "" {
		for _, name := range []string{"Cache-Control", "Pragma"} {
			if _, ok := out.Header[name]; !ok {
				out.Header.Set(name, "no-cache")
			}
		}
	}
	out.Upgrade = strings.EqualFold(out.Header.Get("Upgrade"), "websocket")
	out.Body = k.take(&q.Body, false)
	if !out.Body.Null && out.Body.Length == 0 && out.Header.Get("Content-Length") == "" {
		// An empty body differs from no body: the other side may be a Worker, which can tell them apart.
		out.Header.Set("Content-Length", "0")
	}
	x.cancel = x.send(x.scope, out, func(a TransportAnswer) { x.guard(func() { x.answer(a) }) })
}

// href is the current URL as it is sent. Under fetch_legacy_url an origin without a path stays one.
func (x *exchange) href() string {
	href := x.urls[len(x.urls)-1].HrefWithoutFragment()
	if x.k.h.Enabled("fetch_legacy_url") && len(x.urls) == 1 {
		given, _, _ := strings.Cut(x.request.url, "#")
		if given == strings.TrimSuffix(href, "/") {
			return given
		}
	}
	return href
}

// answer takes a response, and follows it if it redirects.
func (x *exchange) answer(a TransportAnswer) {
	x.cancel = nil
	if a.Lost != nil {
		x.k.h.Realm.Awaited(x.promise, func() { a.Failure = x.k.networkError(a.Lost) })
	}
	if a.Failure != nil {
		x.fail(a.Failure)
		return
	}
	p := a.Parts
	if x.settled {
		if p.Body != nil {
			go p.Body.Close()
		}
		return
	}
	if redirectStatus(p.Status) && !x.request.manual {
		if location := p.Header.Get("Location"); location != "" {
			if p.Body != nil {
				go drainAndClose(p.Body)
			}
			x.redirect(p.Status, location)
			return
		}
	}
	for _, u := range x.urls {
		p.URLs = append(p.URLs, u.HrefWithoutFragment())
	}
	if x.request.method == "HEAD" || nullBodyStatus(p.Status) {
		if p.Body != nil {
			go p.Body.Close()
		}
		p.Body = nil
	}
	p.signal = x.request.signal
	if x.request.manualEncoding {
		p.Encoding = ""
	}
	x.settle(x.resolve, NewResponse(x.k.h, *p))
}

// redirect goes to the next URL, with the method and body that the standard leaves.
func (x *exchange) redirect(status int, location string) {
	k, q := x.k, x.request
	current := x.urls[len(x.urls)-1]
	next, err := url.Parse(location, current.Href())
	if err != nil || next.Scheme() != "http" && next.Scheme() != "https" {
		k.h.Realm.ThrowType("Invalid Location header; unable to follow redirect.")
	}
	if len(x.urls) > maxRedirects {
		k.h.Realm.ThrowType("Too many redirects.")
	}
	if next.Origin() != current.Origin() &&
		(k.h.Flag == nil || k.h.Enabled("strip_authorization_on_cross_origin_redirect")) {
		q.Headers().Delete("authorization")
	}
	x.urls = append(x.urls, next)
	if status != 303 && !q.rewindable() {
		k.h.Realm.ThrowType("A request with a one-time-use body (it was initialized from a stream, not a buffer) " +
			"encountered a redirect requiring the body to be retransmitted. To avoid this error in the future, " +
			"construct this request from a buffer-like body initializer.")
	}
	if (status == 301 || status == 302) && q.method == "POST" || status == 303 && q.method != "HEAD" {
		q.method, q.Body = "GET", Body{}
	} else if q.present {
		q.Body = bufferBody(q.buffer)
	}
	x.hop()
}

// cfJSON is the cf object that goes with a request. The cache option and cacheTtl are in it as cacheControl, too.
func (k *classes) cfJSON(q *Request) string {
	cf, _ := q.cf.get().(*goja.Object)
	if q.cache == "" {
		if cf == nil {
			return ""
		}
		ttl := webidl.Option(cf, "cacheTtl")
		if ttl == nil || webidl.Option(cf, "cacheControl") != nil {
			return k.stringify(cf)
		}
	}
	obj := k.h.Runtime().NewObject()
	if cf != nil {
		obj = k.jsonClone(cf).(*goja.Object)
	}
	set := func(name string, v any) {
		if err := obj.Set(name, v); err != nil {
			panic(k.h.Realm.ErrorValue(err))
		}
	}
	control := ""
	switch q.cache {
	case "no-store":
		if ttl := webidl.Option(obj, "cacheTtl"); ttl != nil && ttl.ToInteger() != -1 {
			k.h.Realm.ThrowType("CacheTtl: %s, is not compatible with cache: no-store header.", ttl)
		}
		set("cacheTtl", -1)
		set("cacheLevel", "bypass")
		control = "no-store"
	case "reload":
		set("cacheLevel", "bypass")
	case "no-cache":
		set("cacheForceRevalidate", true)
		control = "no-cache"
	default:
		if ttl := webidl.Option(obj, "cacheTtl"); ttl.ToInteger() == -1 {
			control = "no-store"
		} else {
			control = "max-age=" + ttl.String()
		}
	}
	if control != "" && webidl.Option(obj, "cacheControl") == nil {
		set("cacheControl", control)
	}
	return k.stringify(obj)
}

// defineFetch installs the global fetch.
func (k *classes) defineFetch() {
	fn := k.h.Realm.Function("fetch", func(fc goja.FunctionCall) goja.Value {
		return k.h.Realm.Promised(func() goja.Value {
			if len(fc.Arguments) == 0 {
				k.h.Realm.ThrowType("Failed to execute 'fetch' on 'ServiceWorkerGlobalScope': parameter 1 is not of " +
					"type 'Request or string'.")
			}
			if f := k.fetcherOf(fc.Argument(0), fc.Argument(1)); f != nil {
				return k.throughFetcher(f, fc.Argument(0), fc.Argument(1))
			}
			return Do(k.h, fc.Argument(0), fc.Argument(1), k.sendNetwork)
		})
	})
	if err := k.h.Runtime().GlobalObject().DefineDataProperty(
		"fetch", fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
		panic(err)
	}
}

// fetcherOf is the binding that a request names as its fetcher, nil if none.
func (k *classes) fetcherOf(input, init goja.Value) *goja.Object {
	if o, ok := init.(*goja.Object); ok {
		if f, ok := o.Get("fetcher").(*goja.Object); ok {
			return f
		}
	}
	if q, ok := RequestOf(k.h, input); ok {
		f, _ := q.fetcher.(*goja.Object)
		return f
	}
	return nil
}

func (k *classes) throughFetcher(f *goja.Object, input, init goja.Value) goja.Value {
	call, ok := goja.AssertFunction(f.Get("fetch"))
	if !ok {
		k.h.Realm.ThrowType("Incorrect type for the 'fetcher' field on 'RequestInitializerDict': the provided value " +
			"is not of type 'Fetcher'.")
	}
	q := k.newRequest(input, init)
	q.fetcher = nil
	v, err := call(f, k.request.Wrap(q))
	if err != nil {
		panic(err)
	}
	return v
}
