package worker

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"eddy/runtime/clock"
)

func startHung(t *testing.T) (*Worker, *clock.Virtual) {
	c := clock.NewVirtual(time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC), 1)
	return start(t, archive(t, "hung")["worker.js"], func(o *Options) { o.Clock = c }), c
}

// A handler that nothing can settle is ended at once, with the platform's text; one that waits for time, for another
// request or for its own socket goes on.
func TestHungHandler(t *testing.T) {
	w, c := startHung(t)
	begin := c.Now()
	for _, path := range []string{"/never", "/thenable", "/pair"} {
		if _, _, err := get(t, w, "http://localhost"+path); !errors.Is(err, ErrHung) || Outcome(err) != "exception" {
			t.Errorf("%s: %v", path, err)
		}
	}
	for path, want := range map[string]string{"/later": "later", "/sent": "sent", "/": "alive", "/body": "body "} {
		if _, body, err := get(t, w, "http://localhost"+path); err != nil || body != want {
			t.Errorf("%s: %q, %v", path, body, err)
		}
	}
	if !c.Now().Equal(begin) {
		t.Errorf("time went on by %s", c.Now().Sub(begin))
	}
	if _, body, err := get(t, w, "http://localhost/timer"); err != nil || body != "timer" {
		t.Errorf("/timer: %q, %v", body, err)
	}
}

// A promise of another request may still come true: as long as anything of the isolate is out, nobody is hung.
func TestHungWaitsForOthers(t *testing.T) {
	w, c := startHung(t)
	resume := c.Pause()
	ask := func(path string) <-chan FetchResult {
		req, err := http.NewRequest("GET", "http://localhost"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return w.FetchAsync(t.Context(), req, FetchOptions{})
	}
	first, second := ask("/first"), ask("/second")
	resume()
	for _, c := range []struct {
		answer <-chan FetchResult
		want   string
	}{{first, "first"}, {second, "shared"}} {
		r := <-c.answer
		r.Taken()
		if r.Err != nil {
			t.Errorf("%s: %v", c.want, r.Err)
			continue
		}
		body, err := io.ReadAll(r.Response.Body)
		_ = r.Response.Body.Close()
		if err != nil || string(body) != c.want {
			t.Errorf("got %q, %v, want %q", body, err, c.want)
		}
	}
}

// A response body that nobody writes any more breaks off.
func TestHungBody(t *testing.T) {
	w, _ := startHung(t)
	req, err := http.NewRequest("GET", "http://localhost/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := w.Fetch(t.Context(), req, FetchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if string(body) != "part" || !errors.Is(err, ErrHung) {
		t.Errorf("%q, %v", body, err)
	}
}

// An event of another kind fails with the same reason.
func TestHungScheduled(t *testing.T) {
	w, c := startHung(t)
	if err := w.RunScheduled(t.Context(), "* * * * *", c.Now()).Err; !errors.Is(err, ErrHung) {
		t.Error(err)
	}
}
