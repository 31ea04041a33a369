package front

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// Neither another machine nor a page somewhere in the web reaches what belongs to the developer (DEV5).
func TestCheckLocal(t *testing.T) {
	here := &net.TCPAddr{IP: net.IPv4(192, 168, 1, 7), Port: 8787}
	for _, c := range []struct {
		name, peer, host string
		header           http.Header
		want             error
	}{
		{"loopback", "127.0.0.1:5", "localhost:8787", nil, nil},
		{"IPv6 loopback", "[::1]:5", "[::1]:8787", nil, nil},
		{"this machine by its own address", "192.168.1.7:5", "localhost:8787", nil, nil},
		{"the address that --ip gave", "192.168.1.7:5", "192.168.1.7:8787", http.Header{"Origin": {
			"http://192.168.1.7:8787"}}, nil},
		{"all addresses, as --ip gave them", "127.0.0.1:5", "0.0.0.0:8787", nil, nil},
		{"all addresses of IPv6", "[::1]:5", "[::]:8787", nil, nil},
		{"another address", "192.168.1.7:5", "192.168.1.8:8787", nil, errForeignHost},
		{"a page of another address", "127.0.0.1:5", "localhost", http.Header{"Origin": {"http://192.168.1.8"}},
			errForeignHost},
		{"a neighbour who says localhost", "192.168.1.8:5", "localhost:8787", nil, errForeignPeer},
		{"nobody", "", "localhost:8787", nil, errForeignPeer},
		{"a name that resolves to this machine", "127.0.0.1:5", "evil.example", nil, errForeignHost},
		{"a local page", "127.0.0.1:5", "localhost", http.Header{"Origin": {"http://localhost:3000"}}, nil},
		{"a foreign page", "127.0.0.1:5", "localhost", http.Header{"Origin": {"https://evil.example"}}, errForeignHost},
		{"a foreign page behind a local one", "127.0.0.1:5", "localhost",
			http.Header{"Origin": {"http://localhost", "https://evil.example"}}, errForeignHost},
		{"a page without an origin", "127.0.0.1:5", "localhost", http.Header{"Origin": {"null"}}, errForeignHost},
		{"an image of a foreign page", "127.0.0.1:5", "localhost", http.Header{"Sec-Fetch-Site": {"cross-site"}},
			errForeignPage},
		{"typed into the address bar", "127.0.0.1:5", "localhost", http.Header{"Sec-Fetch-Site": {"none"}}, nil},
		{"a page of this port", "127.0.0.1:5", "localhost", http.Header{"Sec-Fetch-Site": {"same-origin"}}, nil},
	} {
		r := httptest.NewRequest("GET", "/cdn-cgi/handler/scheduled", nil)
		ctx := context.WithValue(r.Context(), http.ServerContextKey, &http.Server{})
		r = r.WithContext(context.WithValue(ctx, http.LocalAddrContextKey, net.Addr(here)))
		r.RemoteAddr, r.Host, r.Header = c.peer, c.host, c.header
		if err := checkLocal(r); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if err := checkLocal(httptest.NewRequest("GET", "/cdn-cgi/handler/scheduled", nil)); err != nil {
		t.Errorf("a request of a Go test: %v", err)
	}
}

// FuzzCheckLocal: what is said to be local names this machine, whatever a page or a neighbour writes.
func FuzzCheckLocal(f *testing.F) {
	f.Add("127.0.0.1:5", "localhost", "http://localhost", "same-origin")
	f.Add("[::1%lo]:5", "[::1]:80", "null", "none")
	f.Add("10.0.0.1:5", "evil.localhost", "http://localhost@evil.example", " cross-site")
	f.Add("127.0.0.1:5", "127.0.0.1.evil.example", "http://[::1]:5", "")
	f.Fuzz(func(t *testing.T, peer, host, origin, site string) {
		r := httptest.NewRequest("GET", "/cdn-cgi/handler/scheduled", nil)
		r = r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, &http.Server{}))
		r.RemoteAddr, r.Host = peer, host
		r.Header = http.Header{"Origin": {origin}, "Sec-Fetch-Site": {site}}
		if checkLocal(r) != nil {
			return
		}
		here := func(name string) bool {
			name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
			ip := net.ParseIP(name)
			return name == "localhost" || strings.HasSuffix(name, ".localhost") ||
				ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
		}
		u, err := url.Parse(origin)
		if err != nil || !here(u.Hostname()) {
			t.Fatalf("a page of %q is answered", origin)
		}
		if name, _, err := net.SplitHostPort(host); !here(host) && (err != nil || !here(name)) {
			t.Fatalf("%q is answered", host)
		}
		if strings.Contains(strings.ToLower(site), "cross-site") &&
			strings.TrimSpace(strings.ToLower(site)) == "cross-site" {
			t.Fatalf("Sec-Fetch-Site: %q is answered", site)
		}
	})
}
