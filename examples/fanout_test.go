package examples

import (
	"net/http"
	"testing"
	"time"
)

func TestFanOut(t *testing.T) {
	s := run(t, "fan-out/wrangler.jsonc")
	if status, _, body := s.do("GET", "/cdn-cgi/handler/scheduled?cron=*/15+*+*+*+*&time=1000",
		""); status != http.StatusOK || body != "ok" {
		t.Fatalf("%d %s", status, body)
	}
	s.clock.Advance(t.Context(), 2*time.Second)
	s.expect("/", `[{"feed":"alpha","run":1000,"attempts":1}]`)
	s.clock.Advance(t.Context(), 4*time.Minute) // beta comes after a minute and fails once, gamma after two
	s.expect("/", `[{"feed":"alpha","run":1000,"attempts":1},{"feed":"beta","run":1000,"attempts":2},{"feed":"gamma",`+
		`"run":1000,"attempts":1}]`)
}
