package sharing

import (
	"net/http"
	"net/http/httptest"
	"strings"
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

// What is about the cluster's queues goes to the node that has them, with the cluster's token. While none has them, or
// that one does not answer, a browser is told to ask again.
func TestQueuesNodeIsAsked(t *testing.T) {
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t" {
			t.Errorf("asked with %q", r.Header.Get("Authorization"))
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	gone := httptest.NewServer(nil)
	gone.Close()
	defer node.Close()
	for _, c := range []struct {
		url    string
		there  bool
		status int
		text   string
	}{
		{node.URL, true, http.StatusAccepted, ""},
		{node.URL, false, http.StatusServiceUnavailable, "No node of the cluster has the queues now"},
		{"", false, http.StatusServiceUnavailable, "No node"},
		{gone.URL, true, http.StatusBadGateway, "The node that has the queues does not answer"},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/cdn-cgi/eddy/queues", nil)
		forwardTo(peer.Address{URL: c.url, Token: "t"}, c.there, w, r)
		again := ""
		if c.status >= http.StatusInternalServerError {
			again = "1"
		}
		if h := w.Header(); w.Code != c.status || !strings.Contains(w.Body.String(), c.text) ||
			h.Get("Refresh") != again || h.Get("Retry-After") != again {
			t.Errorf("%q: %d, %v, %s", c.url, w.Code, h, w.Body)
		}
	}
}
