package examples

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestOrders(t *testing.T) {
	s := run(t, "orders/wrangler.jsonc")
	place := func(id, card string, want int) {
		t.Helper()
		if status, _, body := s.do("POST", "/orders/"+id, `{"items":[{"sku":"tea","quantity":2}],"card":"`+card+
			`"}`); status != want {
			t.Fatalf("place %s: %d %s", id, status, body)
		}
	}
	for _, bad := range []string{`{"items":[],"card":"ok"}`, `{"items":[{"sku":"tea","quantity":0}],"card":"ok"}`,
		`nonsense`} {
		if status, _, body := s.do("POST", "/orders/bad", bad); status != http.StatusBadRequest ||
			!strings.Contains(body, "error") {
			t.Errorf("%s: %d %s", bad, status, body)
		}
	}
	s.expect("/orders/bad", `{"status":"new","history":[]}`)
	place("good", "ok", http.StatusAccepted)
	place("good", "ok", http.StatusAccepted) // placing twice changes nothing
	place("flaky", "flaky", http.StatusAccepted)
	place("declined", "declined", http.StatusAccepted)
	s.expect("/orders/good", `{"status":"placed","history":["placed"]}`)
	s.clock.Advance(t.Context(), 5*time.Second) // a batch timeout for each queue
	s.expect("/orders/good", `{"status":"shipped","history":["placed","paid","shipped"]}`)
	s.expect("/orders/flaky", `{"status":"placed","history":["placed"]}`)
	s.clock.Advance(t.Context(), 10*time.Second)
	s.expect("/orders/flaky", `{"status":"shipped","history":["placed","paid","shipped"]}`)
	s.expect("/orders/declined", `{"status":"placed","history":["placed"]}`)
	s.clock.Advance(t.Context(), time.Minute)
	s.expect("/orders/declined", `{"status":"failed","history":["placed","failed"]}`)
	if out := s.out.String(); !strings.Contains(out, `to dead letter queue "payments-dlq" after 4 failed attempts`) {
		t.Error("the dead letter was not reported")
	}
}
