package front

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"

	"eddy/wrangler"
)

// origin is the address that a Worker sees in the place of the local one, as in wrangler dev: the host of dev.host, or
// of the first route, with dev.upstream_protocol. Requests come in under it, and what goes out is written back to the
// local address, so that redirects and cookies work in a browser.
type origin struct{ seen, local *url.URL }

// originOf is the origin of a request by a configuration, nil where the Worker sees the address that the client used.
func originOf(cfg *wrangler.Config, r *http.Request) *origin {
	host := cfg.Dev.Host
	if host == "" && !cfg.Dev.KeepOrigin && len(cfg.Routes) > 0 {
		host = RouteHost(cfg.Routes[0])
	}
	if host == "" {
		return nil
	}
	if u, err := url.Parse(host); err == nil && u.Host != "" {
		host = u.Host // people write https://example.com
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return &origin{seen: &url.URL{Scheme: cfg.Dev.UpstreamProtocol, Host: host},
		local: &url.URL{Scheme: scheme, Host: r.Host}}
}

// RouteHost is the host of a route's pattern, without wildcards; else its zone.
func RouteHost(r wrangler.Route) string {
	pattern := r.Pattern
	for _, prefix := range []string{"http://", "https://", "*.", "*"} {
		pattern = strings.TrimPrefix(pattern, prefix)
	}
	host, _, _ := strings.Cut(pattern, "/")
	if host == "" || strings.Contains(host, "*") {
		host = r.ZoneName
	}
	return host
}

// incoming is the request as if it had been sent to the origin.
func (o *origin) incoming(r *http.Request) *http.Request {
	out := r.Clone(r.Context())
	out.Body, out.Host, out.TLS = r.Body, o.seen.Host, nil
	if o.seen.Scheme == "https" {
		out.TLS = &tls.ConnectionState{}
	}
	swap(out.Header, o.local, o.seen)
	return out
}

// outgoing writes the addresses in a response's headers back.
func (o *origin) outgoing(h http.Header) {
	swap(h, o.seen, o.local)
	for i, cookie := range h["Set-Cookie"] {
		h["Set-Cookie"][i] = strings.ReplaceAll(cookie, o.seen.Hostname(), o.local.Hostname())
	}
}

// swap replaces one origin by another in all values of headers.
func swap(h http.Header, from, to *url.URL) {
	for _, values := range h {
		for i, v := range values {
			values[i] = strings.ReplaceAll(v, from.Scheme+"://"+from.Host, to.Scheme+"://"+to.Host)
		}
	}
}

// rewriting is a ResponseWriter that changes headers right before they go out.
type rewriting struct {
	http.ResponseWriter
	change func(h http.Header, status int)
	done   bool
}

// WriteHeader implements [http.ResponseWriter].
func (a *rewriting) WriteHeader(status int) {
	if !a.done {
		a.done = true
		a.change(a.Header(), status)
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *rewriting) Write(p []byte) (int, error) {
	if !a.done {
		a.WriteHeader(http.StatusOK)
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap gives [http.ResponseController] what is beneath.
func (a *rewriting) Unwrap() http.ResponseWriter { return a.ResponseWriter }
