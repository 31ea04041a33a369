package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// probes is the port of `eddy serve` for who runs the machine: whether the process lives, whether it should get
// requests, and its metrics. It has nothing of the Workers, and no token: it belongs on an address that clients do not
// reach.
type probes struct {
	listener net.Listener
	server   http.Server

	mu      sync.Mutex
	metrics http.Handler // nil before the session is ready
	ending  bool
	// lease tells whether a node of a cluster has one; nil outside. Set before ready.
	lease func() bool
	// drained tells whether a node of a cluster is to have nothing. Set with lease.
	drained func() bool
	// trouble is what is wrong with a node of a cluster that serves. Set with lease.
	trouble func() []string
}

func (p *probes) listen(address string) error {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return fmt.Errorf("%q: expected HOST:PORT, or off", address)
	}
	var err error
	if p.listener, err = net.Listen("tcp", address); err != nil {
		return err
	}
	p.server = http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(p.listener) }() // it ends with close
	return nil
}

func (p *probes) address() string { return p.listener.Addr().String() }

func (p *probes) close() { _ = p.server.Close() } // nobody waits for an answer any more

func (p *probes) ready(metrics http.Handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.metrics = metrics
}

func (p *probes) draining() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ending = true
}

// state is why requests should not be sent here; nil if they should.
func (p *probes) state() (metrics http.Handler, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ending:
		return p.metrics, errors.New("draining")
	case p.metrics == nil:
		return nil, errors.New("starting")
	case p.lease != nil && !p.lease():
		return p.metrics, errors.New("no lease: the cluster's database does not answer")
	case p.drained != nil && p.drained():
		return p.metrics, errors.New("drained, by eddy cluster drain (--undo, or a start, takes it back) or by itself")
	}
	return p.metrics, nil
}

// troubles are what is wrong although requests may be sent here.
func (p *probes) troubles() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.trouble == nil {
		return nil
	}
	return p.trouble()
}

// ServeHTTP implements [http.Handler].
func (p *probes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	metrics, err := p.state()
	switch r.URL.Path {
	case "/healthz":
		_, _ = fmt.Fprintln(w, "ok") // the client may be gone
	case "/readyz":
		text, status := "ready", http.StatusOK
		if err != nil {
			text, status = err.Error(), http.StatusServiceUnavailable
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprintln(w, strings.Join(append([]string{text}, p.troubles()...), "\n"))
	case "/metrics":
		if metrics == nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		// A request that did not come over a connection is the caller's own, and its context says so.
		ctx, cancel := context.WithCancel(context.Background())
		defer context.AfterFunc(r.Context(), cancel)()
		defer cancel()
		const at = "http://localhost/cdn-cgi/eddy/metrics"
		own, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		metrics.ServeHTTP(w, own)
	default:
		http.Error(w, "There are /healthz, /readyz and /metrics.", http.StatusNotFound)
	}
}
