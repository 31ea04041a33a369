package worker

import (
	"net/http"
	"testing"
	"time"
)

// Options.Waits is called once for a handler that waits long, and is told what the handler waits for.
func TestWaits(t *testing.T) {
	told := make(chan Waits, 8)
	w := start(t, `export default { async fetch(r) {
		if (r.url.endsWith("/quick")) return new Response("quick");
		setTimeout(() => {}, 3600_000);
		await new Promise((r) => setTimeout(r, 3600_000));
	} }`, func(o *Options) {
		o.WaitsAfter = time.Millisecond
		o.Waits = func(w Waits) { told <- w }
	})
	if _, body, err := get(t, w, "http://localhost/quick"); err != nil || body != "quick" {
		t.Fatal(body, err)
	}
	req, err := http.NewRequest("GET", "http://localhost/slow?a=b", nil)
	if err != nil {
		t.Fatal(err)
	}
	w.FetchAsync(t.Context(), req, FetchOptions{})
	got := <-told
	if got.Event != "GET /slow?a=b" || got.Timers != 2 || got.Calls != 0 || got.For < time.Millisecond {
		t.Errorf("%+v", got)
	}
	if err := w.Loop.Do(t.Context(), w.tellWaits); err != nil || len(told) != 0 {
		t.Errorf("told again, or %v", err)
	}
}

// Each handler's line comes after its own WaitsAfter, also while the timer was begun for an earlier one: the next look
// is when the oldest of those that are left has waited long enough.
func TestWaitsEachInItsTime(t *testing.T) {
	told := make(chan Waits, 8)
	w := start(t, `export default { async fetch() { await new Promise((r) => setTimeout(r, 3600_000)); } }`,
		func(o *Options) {
			o.WaitsAfter = time.Hour
			o.Waits = func(w Waits) { told <- w }
		})
	for _, path := range []string{"/first", "/second"} {
		req, err := http.NewRequest("GET", "http://localhost"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.FetchAsync(t.Context(), req, FetchOptions{})
	}
	err := w.Loop.Do(t.Context(), func() {
		base := w.Loop.Clock().Now()
		for inv := range w.live {
			inv.Start = base
			if inv.Computing() == "GET /second" {
				inv.Start = base.Add(4 * time.Minute)
			}
		}
		for _, step := range []struct {
			at, next time.Duration
			told     int
		}{
			{10 * time.Minute, 50 * time.Minute, 0},
			{time.Hour, 4 * time.Minute, 1},
			{64 * time.Minute, 0, 2},
		} {
			if next := w.tellWaitsAt(base.Add(step.at)); next != step.next || len(told) != step.told {
				t.Errorf("after %s: %d told, looks again in %s, want %d and %s", step.at, len(told), next, step.told,
					step.next)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWaitsText(t *testing.T) {
	for want, w := range map[string]Waits{
		"GET / has no answer after 5s; its handler waits for 1 timer": {
			"GET /", 5 * time.Second, 1, 0},
		"queue has no answer after 6s; its handler waits for 2 timers and 1 call": {
			"queue", 6 * time.Second, 2, 1},
		"GET / has no answer after 5s; its handler waits for 3 calls": {
			"GET /", 5 * time.Second, 0, 3},
		"rpc has no answer after 5s; its handler waits for a promise of another event": {"rpc", 5 * time.Second, 0, 0},
	} {
		if got := w.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
