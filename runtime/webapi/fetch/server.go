package fetch

import (
	"io"
	"net/http"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/streams"
)

// Upgrader is what package websocket registers here: fetch knows that a response may have a WebSocket, and nothing else
// about WebSockets.
type Upgrader interface {
	// IsWebSocket tells whether v is a WebSocket object.
	IsWebSocket(v goja.Value) bool
	// Dial is a [Transport] for requests that ask for a WebSocket.
	Dial(scope *eventloop.Scope, q *OutRequest, answer func(TransportAnswer)) (cancel func())
}

// SetUpgrader registers the isolate's WebSockets.
func SetUpgrader(h *host.Host, u Upgrader) { of(h).upgrader = u }

// Incoming describes a request that came from outside the isolate.
type Incoming struct {
	Method string
	// URL is absolute.
	URL string
	// Header is owned by the request from now on; Host is one of its lines.
	Header http.Header
	// Body is nil for none. Length is -1 when unknown.
	Body   io.ReadCloser
	Length int64
	// Waiting says that Body comes from another Worker or object, which may wait for the clock.
	Waiting bool
	// CF makes the cf object when somebody first asks for it; nil is undefined.
	CF func() goja.Value
	// Signal aborts when the client goes away; nil if the flag for it is off.
	Signal *events.Signal
	// Manual is the redirect mode; incoming requests have "manual".
	Manual bool
}

// NewRequest makes a Request for a handler. It converts nothing before a script looks at it. Its headers cannot be
// changed.
func NewRequest(h *host.Host, in Incoming) *goja.Object {
	q := &Request{method: in.Method, url: in.URL, incoming: in.Header, manual: in.Manual, signal: in.Signal,
		cf: lazyValue{make: in.CF}}
	if q.incoming == nil {
		q.incoming = http.Header{}
	}
	if in.Body != nil {
		q.Body = readerBody(in.Body, in.Length)
		q.waiting = in.Waiting
	}
	if in.Signal != nil {
		in.Signal.Incoming = true
	}
	return of(h).request.Wrap(q)
}

// Payload is a body on its way out of the isolate. At most one of Bytes, Reader and Stream is set.
type Payload struct {
	// Null is a body that is null: no body, rather than an empty one.
	Null   bool
	Bytes  []byte
	Reader io.ReadCloser
	// Stream is a ReadableStream that only JavaScript can read: it has to be pumped on the loop.
	Stream *goja.Object
	// Length in bytes, -1 when unknown.
	Length int64
	// Encoding is the content coding ("gzip", "br") that the bytes are under already.
	Encoding string
	waiting  bool // whether reading Reader may wait for the clock
}

// Waits tells whether a script or somebody else may still have to make the bytes. Then reading them elsewhere in this
// process must not hold the clock.
func (p *Payload) Waits() bool { return p.Stream != nil || p.waiting }

// take moves the body out; it counts as used from now on. encoded asks for the bytes as they came, under their content
// coding.
func (k *classes) take(b *Body, encoded bool) Payload {
	if !b.present {
		return Payload{Null: true}
	}
	if k.disturbed(b) {
		k.h.Realm.ThrowType("%s", errBodyUsed)
	}
	defer func() { b.used, b.reader = true, nil }()
	switch {
	case b.stream != nil:
		if streams.Locked(k.h, b.stream) {
			k.h.Realm.ThrowType("%s", errBodyLocked)
		}
		n, known := streams.ExpectedLength(k.h, b.stream)
		if !known {
			n = -1
		}
		if r, ok := streams.Native(k.h, b.stream); ok {
			if whole, ok := r.(interface{ Bytes() []byte }); ok {
				return Payload{Bytes: whole.Bytes(), Length: n}
			}
			return Payload{Reader: r, Length: n, waiting: streams.Waits(r)}
		}
		return Payload{Stream: b.stream, Length: n}
	case b.buffered:
		return Payload{Bytes: b.buffer, Length: int64(len(b.buffer))}
	case encoded && b.encoding != "":
		return Payload{Reader: b.reader, Length: b.length, Encoding: b.encoding, waiting: b.waiting}
	}
	r, n := k.plainReader(b)
	return Payload{Reader: r, Length: n, waiting: b.waiting}
}

