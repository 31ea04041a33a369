package fetch

import (
	"bytes"
	"context"
	"fmt"
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

// plainTransport is net/http's transport without its own decompression: this package takes content codings off.
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

// Network is the way out that an isolate has in place of the real one.
type Network struct {
	// Send sends every request of the global fetch, those that ask for a WebSocket too.
	Send Transport
	// Closed, if not "", is the text of the error with which each request and connection fails. Send is not used.
	Closed string
}

// SetNetwork replaces an isolate's way out. Call it before scripts run.
func SetNetwork(h *host.Host, n Network) { of(h).network = n }

// SetEventNetwork says which events send their requests another way than the rest of the isolate: f returns nil for the
// others. Call it before scripts run.
func SetEventNetwork(h *host.Host, f func(*eventloop.Scope) Transport) { of(h).events = f }

// eventSend is the way of the requests of an event, nil for that of the isolate.
func (k *classes) eventSend(scope *eventloop.Scope) Transport {
	if k.events == nil || scope == nil {
		return nil
	}
	return k.events(scope)
}

// Diverted tells whether the requests of the present event go another way than the isolate's.
func Diverted(h *host.Host) bool {
	k, ok := h.Value(classesKey{}).(*classes)
	return ok && k.eventSend(h.Loop.Scope()) != nil
}

// SetZone makes each request to the network name the zone of the Worker that has sent it (BIND-173): CF-Worker. Call it
// before scripts run.
func SetZone(h *host.Host, zone string) { of(h).zone = zone }

// NetworkOf is what SetNetwork has set; the zero value means the real network.
func NetworkOf(h *host.Host) Network {
	if k, ok := h.Value(classesKey{}).(*classes); ok {
		return k.network
	}
	return Network{}
}

// Open makes a Go reader of the payload; a stream is pumped into it. It is nil for a null body. failed is called, on
// the loop, with what a stream fails with. Loop goroutine only.
func (p *Payload) Open(h *host.Host, failed func(goja.Value)) io.ReadCloser {
	switch {
	case p.Null:
		return nil
	case p.Stream != nil:
		r, w := streams.NewConduit(h.Loop.Clock())
		streams.Pump(h, p.Stream, w, func(failure goja.Value) {
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

// sendNetwork is the Transport to the outside.
func (k *classes) sendNetwork(scope *eventloop.Scope, q *OutRequest, answer func(TransportAnswer)) (cancel func()) {
	answer = k.record(q, answer)
	if k.network.Closed != "" {
		answer(TransportAnswer{Failure: k.h.Realm.NewError("Error", k.network.Closed)})
		return nil
	}
	if send := k.eventSend(scope); send != nil {
		return send(scope, q, answer)
	}
	if k.network.Send != nil {
		return k.network.Send(scope, q, answer)
	}
	if k.zone != "" {
		q.Header.Set("Cf-Worker", k.zone)
	}
	if q.Upgrade && k.upgrader != nil {
		return k.upgrader.Dial(scope, q, answer)
	}
	return k.send(RoundTripper(k.h), true, scope, q, answer)
}

// Over is a Transport that sends over rt whatever the isolate's network is. What rt fails with a [Refusal] has the text
// of that for scripts. Requests for a WebSocket need another.
func Over(h *host.Host, rt http.RoundTripper) Transport {
	return func(scope *eventloop.Scope, q *OutRequest, answer func(TransportAnswer)) func() {
		return of(h).send(rt, false, scope, q, answer)
	}
}

// send sends a request over rt. outside says that it goes to the network: it may come to an own port, and cf.image
// changes its answer.
func (k *classes) send(rt http.RoundTripper, outside bool, scope *eventloop.Scope, q *OutRequest,
	answer func(TransportAnswer)) (cancel func()) {
	ctx, stop := context.WithCancel(scope.Context())
	req, err := httpRequest(ctx, q)
	if err != nil {
		stop()
		answer(TransportAnswer{Failure: k.networkError(err)})
		return nil
	}
	arrived := func() {}
	if outside && ownAddress(req.URL) {
		hops, err := k.h.Loop.Hops().Worker()
		if err != nil {
			stop()
			answer(TransportAnswer{Failure: k.h.Realm.NewError("Error", err.Error())})
			return nil
		}
		arrived = carry(req, hops)
	}
	var streamFailure goja.Value
	ticket, answered := scope.Ticket, func() {}
	var body io.ReadCloser
	if q.Body.Stream != nil {
		r, w := streams.NewConduit(k.h.Loop.Clock())
		// The request holds the clock while it waits for the network. It does not while the transport waits for the
		// script, which may itself wait for the clock.
		body, ticket, answered = q.asked.Body(r), scope.Waiting, r.Attend()
		streams.Pump(k.h, q.Body.Stream, w, func(failure goja.Value) { streamFailure = failure })
		context.AfterFunc(scope.Context(), answered) // nothing comes back to a scope that has ended
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
			// This lets the transport send again when a kept connection turns out to be dead.
			req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
		}
	}
	resizes, why := outside && k.resizes(q, req), ""
	t := ticket()
	go func() {
		res, err := rt.RoundTrip(req)
		arrived()
		if resizes && err == nil {
			why, err = k.resizer(res, q.CF)
		}
		t.Return(func() {
			defer answered()
			if why != "" && k.h.Notice != nil {
				k.h.Notice(fmt.Sprintf("%s %s: cf.image has no effect: %s", q.Method, q.URL, why))
			}
			if err != nil {
				a := TransportAnswer{Failure: streamFailure}
				if streamFailure == nil {
					a.Lost = err
					if outside {
						k.tellWhy(req, err) // this comes before stop, which ends the request's context, too
					}
				}
				stop()
				answer(a)
				return
			}
			res.Body = &stopBody{ReadCloser: res.Body, stop: stop}
			answer(TransportAnswer{Parts: PartsOf(res)})
		})
	}()
	return stop
}

// stopBody releases the request's context when the body ends.
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

// httpRequest makes q, without its body, a request for net/http.
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

// PartsOf is a response from net/http, for [TransportAnswer].
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

// Outside is the way out of the global fetch, as a Transport: the real network, or what SetNetwork has set.
func Outside(h *host.Host) Transport { return of(h).sendNetwork }
