package fetch

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Why a request failed is told to a person in plain words, whatever the script is told.
func TestReason(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = nil
	secure.StartTLS()
	defer secure.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	go func() {
		for {
			c, err := silent.Accept()
			if err != nil {
				return
			}
			_, _ = io.CopyN(io.Discard, c, 1)
			c.Close()
		}
	}()
	transport := &http.Transport{TLSClientConfig: &tls.Config{}}
	for url, want := range map[string]string{
		"http://127.0.0.1:1": "nobody listens there (connection refused)",
		secure.URL:           "this machine does not trust the signer of the certificate (TLS)",
		"https" + strings.TrimPrefix(plain.URL, "http"): "the other side does not speak TLS; is it http://?",
		"http://" + silent.Addr().String():              "the other side closed the connection before it answered",
	} {
		req, err := http.NewRequest("GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = transport.RoundTrip(req)
		if err == nil {
			t.Fatalf("%s answered", url)
		}
		if got := reason(err); got != want {
			t.Errorf("%s: %q (%v), want %q", url, got, err, want)
		}
	}
	if got := reason(&net.DNSError{Name: "nowhere.invalid",
		IsNotFound: true}); got != "no address is known for nowhere.invalid (DNS)" {
		t.Error(got)
	}
}
