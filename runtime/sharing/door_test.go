package sharing

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"eddy/runtime/sharing/hosting"
	"eddy/runtime/sharing/peer"
)

// A node of a cluster whose objects are not there yet takes no calls: who had called it waited for ever.
func TestStartingNode(t *testing.T) {
	s := &Sharing{hosting: hosting.New(hosting.Options{}), connected: make(chan struct{}), token: "t"}
	s.wires = newWires(nil, "t", "Node a", nil)
	ask := func() int {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, peer.WirePath, nil)
		r.Header.Set("Authorization", "Bearer t")
		s.ServeHTTP(w, r)
		return w.Code
	}
	if got := ask(); got != http.StatusServiceUnavailable {
		t.Errorf("while it starts it answers %d", got)
	}
	close(s.connected)
	if got := ask(); got != http.StatusUpgradeRequired {
		t.Errorf("then it answers a request that is no WebSocket %d", got)
	}
}
