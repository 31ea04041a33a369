package examples

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// An order takes its ten days in a moment, whatever it waits for.
func TestParcel(t *testing.T) {
	s := run(t, "parcel/wrangler.jsonc")
	status, _, body := s.do("POST", "/", `{"parcel":7}`)
	if status != http.StatusAccepted {
		t.Fatal(status, body)
	}
	id := asJSON(t, body)["id"].(string)
	want := func(text string) {
		t.Helper()
		s.clock.Advance(t.Context(), time.Second)
		if got := strings.TrimSpace(s.get("/" + id)); got != text {
			t.Fatalf("got  %s\nwant %s", got, text)
		}
	}
	want(`{"status":"waiting","output":null}`)
	s.clock.Advance(t.Context(), 3*24*time.Hour)
	want(`{"status":"waiting","output":null}`)
	s.clock.Advance(t.Context(), 7*24*time.Hour)
	want(`{"status":"errored","output":null,"error":{"name":"Error","message":"WorkflowTimeoutError: ` +
		`Execution timed out after 604800000ms"}}`)
	if !strings.Contains(s.out.String(), "refunded 1200 cents") {
		t.Error("the order that nobody answered was not refunded")
	}
}
