package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"eddy/runtime/cluster/archive"
)

// refusing is a ledger that notes nothing until it is opened.
type refusing struct {
	mu   sync.Mutex // guards the rest
	open bool
	got  map[string]bool
	news chan struct{} // closed with each change
}

func (r *refusing) setOpen(open bool) { r.mu.Lock(); defer r.mu.Unlock(); r.open = open }

func (r *refusing) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.open {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	r.got[req.URL.Query().Get("n")] = true
	close(r.news)
	r.news = make(chan struct{})
}

// await waits until all these were noted.
func (r *refusing) await(ctx context.Context, t *testing.T, names ...string) {
	t.Helper()
	for {
		missing := ""
		r.mu.Lock()
		for _, n := range names {
			if !r.got[n] {
				missing = n
			}
		}
		news := r.news
		r.mu.Unlock()
		if missing == "" {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			t.Fatalf("%s did not come", missing)
		}
	}
}

// A team begins on one machine, moves to a cluster and back: objects, messages that wait and alarms that are due go
// along.
func TestMoveToClusterAndBack(t *testing.T) {
	t.Parallel() // it waits for leases and processes most of the time
	f := newFleet(t, "cmd/eddy: TestMoveToClusterAndBack", "testdata/nemesis")
	if f == nil {
		return
	}
	book := &refusing{got: map[string]bool{}, news: make(chan struct{})}
	server := httptest.NewServer(book)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	files := map[string]string{}
	for _, name := range []string{"w.js", "wrangler.json"} {
		b, err := os.ReadFile(filepath.Join(f.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		// Tries that follow each other at once would be over before the move.
		files[name] = strings.Replace(string(b), `"max_retries": 100`, `"max_retries": 100, "retry_delay": 1`, 1)
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	vars := []string{"--var", "LEDGER:" + server.URL}
	// visit counts, and leaves a message and an alarm that nobody takes.
	visit := func(at string, ask func(path string) (string, error), n int) {
		t.Helper()
		got, err := ask("/add?n=x")
		if err != nil || strings.Fields(got)[0] != fmt.Sprint(n) { // and which life of the object says so
			t.Fatalf("%s: the counter says %q, want %d: %v", at, got, n, err)
		}
		book.setOpen(false)
		for _, path := range []string{"/send?n=message", "/ring?n=alarm"} {
			if _, err := ask(fmt.Sprint(path, n)); err != nil {
				t.Fatalf("%s: %s: %v", at, path, err)
			}
		}
	}
	single := func(state string, n int) {
		t.Helper()
		s := serve(t, files, append(vars, "--persist-to", state)...)
		url := s.line(`Ready on (http://localhost:\d+)`)
		if n > 1 {
			book.await(ctx, t, fmt.Sprint("message", n-1), fmt.Sprint("alarm", n-1))
		}
		visit("one machine", func(path string) (string, error) {
			status, body := s.get(url + path)
			if status != http.StatusOK {
				return "", fmt.Errorf("%d %s", status, body)
			}
			return body, nil
		}, n)
		s.end()
		for range s.lines { // what is left
		}
		if err := <-s.done; err != nil {
			t.Fatal(err)
		}
	}
	before, after := filepath.Join(t.TempDir(), "before"), filepath.Join(t.TempDir(), "after")
	single(before, 1)
	if code, text, errs := ran(t, nil, "cluster", "import", before, f.url); code != exitOK ||
		!strings.Contains(text, "2 objects in 2 namespaces, 1 alarm") {
		t.Fatalf("import: %d, %s%s", code, text, errs)
	}
	book.setOpen(true)
	f.extra = vars
	n := f.add("a")
	n.await()
	book.await(ctx, t, "message1", "alarm1")
	visit("the cluster", func(path string) (string, error) { return n.ask(ctx, path) }, 2)
	var listed []archive.Listed
	code, text, errs := ran(t, nil, "cluster", "objects", "--json", "--namespace", "Register", f.url)
	if err := json.Unmarshal([]byte(text), &listed); err != nil || code != exitOK || len(listed) != 1 ||
		listed[0].Namespace != "w-Register" || listed[0].Name != "x" || listed[0].Node != "a" || listed[0].Bytes == 0 {
		t.Errorf("objects: %d, %v, %s%s", code, err, text, errs)
	}
	if _, text, _ := ran(t, nil, "cluster", "objects", f.url); !strings.Contains(text, "w-Register") ||
		!strings.Contains(text, "w-Bell") {
		t.Errorf("objects: %s", text)
	}
	if code, _, text := ran(t, nil, "cluster", "import", before, f.url, "--replace"); code != exitUsage ||
		!strings.Contains(text, "nodes run: a") {
		t.Errorf("import beside a node: %d, %s", code, text)
	}
	n.end(syscall.SIGTERM)
	if code, _, text := ran(t, nil, "cluster", "import", before, f.url); code != exitUsage ||
		!strings.Contains(text, "--replace") {
		t.Errorf("import over what is there: %d, %s", code, text)
	}
	if code, text, errs := ran(t, nil, "cluster", "export", after, f.url); code != exitOK ||
		!strings.Contains(text, "3 objects in 2 namespaces, 1 alarm") {
		t.Fatalf("export: %d, %s%s", code, text, errs)
	}
	book.setOpen(true)
	single(after, 3)
}
