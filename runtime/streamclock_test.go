package runtime

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"eddy/runtime/clock"
)

// Streams between Workers and objects, both ways, hold virtual time whenever anything of them can go on: a time-out of
// five seconds beside each never comes first, in twenty rounds.
func TestStreamsHoldTheClock(t *testing.T) {
	out := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		for len(b) > 0 { // a chunk each
			n := min(len(b), 4)
			_, _ = w.Write(b[:n])
			_ = http.NewResponseController(w).Flush()
			b = b[n:]
		}
	}))
	defer out.Close()
	s := newProject(t, "wrangler.jsonc", script("streamclock", "wrangler.jsonc"), "index.js",
		script("streamclock", "index.js")).serve(func(o *Options) {
		o.Clock = clock.NewVirtual(time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC), 1) // it goes on
	})
	var kinds []string
	if _, list := s.ask("GET", "/kinds", ""); json.Unmarshal([]byte(list), &kinds) != nil || len(kinds) == 0 {
		t.Fatal(list)
	}
	for _, kind := range kinds {
		query := url.Values{"kind": {kind}, "out": {out.URL}}
		if _, got := s.ask("GET", "/rounds?"+query.Encode(), ""); got != "ok" {
			t.Errorf("%s: %s", kind, got)
		}
	}
}
