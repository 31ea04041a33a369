package examples

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"
)

func TestFanOut(t *testing.T) {
	s := run(t, "fan-out/wrangler.jsonc")
	if status, _, body := s.do("GET", "/cdn-cgi/handler/scheduled?cron=*/15+*+*+*+*&time=1000", ""); status != http.StatusOK || body != "ok" {
		t.Fatalf("%d %s", status, body)
	}
	s.clock.Advance(2 * time.Second)
	s.expect("/", `[{"feed":"alpha","run":1000,"attempts":1}]`)
	s.clock.Advance(4 * time.Minute) // beta comes after a minute and fails once, gamma after two
	s.expect("/", `[{"feed":"alpha","run":1000,"attempts":1},{"feed":"beta","run":1000,"attempts":2},{"feed":"gamma","run":1000,"attempts":1}]`)
}

// BE-3, BE-4, BE-6, BE-7.
func TestBrandEngine(t *testing.T) {
	s := run(t, "brand-engine/strategist/wrangler.jsonc", "brand-engine/gatherfeed/wrangler.jsonc",
		"brand-engine/publisher/wrangler.jsonc", "brand-engine/social/wrangler.jsonc")
	start := s.clock.Now()
	if status, _, body := s.do("POST", "/", `{"keywords":["tea","jazz","chess"]}`); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, body)
	}
	s.clock.Advance(time.Minute)
	want := `{"content.generated":3,"content.publish":3,"content.published":3,"research.completed":3,"research.requested":3,"social.post":3,"social.posted":3}`
	s.expect("/", want)
	t.Logf("done within %v", s.clock.Now().Sub(start))
	// Sending the same event twice processes it once.
	if status, _, _ := s.do("POST", "/replay", `{"event_id":"e1","type":"content.published","source":"test","timestamp":"","payload":{}}`); status != http.StatusAccepted {
		t.Fatal(status)
	}
	s.clock.Advance(time.Minute)
	if got := asJSON(t, s.get("/"))["content.published"]; got != 4.0 {
		t.Errorf("the event counted %v times", got)
	}
	// A transient failure: 30, 60, 120 seconds, then the dead letter queue. A permanent one: never again.
	if status, _, _ := s.do("POST", "/", `{"keywords":["unreachable",""]}`); status != http.StatusAccepted {
		t.Fatal(status)
	}
	for _, step := range []struct {
		after time.Duration
		dead  int64
	}{{200 * time.Second, 0}, {60 * time.Second, 1}} {
		s.clock.Advance(step.after)
		q, err := s.server.Broker().Queue(context.Background(), "gatherfeed-commands-dlq")
		if err != nil {
			t.Fatal(err)
		}
		if q.Metrics.BacklogCount != step.dead {
			t.Errorf("after %v: %d dead letters, want %d", step.after, q.Metrics.BacklogCount, step.dead)
		}
	}
	if got := fmt.Sprint(asJSON(t, s.get("/"))["research.completed"]); got != "3" {
		t.Error("research.completed:", got)
	}
}
