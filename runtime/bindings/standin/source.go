package standin

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/bindings/service"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/rpc"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/sockets"
	"eddy/runtime/webapi/websocket"
	"eddy/runtime/worker"
)

// Source is who answers for a binding; the first that is set counts, and without any each use fails with Missing.
type Source struct {
	// Worker is a Worker with fetch() and, for kinds that are stubs, the methods.
	Worker *service.Binding
	// URL is where requests go: its path and then theirs.
	URL string
	// Handler answers in this process.
	Handler http.Handler
	// Transport, if set, carries the requests of URL, and of a Source with nothing else to where they are for.
	Transport http.RoundTripper
	// Missing says what to do.
	Missing string
}

// stub makes the service stub that a binding is or stands on.
func (s Source) stub(iso *worker.Isolate) (goja.Value, error) {
	kit := rpc.Of(iso.Host)
	switch {
	case s.Worker != nil:
		return s.Worker.Install(iso)
	case s.Handler != nil:
		return kit.NewFetcher(&rpc.Fetcher{Client: refusing{methodText}, Fetch: handled(iso, s.Handler)}), nil
	case s.URL != "":
		base, err := url.Parse(s.URL)
		if err != nil {
			return nil, err
		}
		send := fetch.Outside(iso.Host)
		if s.Transport != nil {
			send = handled(iso, carrier{s.Transport})
		}
		return kit.NewFetcher(&rpc.Fetcher{Client: refusing{methodText}, Fetch: redirected(base, send),
			Connect: connected(base)}), nil
	case s.Transport != nil:
		return kit.NewFetcher(&rpc.Fetcher{Client: refusing{methodText}, Fetch: handled(iso, carrier{s.Transport})}),
			nil
	}
	fail := func(_ *eventloop.Scope, _ *fetch.OutRequest, answer func(fetch.TransportAnswer)) func() {
		answer(fetch.TransportAnswer{Failure: iso.Realm.NewError("Error", s.Missing)})
		return nil
	}
	return kit.NewFetcher(&rpc.Fetcher{Client: refusing{s.Missing}, Fetch: fail}), nil
}

const methodText = "Only fetch() is carried to this binding: its methods need a stand-in that is a Worker."

// refusing is a Client whose ops all fail with a text.
type refusing struct{ text string }

// Send implements [rpc.Client].
func (r refusing) Send(op *rpc.Op) { op.Fail(rpc.Fail(r.text)) }

// Dup implements [rpc.Client].
func (r refusing) Dup() rpc.Client { return r }

// Release implements [rpc.Client].
func (r refusing) Release() {}

// Home implements [rpc.Client].
func (r refusing) Home() *eventloop.Loop { return nil }

// redirected sends requests to another base.
func redirected(base *url.URL, send fetch.Transport) fetch.Transport {
	return func(scope *eventloop.Scope, q *fetch.OutRequest, answer func(fetch.TransportAnswer)) func() {
		u, err := url.Parse(q.URL)
		if err != nil {
			answer(fetch.TransportAnswer{Lost: err})
			return nil
		}
		to := *base
		to.Path = strings.TrimSuffix(base.Path, "/") + u.Path
		to.RawPath, to.RawQuery = "", u.RawQuery
		q.URL = to.String()
		return send(scope, q, answer)
	}
}

// connected makes the connections of connect() to the place of a URL, whatever address they ask for.
func connected(base *url.URL) func(sockets.Destination) sockets.Way {
	port := base.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[base.Scheme]
	}
	if port == "" {
		port = "80"
	}
	return func(sockets.Destination) sockets.Way {
		return sockets.Way{Dial: func(ctx context.Context) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(base.Hostname(), port))
		}}
	}
}

// carrier is a transport as a handler.
type carrier struct{ http.RoundTripper }

// ServeHTTP implements [http.Handler].
func (c carrier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	res, err := c.RoundTrip(r)
	if err != nil {
		if a, ok := w.(*answered); ok {
			a.lost = err
		}
		return
	}
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)
	if a, ok := w.(*answered); ok {
		a.stream = res.Body
		return
	}
	_, _ = io.Copy(w, res.Body) // a client that has gone ends it
	_ = res.Body.Close()
}

// answered takes what a handler writes.
type answered struct {
	status int
	header http.Header
	body   bytes.Buffer
	stream io.ReadCloser
	lost   error
}

// Header implements [http.ResponseWriter].
func (a *answered) Header() http.Header { return a.header }

// WriteHeader implements [http.ResponseWriter].
func (a *answered) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write implements [http.ResponseWriter].
func (a *answered) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// handled sends requests to a handler, off the loop. Those for a WebSocket go over a connection in memory, or over the
// transport that the handler is.
func handled(iso *worker.Isolate, h http.Handler) fetch.Transport {
	upgrade := http.RoundTripper(piped{h})
	if c, ok := h.(carrier); ok {
		upgrade = c.RoundTripper
	}
	return func(scope *eventloop.Scope, q *fetch.OutRequest, answer func(fetch.TransportAnswer)) func() {
		if q.Upgrade {
			return websocket.Through(iso.Host, upgrade)(scope, q, answer)
		}
		u, err := url.Parse(q.URL)
		if err != nil {
			answer(fetch.TransportAnswer{Lost: err})
			return nil
		}
		ctx, stop := context.WithCancel(scope.Context())
		req := (&http.Request{Method: q.Method, URL: u, Host: u.Host, Header: q.Header, Body: http.NoBody,
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: q.Body.Length}).WithContext(ctx)
		ticket := scope.Ticket
		if q.Body.Stream != nil {
			ticket = scope.Waiting // the script writes it meanwhile
		}
		if body := q.Body.Open(iso.Host, nil); body != nil {
			req.Body = body
		}
		t := ticket()
		go func() {
			a := &answered{header: http.Header{}}
			h.ServeHTTP(a, req)
			_ = req.Body.Close() // nothing is read from it any more
			t.Return(func() {
				if a.lost != nil {
					stop()
					answer(fetch.TransportAnswer{Lost: a.lost})
					return
				}
				parts := &fetch.Parts{Status: max(a.status, 200), Header: a.header, Length: int64(a.body.Len()),
					Body: io.NopCloser(&a.body)}
				if a.stream != nil {
					parts.Body, parts.Length = a.stream, -1
				} else {
					stop()
				}
				answer(fetch.TransportAnswer{Parts: parts})
			})
		}()
		return stop
	}
}
