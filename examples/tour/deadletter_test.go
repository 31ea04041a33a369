package tour

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"eddy/runtime"
	"eddy/runtime/clock"
)

func TestDeadLetter(t *testing.T) {
	ctx := context.Background()
	c := clock.NewVirtual(time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC), 1) // the start, and the seed of the order
	c.Pause()                                                              // time moves when the test says so
	s, err := runtime.Start(ctx, runtime.Options{
		Configs: []string{"wrangler.jsonc"}, Clock: c,
	})
	if err != nil {
		t.Fatal(runtime.Explain(err, false))
	}
	defer s.Stop(ctx)
	handler, err := s.Handler("") // "" is the first Worker
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest("POST", "/jobs", strings.NewReader(`{"town":"Lisbon"}`)))
	if answer.Code != 202 {
		t.Fatal(answer.Code, answer.Body)
	}
	c.Advance(ctx, time.Hour) // takes milliseconds
	q, err := s.Broker().Queue(ctx, "jobs-dlq")
	if err != nil {
		t.Fatal(err)
	}
	if q.Metrics.BacklogCount != 1 {
		t.Errorf("%d dead letters, want 1", q.Metrics.BacklogCount)
	}
}
