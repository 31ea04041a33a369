package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// served is `eddy serve` in this process.
type served struct {
	t     *testing.T
	lines chan string // all of them fit: nobody who logs waits
	end   context.CancelFunc
	done  chan error
}

func serve(t *testing.T, files map[string]string, args ...string) *served {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, w := io.Pipe()
	ctx, end := context.WithCancel(context.Background())
	s := &served{t: t, lines: make(chan string, 1000), end: end, done: make(chan error, 1)}
	env := OS{Stdout: w, Stderr: io.Discard, Getwd: func() (string, error) { return dir, nil },
		Environ: []string{"EDDY_REGISTRY=" + t.TempDir()}}
	cmd := newServe(env)
	cmd.SetArgs(append([]string{"--port", "0", "--admin", "127.0.0.1:0", "--node", "one"}, args...))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	go func() {
		err := cmd.ExecuteContext(ctx)
		_ = w.Close()
		s.done <- err
	}()
	go func() {
		for lines := bufio.NewScanner(r); lines.Scan(); {
			s.lines <- lines.Text()
		}
		close(s.lines)
	}()
	t.Cleanup(end)
	return s
}

// line waits for a line of the log and gives what the expression captures.
func (s *served) line(expr string) string {
	s.t.Helper()
	want := regexp.MustCompile(expr)
	for text := range s.lines {
		if m := want.FindStringSubmatch(text); m != nil {
			return m[len(m)-1]
		}
	}
	s.t.Fatalf("no line %s; it ended with %v", expr, <-s.done)
	return ""
}

func (s *served) get(url string) (status int, body string) {
	s.t.Helper()
	res, err := http.Get(url)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

const slowWorker = `export default {
	async fetch(request, env) {
		if (new URL(request.url).pathname === "/slow") return fetch(env.ELSEWHERE);
		return new Response(env.KEY + " " + new URL(request.url).host.replace(/\d+$/, "PORT"));
	}
}`

// A request that is in flight at the end is answered, and meanwhile the session is healthy and not ready.
func TestServe(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-release
		_, _ = io.WriteString(w, "late")
	}))
	defer elsewhere.Close()
	s := serve(t, map[string]string{
		"wrangler.json": `{"name": "w", "main": "w.js", "compatibility_date": "2026-01-01", "routes": ["example.com/*"],
			"queues": {"producers": [{"binding": "Q", "queue": "orders"}]}}`,
		"w.js": slowWorker, "prod.env": "KEY=secret\n", ".dev.vars": "KEY=of development\n",
	}, "--secrets-file", "prod.env", "--var", "ELSEWHERE:"+elsewhere.URL, "--drain", "10m")
	admin := s.line(`"kind":"admin".*(http://127\.0\.0\.1:\d+)`)
	url := s.line(`(http://localhost:\d+)`)
	// The ready line is written before the probe hears of it.
	for status := 0; status != http.StatusOK; {
		status, _ = s.get(admin + "/readyz")
	}
	// A request keeps its own host, and secrets are those of the file.
	if status, body := s.get(url + "/"); status != http.StatusOK || body != "secret localhost:PORT" {
		t.Errorf("%d %s", status, body)
	}
	if status, body := s.get(admin + "/metrics"); status != http.StatusOK ||
		!strings.Contains(body, `eddy_queue_messages_sent_total{node="one",queue="orders"} 0`) {
		t.Errorf("metrics: %d %s", status, body)
	}
	answer := make(chan string)
	go func() {
		_, body := s.get(url + "/slow")
		answer <- body
	}()
	<-arrived
	s.end()
	for status := 0; status != http.StatusServiceUnavailable; {
		status, _ = s.get(admin + "/readyz")
	}
	if status, body := s.get(admin + "/healthz"); status != http.StatusOK || body != "ok\n" {
		t.Errorf("while it drains: %d %s", status, body)
	}
	close(release)
	if body := <-answer; body != "late" {
		t.Errorf("the answer in flight is %q", body)
	}
	if err := <-s.done; err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// What is not served, and what does not fit together, is refused with what to do.
func TestServeRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"go together":           {"--tls-cert", "c.pem"},
		"HOST:PORT, or off":     {"--admin", "9787"},
		"the name of a node":    {"--node", "a/b"},
		"expected text or json": {"--log-format", "xml"},
	} {
		s := serve(t, map[string]string{"wrangler.json": `{"name": "w", "main": "w.js"}`, "w.js": slowWorker}, args...)
		err := <-s.done
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "https-") {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// Who names a file with secrets does not want to serve without them.
func TestServeWithoutSecrets(t *testing.T) {
	s := serve(t, map[string]string{"wrangler.json": `{"name": "w", "main": "w.js"}`, "w.js": slowWorker},
		"--secrets-file", "nowhere.env")
	s.line(`"kind":"start","level":"error","msg":"(.*nowhere.env.* of --secrets-file was not found)`)
	if err := <-s.done; err == nil {
		t.Error("it served")
	}
}

// A bound that says nothing is refused with an example.
func TestServeBounds(t *testing.T) {
	for _, args := range [][]string{{"--limit-cpu", "fast"}, {"--limit-cpu", "shop=0"}, {"--limit-memory", "1MB"},
		{"--limit-memory", "shop="}, {"--reads", "sometimes", "--cluster", "postgres://x/y", "--advertise", "a:1"}} {
		if code, _, text := ran(t, nil, append([]string{"serve"}, args...)...); code != exitUsage ||
			!strings.Contains(text, "expected") {
			t.Errorf("%v: %d, %s", args, code, text)
		}
	}
}
