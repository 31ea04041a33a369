package running

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The token goes with each request, and not to a host whose certificate is anybody's.
func TestToken(t *testing.T) {
	var got []string
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization"))
		_, _ = w.Write([]byte("{}")) // the client may be gone
	}))
	defer s.Close()
	for _, token := range []string{"", "secret"} {
		c, err := Dial(s.URL, token)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Session(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if text := strings.Join(got, "|"); text != "|Bearer secret" {
		t.Errorf("sent %q", text)
	}
	for token, unchecked := range map[string]bool{"": true, "secret": false} {
		c, err := Dial("https://10.0.0.5:8787", token)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.http.Transport.(*http.Transport).TLSClientConfig.InsecureSkipVerify; got != unchecked {
			t.Errorf("token %q: unchecked %v", token, got)
		}
	}
}

// A refusal for want of the token is told apart from an address where nothing of eddy answers.
func TestTokenWanted(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Bring the token.", http.StatusForbidden)
	}))
	defer s.Close()
	c, err := Dial(s.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	var wanted *TokenError
	if _, err := c.Session(t.Context()); !errors.As(err, &wanted) || wanted.Text != "Bring the token." {
		t.Errorf("refused with %v", err)
	}
}
