package fetch

import (
	"net/http"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/streams"
)

// Functions in this file are for other classes of the platform, which use requests and responses without a script in
// between.

// ToRequest returns v, an argument, as a Request: v itself, or a Request that the constructor's rules make from it.
func ToRequest(h *host.Host, v goja.Value) *Request {
	if q, ok := RequestOf(h, v); ok {
		return q
	}
	return of(h).newRequest(v, goja.Undefined())
}

// Get fetches a URL for a class of the platform, with its header lines; signal aborts it. fetcher is the binding to
// send through, nil for the network. The result is a promise; nothing is thrown.
func Get(h *host.Host, url string, header http.Header, signal *events.Signal, fetcher *goja.Object) goja.Value {
	k := of(h)
	request := k.request.Wrap(&Request{method: http.MethodGet, url: url, signal: signal, hdr: NewHeaders(header)})
	if fetcher == nil {
		return Do(h, request, goja.Undefined(), k.sendNetwork)
	}
	return h.Realm.Promised(func() goja.Value { return k.throughFetcher(fetcher, request, goja.Undefined()) })
}

// NewStoredResponse makes a Response whose whole body is there already. The body is null if the status never has one.
func NewStoredResponse(h *host.Host, status int, header http.Header, body []byte) *goja.Object {
	s := &Response{status: status, hdr: NewHeaders(header)}
	if !nullBodyStatus(status) {
		s.Body = bufferBody(body)
	}
	return of(h).response.Wrap(s)
}

// ReadWhole reads a response's body, which counts as used then; done has no data if there is none. A body under a
// content coding comes decoded, and the header that names the coding is taken off. It throws if the body was used or is
// locked.
func (s *Response) ReadWhole(h *host.Host, done func(data []byte, failure goja.Value)) {
	k, b := of(h), &s.Body
	if b.present && k.disturbed(b) {
		h.Realm.ThrowType("%s", errBodyUsed)
	}
	if b.present && b.stream == nil && !b.buffered {
		k.bodyObject(b)
	}
	switch {
	case !b.present:
		done(nil, nil)
	case b.stream != nil:
		if streams.Locked(h, b.stream) {
			h.Realm.ThrowType("%s", errBodyLocked)
		}
		if b.encoding != "" {
			s.Headers().Delete("content-encoding")
		}
		streams.ReadAll(h, b.stream, maxBufferedBody, done)
	default:
		b.used = true
		done(b.buffer, nil)
	}
}

// Stream is a response's body as a ReadableStream, nil if it is null. remote says that a server sends the bytes, when
// it likes.
func (s *Response) Stream(h *host.Host) (stream *goja.Object, remote bool) {
	if !s.present {
		return nil, false
	}
	remote = s.reader != nil
	return of(h).bodyObject(&s.Body).(*goja.Object), remote
}

// Essence is the type and subtype of a Content-Type, "/" if it has none
// (https://mimesniff.spec.whatwg.org/#mime-type-essence).
func Essence(contentType string) string {
	m, _ := parseMIME(contentType)
	return m.essence()
}
