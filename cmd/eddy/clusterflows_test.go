package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"eddy/runtime/bindings/objectstore"
)

// steps counts what steps of workflows have done, by instance and step.
type steps struct {
	mu    sync.Mutex // guards the rest
	count map[string]int
	news  chan struct{} // closed with each change
}

func (s *steps) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[r.URL.Path]++
	close(s.news)
	s.news = make(chan struct{})
	_, _ = fmt.Fprint(w, r.URL.Path, " ", s.count[r.URL.Path])
}

// await waits until a step was done.
func (s *steps) await(ctx context.Context, t *testing.T, path string) {
	t.Helper()
	for {
		s.mu.Lock()
		n, news := s.count[path], s.news
		s.mu.Unlock()
		if n > 0 {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			t.Fatalf("%s was not done", path)
		}
	}
}

// An instance goes on, at its time and from what its steps have given, when the node that has it is killed. Commands
// reach it wherever it is, and it comes along out of the cluster (FLOW-23, FLOW-157, FLOW-190).
func TestFlowsOnCluster(t *testing.T) {
	t.Parallel() // it waits for leases and processes most of the time
	f := newFleet(t, "cmd/eddy: TestFlowsOnCluster", "testdata/clusterflows")
	if f == nil {
		return
	}
	f.three()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	done := &steps{count: map[string]int{}, news: make(chan struct{})}
	server := httptest.NewServer(done)
	defer server.Close()
	command := func(want string, args ...string) {
		t.Helper()
		code, text, errs := ran(t, nil, append(append([]string{"workflows"}, args...), "-c", f.dir, "--cluster",
			f.url)...)
		if !strings.Contains(text+errs, want) {
			t.Fatalf("%s: %d, %s%s\nwant %q", args, code, text, errs, want)
		}
	}
	// shown waits until an instance is as it is wanted, asking whichever nodes answer.
	shown := func(ask func(path string) (string, error), id, want string) {
		t.Helper()
		for {
			text, err := ask("/?id=" + id)
			if err == nil && strings.Contains(text, want) {
				return
			}
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
				t.Fatalf("%s: %s, %v; want %s", id, text, err, want)
			}
		}
	}
	turn := 0
	anyNode := func(path string) (string, error) {
		turn++
		return f.nodes[turn%len(f.nodes)].ask(ctx, path)
	}
	params := func(nap string) string { return fmt.Sprintf(`{"url": %q, "nap": %q}`, server.URL, nap) }
	command(`"one" has been triggered`, "trigger", "flow", params("3 seconds"), "--id", "one")
	command(`"two" has been triggered`, "trigger", "flow", params("1 second"), "--id", "two")
	command("has an instance of that id already", "trigger", "flow", params("1 second"), "--id", "two")
	command(`no workflow "flown"`, "trigger", "flown")
	shown(anyNode, "one", `"status":"waiting"`)
	// No project is needed for what is kept.
	for _, args := range [][]string{{"list"}, {"instances", "list", "flow"}} {
		code, text, errs := ran(t, nil, append(append([]string{"workflows"}, args...), "--cluster", f.url)...)
		if want := map[int]string{1: "flow", 3: "two"}[len(args)]; code != exitOK || !strings.Contains(text, want) {
			t.Errorf("%s without a project: %d, %s%s", args, code, text, errs)
		}
	}
	f.has(ctx, objectstore.Name{Kind: objectstore.Workflows, ID: "flow"}).lose(ctx)
	killed := time.Now()
	done.await(ctx, t, "/one/second") // nobody asks for it
	t.Logf("an instance that slept went on %s after its node was killed", time.Since(killed).Round(time.Millisecond))
	command(`The event with type "go" was sent`, "instances", "send-event", "flow", "one", "--type", "go", "--payload",
		"7")
	shown(anyNode, "one", `"output":["/one/first 1","/one/second 1",7]`)
	command("two", "instances", "list", "flow")
	command("sleep", "instances", "describe", "flow", "two")
	command("was paused", "instances", "pause", "flow", "two")
	shown(anyNode, "two", `"status":"paused"`)
	command("was resumed", "instances", "resume", "flow", "two")
	shown(anyNode, "two", `"status":"waiting"`)
	if code, text, errs := ran(t, nil, "cluster", "drain", f.has(ctx, objectstore.Name{
		Kind: objectstore.Workflows, ID: "flow"}).name, f.url); code != exitOK {
		t.Fatalf("drain: %s%s", text, errs)
	}
	shown(anyNode, "two", `"status":"waiting"`)
	state := filepath.Join(t.TempDir(), "state")
	if code, text, errs := ran(t, nil, "cluster", "export", state, f.url); code != exitOK ||
		!strings.Contains(text, "1 store") {
		t.Fatalf("export: %d, %s%s", code, text, errs)
	}
	files := map[string]string{}
	for _, name := range []string{"index.js", "wrangler.jsonc"} {
		b, err := os.ReadFile(filepath.Join(f.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(b)
	}
	s := serve(t, files, "--persist-to", state)
	url := s.line(`Ready on (http://localhost:\d+)`)
	alone := func(path string) (string, error) {
		_, body := s.get(url + path)
		return body, nil
	}
	if code, text, errs := ran(t, nil, "workflows", "instances", "send-event", "flow", "two", "--type", "go", "--url",
		url); code != exitOK {
		t.Fatalf("%s%s", text, errs)
	}
	done.mu.Lock()
	want := fmt.Sprintf(`"output":["/two/first 1","/two/second %d",{}]`, done.count["/two/second"])
	done.mu.Unlock() // it is 2 if the first one fell into the kill
	shown(alone, "two", want)
	s.end()
}
