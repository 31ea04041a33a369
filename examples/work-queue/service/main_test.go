package main

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eddy/runtime"
)

// A Worker and a Go service share two queues: what the Worker sends comes to Go's handler, what Go enqueues to queue().
func TestPair(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	s, err := runtime.Start(t.Context(), runtime.Options{
		Configs: []string{"../wrangler.jsonc"}, Listen: true, Port: -1, Persist: true, PersistTo: state,
	})
	if err != nil {
		t.Fatal(runtime.Explain(err, false))
	}
	defer func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, state) }()
	ask := func(method string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL()+"/lamp", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, strings.TrimSpace(string(b))
	}
	if status, body := ask("POST"); status != http.StatusAccepted {
		t.Fatalf("POST: %d %s", status, body)
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for status, body := ask("GET"); body != "40"; status, body = ask("GET") {
		if status != http.StatusNotFound {
			t.Fatalf("GET: %d %s", status, body)
		}
		select {
		case <-tick.C:
		case err := <-ended:
			t.Fatalf("the service ended: %v", err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
