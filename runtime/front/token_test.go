package front

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Who brings the token is answered from anywhere, unless a page of another origin asks; nobody else is.
func TestToken(t *testing.T) {
	const token = "correct-horse-battery"
	f := New(Options{Token: token})
	here := &net.TCPAddr{IP: net.IPv4(192, 168, 1, 7), Port: 8787}
	for _, c := range []struct {
		name, url string
		header    http.Header
		want      error
		went      bool
	}{
		{"nothing", "/cdn-cgi/eddy/", nil, errForeignPeer, false},
		{"a bearer", "/cdn-cgi/eddy/", http.Header{"Authorization": {"Bearer " + token}}, nil, false},
		{"another bearer", "/cdn-cgi/eddy/", http.Header{"Authorization": {"Bearer wrong"}}, errForeignPeer, false},
		{"an empty bearer", "/cdn-cgi/eddy/", http.Header{"Authorization": {"Bearer "}}, errForeignPeer, false},
		{"a cookie", "/cdn-cgi/eddy/", http.Header{"Cookie": {"eddy-token=" + token}}, nil, false},
		{"another cookie", "/cdn-cgi/eddy/", http.Header{"Cookie": {"eddy-token=x"}}, errForeignPeer, false},
		{"a visit", "/cdn-cgi/eddy/queues?token=" + token + "&a=1", nil, nil, true},
		{"a wrong visit", "/cdn-cgi/eddy/?token=wrong", nil, errForeignPeer, false},
		{"its own page", "/cdn-cgi/eddy/", http.Header{"Cookie": {"eddy-token=" + token},
			"Origin": {"http://box:8787"}}, nil, false},
		{"a foreign page", "/cdn-cgi/eddy/", http.Header{"Cookie": {"eddy-token=" + token},
			"Origin": {"https://evil.example"}}, errForeignPage, false},
	} {
		r := httptest.NewRequest("GET", c.url, nil)
		ctx := context.WithValue(r.Context(), http.ServerContextKey, &http.Server{})
		r = r.WithContext(context.WithValue(ctx, http.LocalAddrContextKey, net.Addr(here)))
		r.RemoteAddr, r.Host = "192.168.1.8:5", "box:8787"
		if c.header != nil {
			r.Header = c.header
		}
		w := httptest.NewRecorder()
		went, err := f.admit(w, r)
		if went != c.went || err != c.want {
			t.Errorf("%s: %v, %v", c.name, went, err)
		}
		if went {
			got := w.Header().Get("Location") + " " + w.Header().Get("Set-Cookie")
			if want := "/cdn-cgi/eddy/queues?a=1 eddy-token=" + token + "; Path=/cdn-cgi; HttpOnly; " +
				"SameSite=Strict"; got != want {
				t.Errorf("a visit is answered with %s", got)
			}
		}
		if _, err := New(Options{}).admit(w, r); err == nil {
			t.Errorf("%s: a session without a token lets it in", c.name)
		}
	}
	for token, want := range map[string]string{"short": "it needs 16 or more", strings.Repeat("a", 16): "",
		strings.Repeat("a", 16) + ";": "other characters"} {
		if err := CheckToken(token); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(),
			want) {
			t.Errorf("%s: %v", token, err)
		}
	}
}
