package node

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What panics while it answers another node is told; strangers at the port are not.
func TestFaults(t *testing.T) {
	told := make(chan string, 1)
	fault := func(http.ResponseWriter, *http.Request) { panic("a fault") }
	server := httptest.NewUnstartedServer(http.HandlerFunc(fault))
	server.Config.ErrorLog = log.New(faults{func(text string) { told <- text }}, "", 0)
	server.Start()
	defer server.Close()
	server.Config.ErrorLog.Print("http: TLS handshake error from a stranger")
	if res, err := http.Get(server.URL); err == nil {
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
	if text := <-told; !strings.Contains(text, "a fault") {
		t.Errorf("told: %s", text)
	}
}
