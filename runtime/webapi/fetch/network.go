package fetch

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/streams"
)

// plainTransport is net/http's, without its own decompression: content codings are the business of this package.
var plainTransport = sync.OnceValue(func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	return t
})

// RoundTripper is the way out for package fetch and what stands on it.
func RoundTripper(h *host.Host) http.RoundTripper {
	rt := h.RoundTripper()
	if rt == http.DefaultTransport {
		return plainTransport()
	}
	return rt
}

// Open makes a Go reader of the payload; a stream is pumped into it. It is nil for a null body. failed is called, on
// the loop, with what a stream fails with. Loop goroutine only.
func (p *Payload) Open(h *host.Host, failed func(goja.Value)) io.ReadCloser {
	switch {
	case p.Null:
		return nil
	case p.Stream != nil:
		r, w := io.Pipe()
		streams.Pump(h, p.Stream, pipeSink{w}, func(failure goja.Value) {
			if failure != nil && failed != nil {
				failed(failure)
			}
		})
		return r
	case p.Reader != nil:
		return p.Reader
	}
	return io.NopCloser(bytes.NewReader(p.Bytes))
}

// pipeSink writes a stream into a pipe whose reader may take its time.
type pipeSink struct{ w *io.PipeWriter }

// Write implements streams.Sink.
func (s pipeSink) Write(p []byte) error { _, err := s.w.Write(p); return err }

// Close implements streams.Sink.
func (s pipeSink) Close() error { return s.w.Close() }

// Abort implements streams.Sink.
func (s pipeSink) Abort(err error) { _ = s.w.CloseWithError(err) }

// Waiting implements streams.Waiter.
func (s pipeSink) Waiting() bool { return true }

// sendNetwork is the Sender to the outside.
func (k *classes) sendNetwork(scope *eventloop.Scope, q *OutRequest, answer func(Answer)) (cancel func()) {
	if q.Upgrade && k.upgrader != nil {
		return k.upgrader.Dial(scope, q, answer)
	}
	ctx, stop := context.WithCancel(scope.Context())
	req, err := httpRequest(ctx, q)
	if err != nil {
		stop()
		answer(Answer{Failure: k.networkError(err)})
		return nil
	}
	var streamFailure goja.Value
	ticket, answered := scope.Ticket, func() {}
	var body io.ReadCloser
	if q.Body.Stream != nil {
		up := newUpload(k.h.Loop.Clock())
		streams.Pump(k.h, q.Body.Stream, uploadSink{up}, func(failure goja.Value) { streamFailure = failure })
		body, ticket, answered = uploadReader{up}, scope.Waiting, up.answered
		context.AfterFunc(scope.Context(), up.answered) // nothing comes back to a scope that has ended
	} else {
		body = q.Body.Open(k.h, nil)
	}
	if body != nil {
		req.Body = body
		req.ContentLength = q.Body.Length
		if q.Body.Length == 0 {
			_ = body.Close()
			req.Body = http.NoBody
		}
		if b := q.Body.Bytes; len(b) > 0 {
			// Lets the transport send again when a kept connection turns out to be dead.
			req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
		}
	}
	rt := RoundTripper(k.h)
	t := ticket()
	go func() {
		res, err := rt.RoundTrip(req)
		t.Return(func() {
			defer answered()
			if err != nil {
				a := Answer{Failure: streamFailure}
				if streamFailure == nil {
					a.Lost = err
					k.tellWhy(req, err) // before stop, which ends the request's context, too
				}
				stop()
				answer(a)
				return
			}
			res.Body = &stopBody{ReadCloser: res.Body, stop: stop}
			answer(Answer{Parts: PartsOf(res)})
		})
	}()
	return stop
}

// stopBody lets go of the request's context at the end of the body.
type stopBody struct {
	io.ReadCloser
	stop func()
}

// Close closes the body.
func (b *stopBody) Close() error {
	err := b.ReadCloser.Close()
	b.stop()
	return err
}

// httpRequest is q without its body for net/http.
func httpRequest(ctx context.Context, q *OutRequest) (*http.Request, error) {
	u, err := url.Parse(q.URL)
	if err != nil {
		return nil, err
	}
	req := (&http.Request{
		Method: q.Method, URL: u, Header: q.Header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	req.Host = u.Host
	if h := q.Header.Get("Host"); h != "" {
		req.Host = h
	}
	q.Header.Del("Host")
	q.Header.Del("Content-Length")
	q.Header.Del("Transfer-Encoding")
	if _, ok := q.Header["User-Agent"]; !ok {
		// net/http would name itself.
		q.Header["User-Agent"] = []string{""}
	}
	return req, nil
}

// PartsOf is a response from net/http, for [Answer].
func PartsOf(res *http.Response) *Parts {
	_, reason, _ := strings.Cut(res.Status, " ")
	p := &Parts{Status: res.StatusCode, StatusText: reason, Header: res.Header, Body: res.Body,
		Length: res.ContentLength}
	if e := res.Header.Get("Content-Encoding"); e == "gzip" || e == "br" {
		p.Encoding = e
	}
	return p
}

// drainAndClose reads what is left of a small body, so that its connection can be used again.
func drainAndClose(r io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, r, 64<<10)
	_ = r.Close()
}

// NetworkError is what a failed connection looks like to scripts (RT10).
func NetworkError(h *host.Host, err error) goja.Value { return of(h).networkError(err) }
