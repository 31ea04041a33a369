package front

import (
	"net"
	"net/http"
	"net/url"
)

// incoming is the request as the handler sees it (RT9): absolute URL, host line, rewritten accept-encoding and the
// client's address. The caller's own request stays as it is.
func incoming(r *http.Request) *http.Request {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	one := &struct { // one allocation for all that the request has
		in     http.Request
		url    url.URL
		values [3]string
	}{
		in: http.Request{
			Method: r.Method, Header: make(http.Header, len(r.Header)+3),
			Body: r.Body, ContentLength: r.ContentLength, Host: r.Host,
		},
		url: url.URL{
			Scheme: scheme, Host: r.Host, Path: r.URL.Path, RawPath: r.URL.RawPath,
			RawQuery: r.URL.RawQuery, ForceQuery: r.URL.ForceQuery,
		},
		values: [3]string{r.Host, "br, gzip"},
	}
	in, values := &one.in, &one.values
	in.URL = &one.url
	if r.ContentLength == 0 && len(r.TransferEncoding) == 0 {
		in.Body = nil
	}
	for name, values := range r.Header {
		in.Header[name] = values[:len(values):len(values)] // whoever adds one makes a list of its own
	}
	if in.Header["Upgrade"] == nil { // what concerns the client's connection stays there, as with the reference
		for _, name := range [...]string{"Connection", "Keep-Alive", "Te"} {
			delete(in.Header, name)
		}
	}
	in.Header["Host"], in.Header["Accept-Encoding"] = values[0:1:1], values[1:2:2]
	if ip, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		// A client on this machine may claim to come from another address, as with the reference.
		if from := net.ParseIP(ip); from == nil || !from.IsLoopback() || in.Header.Get("Cf-Connecting-Ip") == "" {
			values[2] = ip
			in.Header["Cf-Connecting-Ip"] = values[2:3:3]
		}
	}
	return in
}
