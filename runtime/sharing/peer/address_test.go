package peer

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A node talks to the certificate that the database has for the other one, and to no stranger at its address.
func TestPinnedCertificate(t *testing.T) {
	asked := 0
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer server.Close()
	own := string(server.Certificate().Raw)
	const other = "another certificate"
	for cert, want := range map[string]string{own: "", own + "x": other, own[1:]: other} {
		a := Address{URL: server.URL, Token: "secret", Cert: cert}
		req, err := http.NewRequest(http.MethodGet, a.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+a.Token)
		res, err := a.client().Do(req)
		switch {
		case err == nil:
			_ = res.Body.Close()
			if want != "" {
				t.Error("a stranger was told the token")
			}
		case want == "" || !strings.Contains(err.Error(), want):
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if asked != 1 {
		t.Errorf("the server was asked %d times", asked)
	}
}
