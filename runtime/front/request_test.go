package front

import (
	"net/http/httptest"
	"testing"
)

// A client on this machine may say that it is somebody else, one from elsewhere may not; the caller's own headers stay
// as they are (RT9).
func TestConnectingIP(t *testing.T) {
	for _, c := range []struct{ peer, claim, want string }{
		{"127.0.0.1:4711", "", "127.0.0.1"},
		{"127.0.0.1:4711", "9.9.9.9", "9.9.9.9"},
		{"[::1]:4711", "9.9.9.9", "9.9.9.9"},
		{"192.0.2.1:1234", "9.9.9.9", "192.0.2.1"},
		{"192.0.2.1:1234", "", "192.0.2.1"},
	} {
		r := httptest.NewRequest("GET", "http://localhost/", nil)
		r.RemoteAddr = c.peer
		if c.claim != "" {
			r.Header.Set("Cf-Connecting-Ip", c.claim)
		}
		before := len(r.Header)
		if got := incoming(r).Header.Get("Cf-Connecting-Ip"); got != c.want {
			t.Errorf("%s claims %q: %s, want %s", c.peer, c.claim, got, c.want)
		}
		if len(r.Header) != before || r.Header.Get("Cf-Connecting-Ip") != c.claim {
			t.Errorf("the caller's headers have changed: %v", r.Header)
		}
	}
}
