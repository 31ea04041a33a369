package front

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"eddy/runtime/engine/eventloop"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/worker"
)

// ServeHTTP implements [http.Handler].
func (f Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isCDN(r.URL.Path) || f.o.TestScheduled && r.URL.Path == "/__scheduled" {
		f.serveCDN(w, r)
		return
	}
	start := time.Now()
	if hops := fetch.Arrived(r); hops != (eventloop.Hops{}) {
		r = r.WithContext(context.WithValue(r.Context(), hopsKey{}, hops))
	}
	status := f.serveAs(w, r)
	if status == 0 {
		return // the client is gone, or the connection is a WebSocket now
	}
	f.requestLine(r, status, time.Since(start))
}

// serve answers one request and returns the status, 0 if no line is to be written for it.
func (f Front) serve(w http.ResponseWriter, r *http.Request) int {
	return f.serveBy(w, r, nil)
}

// serveBy serves with the live Worker, unless that is stopped: a Worker that was stopped before it began the request.
func (f Front) serveBy(w http.ResponseWriter, r *http.Request, stopped *worker.Worker) int {
	live, site, err := f.o.Live(r.Context())
	if err != nil || live == stopped {
		http.Error(w, "The Worker is being stopped.", http.StatusServiceUnavailable)
		return http.StatusServiceUnavailable
	}
	if site != nil {
		if file, ok, err := site.First(r); ok {
			return f.sendFile(w, r, file, err)
		}
	}
	in := incoming(r)
	body := watchBody(w, r, in)
	status := f.handle(w, r, in, body, live)
	if status != 0 {
		body.leave(w)
	}
	return status
}

// hopsKey is that of the hops of a request that a Worker of this process has sent to the port, in its context.
type hopsKey struct{}

// handle has the request handled by a Worker, which gets it as in, and answers.
func (f Front) handle(w http.ResponseWriter, r, in *http.Request, body *clientBody, live *worker.Worker) int {
	o := worker.FetchOptions{CF: worker.PlaceholderCF(r.Header.Get("Accept-Encoding"))}
	o.Hops, _ = r.Context().Value(hopsKey{}).(eventloop.Hops)
	res, err := live.Fetch(r.Context(), in, o)
	body.tellEnd(w.Header())
	if err != nil {
		if r.Context().Err() != nil {
			if overConnection(r) {
				// Without an answer net/http would say 200, even to a client that has only stopped sending
				panic(http.ErrAbortHandler)
			}
			return 0
		}
		if fault := body.faulty(); fault.causes(err) {
			return f.badRequest(w, r, fault)
		}
		if errors.Is(err, worker.ErrNotBegun) {
			return f.serveBy(w, r, live)
		}
		if f.isIconOfTestPage(r) {
			w.WriteHeader(http.StatusNotFound)
			return http.StatusNotFound
		}
		return f.fail(w, r, err)
	}
	defer res.Body.Close()
	if res.WebSocket != nil || res.Status == http.StatusSwitchingProtocols {
		return f.upgrade(w, r, res)
	}
	if ex := res.Failed(r.Context()); ex != nil { // nothing has gone out yet: it can still be said
		if fault := body.faulty(); fault.causes(ex) {
			return f.badRequest(w, r, fault)
		}
		return f.fail(w, r, ex)
	}
	return f.answer(w, r, res, body)
}

// serveAs is serve under the address that the Worker shall see, and with the script of --live-reload behind pages.
func (f Front) serveAs(w http.ResponseWriter, r *http.Request) int {
	var o *origin
	if f.port && f.o.Config != nil {
		if cfg := f.o.Config(); cfg != nil {
			o = originOf(cfg, r)
		}
	}
	if o == nil && f.o.Pages == nil {
		return f.serve(w, r)
	}
	return f.serveChanged(w, r, o)
}

// serveChanged is serveAs where something is to be changed; o is nil where the address is the client's.
func (f Front) serveChanged(w http.ResponseWriter, r *http.Request, o *origin) int {
	page := false
	w = &rewriting{ResponseWriter: w, change: func(h http.Header, status int) {
		if o != nil {
			o.outgoing(h)
		}
		if page = f.o.Pages != nil && r.Method != http.MethodHead && livePage(h, status); page {
			h.Del("Content-Length")
		}
	}}
	in := r
	if o != nil {
		in = o.incoming(r)
	}
	status := f.serve(w, in)
	if page {
		if _, err := io.WriteString(w, liveReloadScript); err != nil {
			return 0 // the client is gone
		}
	}
	return status
}
