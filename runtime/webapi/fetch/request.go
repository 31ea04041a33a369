package fetch

import (
	"net/http"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/events"
)

// Request is the state of a Request object.
type Request struct {
	Body
	method, url string
	// hdr is made from incoming when first touched.
	hdr      *Headers
	incoming http.Header
	hdrObj   *goja.Object
	manual   bool // the redirect mode; false is "follow"
	// cache is the cache mode, empty if none was given.
	cache   string
	fetcher goja.Value
	signal  *events.Signal
	// idle is what the signal attribute shows when there is no signal: one that never aborts.
	idle *events.Signal
	cf   lazyValue
	// manualEncoding is encodeResponseBody: "manual".
	manualEncoding bool
}

// lazyValue is a value that may not have been made yet.
type lazyValue struct {
	value goja.Value
	make  func() goja.Value
}

func (l *lazyValue) get() goja.Value {
	if l.make != nil {
		l.value, l.make = l.make(), nil
	}
	return l.value
}

func (q *Request) body() *Body           { return &q.Body }
func (q *Request) bodyHeaders() *Headers { return q.Headers() }

// Headers is the header list.
func (q *Request) Headers() *Headers {
	if q.hdr == nil {
		if q.incoming != nil {
			q.hdr = NewHeaders(q.incoming)
			q.incoming = nil
		} else {
			q.hdr = &Headers{}
		}
	}
	return q.hdr
}

// RequestOf is the state behind a Request object.
func RequestOf(h *host.Host, v goja.Value) (*Request, bool) {
	return webidl.StateOf[*Request](h.Realm, v)
}

// Method is the method, in upper case.
func (q *Request) Method() string { return q.method }

// CF is the cf object, undefined if there is none.
func (q *Request) CF() goja.Value { return q.cf.get() }

// Handed is the signal that goes with the request when it is passed on: none if it is that of an incoming request,
// unless the flag request_signal_passthrough is on.
func (q *Request) Handed(h *host.Host) *events.Signal {
	if q.signal != nil && q.signal.Incoming && !h.Enabled("request_signal_passthrough") {
		return nil
	}
	return q.signal
}

// URL is the absolute URL.
func (q *Request) URL() string { return q.url }

// clone copies a request; body is the body of the copy.
func (q *Request) clone(k *classes, body Body) *Request {
	return &Request{
		Body: body, method: q.method, url: q.url, hdr: q.Headers().Clone(), manual: q.manual, cache: q.cache,
		fetcher: q.fetcher, signal: q.signal, cf: k.cloneCF(&q.cf), manualEncoding: q.manualEncoding,
	}
}

// cloneCF copies a cf object when it is next looked at.
func (k *classes) cloneCF(cf *lazyValue) lazyValue {
	if cf.make == nil && cf.value == nil {
		return lazyValue{}
	}
	return lazyValue{make: func() goja.Value { return k.jsonClone(cf.get()) }}
}

func (k *classes) jsonClone(v goja.Value) goja.Value {
	if _, ok := v.(*goja.Object); !ok {
		return v
	}
	return k.parseJSON(k.stringify(v))
}

func (k *classes) defineRequest() {
	rt := k.h.Runtime()
	str := func(name string, get func(q *Request) string) webidl.Member {
		return webidl.Getter(name, func(q *Request, _ *webidl.Call) goja.Value { return rt.ToValue(get(q)) })
	}
	k.request = k.h.Realm.Define(webidl.Spec{
		Name: "Request", Parent: k.bodyClass,
		New: func(c *webidl.Call) any {
			return k.newRequest(c.Require(0, "Request or string"), c.Arg(1))
		},
		Members: []webidl.Member{
			webidl.Method("clone", func(q *Request, _ *webidl.Call) goja.Value {
				n := q.clone(k, k.teeBody(&q.Body))
				n.hdr.immutable = q.Headers().immutable
				return k.request.Wrap(n)
			}),
			str("method", func(q *Request) string { return q.method }),
			str("url", func(q *Request) string { return q.url }),
			webidl.Getter("headers", func(q *Request, _ *webidl.Call) goja.Value {
				if q.hdrObj == nil {
					q.hdrObj = k.headers.Wrap(q.Headers())
				}
				return q.hdrObj
			}),
			str("redirect", func(q *Request) string {
				if q.manual {
					return "manual"
				}
				return "follow"
			}),
			webidl.Getter("fetcher", func(q *Request, _ *webidl.Call) goja.Value {
				if q.fetcher == nil {
					return goja.Null()
				}
				return q.fetcher
			}),
			webidl.Getter("signal", func(q *Request, _ *webidl.Call) goja.Value {
				if q.signal != nil {
					return q.signal.Object()
				}
				if q.idle == nil {
					q.idle = events.NewSignal(k.h)
					q.idle.Never = true
				}
				return q.idle.Object()
			}),
			webidl.Getter("cf", func(q *Request, _ *webidl.Call) goja.Value { return q.cf.get() }),
			str("integrity", func(*Request) string { return "" }),
			webidl.Getter("keepalive", func(_ *Request, c *webidl.Call) goja.Value { return c.Value(false) }),
			webidl.Getter("cache", func(q *Request, _ *webidl.Call) goja.Value {
				if q.cache == "" {
					return goja.Undefined()
				}
				return rt.ToValue(q.cache)
			}),
		},
	}).Install()
}