// OutResponse is a Response on its way out of the isolate.
type OutResponse struct {
	Status     int
	StatusText string
	// Header is a copy. Set-Cookie lines stay apart.
	Header http.Header
	Body   Payload
	// Encode is the content coding that the sender must put on the body: the response names it in Content-Encoding,
	// and did not say encodeBody: "manual". Empty if the body goes out as it is.
	Encode string
	// WebSocket is the client end of a 101 response, nil if there is none.
	WebSocket *goja.Object
}

// Outgoing takes a Response apart so that it can be sent; its body counts as used then. failure is what is thrown when
// it was used before, or when it is Response.error(). v must be a Response ([IsResponse]).
func Outgoing(h *host.Host, v goja.Value) (out *OutResponse, failure goja.Value) {
	k := of(h)
	s, ok := ResponseOf(h, v)
	if !ok {
		panic("fetch: Outgoing of something that is no Response")
	}
	if s.status == 0 {
		return nil, h.Realm.TypeError(
			"Return value from serve handler must not be an error response (like Response.error())")
	}
	one := &struct {
		out         OutResponse
		contentType [1]string
	}{out: OutResponse{Status: s.status, StatusText: s.reasonPhrase(), WebSocket: s.socket}}
	out = &one.out
	coding := ""
	if s.hdr == nil {
		out.Header = http.Header{}
		if s.contentType != "" {
			one.contentType[0] = s.contentType
			out.Header["Content-Type"] = one.contentType[:]
		}
	} else {
		out.Header = s.hdr.HTTP()
		coding = out.Header.Get("Content-Encoding")
		if coding != "gzip" && coding != "br" {
			coding = ""
		}
		if !s.manual {
			out.Encode = coding
		}
	}
	// The fast path: a buffer or null cannot throw.
	if s.stream == nil && !s.used && (s.buffered || !s.present) {
		out.Body = k.take(&s.Body, false)
	} else {
		failure = h.Realm.Try(func() { out.Body = k.take(&s.Body, s.manual || s.encoding == out.Encode) })
	}
	if s.manual && !out.Body.Null {
		// The script has put the coding on itself.
		out.Body.Encoding = coding
	}
	if out.Body.Encoding == out.Encode || out.Body.Null {
		out.Encode = ""
	}
	return out, failure
}

// Parts is a Response in Go's terms, for [NewResponse].
type Parts struct {
	Status     int
	StatusText string
	Header     http.Header
	// Body is nil for a null body. Length is -1 when unknown.
	Body   io.ReadCloser
	Length int64
	// Waiting says that Body comes from another Worker or object, which may wait for the clock.
	Waiting bool
	// Encoding is the content coding Body is under ("gzip", "br"): a script reads it decoded.
	Encoding string
	// URLs are the URLs gone through, without fragment in the last.
	URLs      []string
	WebSocket *goja.Object
	// signal aborts the body.
	signal *events.Signal
}

// NewResponse makes the Response that a fetch answers with. Its headers cannot be changed.
func NewResponse(h *host.Host, p Parts) *goja.Object {
	s := &Response{status: p.Status, urls: p.URLs, socket: p.WebSocket, hdr: NewHeaders(p.Header)}
	if s.reason = p.StatusText; s.reason == "" {
		s.reason = statusText(p.Status)
	}
	if p.Body != nil {
		s.Body = readerBody(p.Body, p.Length)
		s.encoding, s.waiting = p.Encoding, p.Waiting
		if p.signal != nil {
			s.abortable(p.signal)
		}
	}
	return of(h).response.Wrap(s)
}
