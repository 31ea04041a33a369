package front

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
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
