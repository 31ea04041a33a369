package front

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"eddy/runtime/bindings/assets"
	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/report"
	"eddy/runtime/worker"
)

// lines collects what a front and its Worker report, and lets a test wait for one.
type lines struct {
	mu    sync.Mutex // guards all below
	text  bytes.Buffer
	grown *sync.Cond
}

func newLines() *lines {
	l := &lines{}
	l.grown = sync.NewCond(&l.mu)
	return l
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.grown.Broadcast()
	return l.text.Write(p)
}

func (l *lines) String() string { l.mu.Lock(); defer l.mu.Unlock(); return l.text.String() }

// await returns when the lines hold want n times; the test's own deadline ends a wait in vain.
func (l *lines) await(want string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for strings.Count(l.text.String(), want) < n {
		l.grown.Wait()
	}
}

// served is a Worker behind a front, on a virtual clock that stands still at noon.
type served struct {
	t   testing.TB
	web *httptest.Server
	out *lines
}

// serve starts a Worker without a session, and a server for its front; change changes the front's options.
func serve(t testing.TB, source string, change ...func(*Options)) *served {
	t.Helper()
	return serveInstalled(t, nil, source, change...)
}

// serveInstalled is serve with something of the test's in the isolate.
func serveInstalled(t testing.TB, install func(*worker.Isolate) error, source string,
	change ...func(*Options)) *served {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "index.js")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	built, err := bundle.Build(bundle.Options{Dir: dir, Entry: file,
		Virtual: []bundle.VirtualModule{{Name: "cloudflare:workers"}}})
	if err != nil {
		t.Fatal(err)
	}
	flags, errs := worker.ResolveFlags("2026-04-01", nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	s := &served{t: t, out: newLines()}
	noon := clock.NewVirtual(time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC), 1)
	noon.Pause()
	out := report.New(report.Options{Out: s.out, Now: noon.Now})
	uncaught := func(ex *worker.Exception) { out.Line(report.Error, "exception", "uncaught "+ex.Error()) }
	isolate := worker.Options{
		Name: "w", Script: &worker.Script{Bundle: built}, Flags: flags, Clock: noon,
		CPULimit: 30 * time.Second,
		Uncaught: func(_ *eventloop.Scope, ex *worker.Exception) { uncaught(ex) },
	}
	if install != nil {
		isolate.Install = append(isolate.Install, install)
	}
	w, err := worker.Start(t.Context(), isolate)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	o := Options{Worker: "w", Clock: noon, Report: out, Uncaught: uncaught,
		Live: func(context.Context) (*worker.Worker, *assets.Site, error) { return w, nil, nil },
		Own:  http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }),
	}
	for _, f := range change {
		f(&o)
	}
	s.web = httptest.NewServer(New(o))
	t.Cleanup(func() {
		s.web.CloseClientConnections()
		s.web.Close()
		if t.Failed() {
			t.Log(s.out.String())
		}
	})
	return s
}

// frontWorker is the Worker of testdata/front.txtar.
func frontWorker(t testing.TB) string {
	t.Helper()
	arc, err := txtar.ParseFile(filepath.Join("testdata", "front.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return string(arc.Files[0].Data)
}

func request(t testing.TB, method, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// ask sends a request and returns the response and its whole body. Redirects and content encodings stay as they are.
func (s *served) ask(method, path, body string, header ...string) (*http.Response, string) {
	s.t.Helper()
	req := request(s.t, method, s.web.URL+path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Set(header[i], header[i+1])
	}
	res, err := plainTransport.RoundTrip(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res, string(b)
}

var plainTransport = &http.Transport{DisableCompression: true, DisableKeepAlives: true}

// expect compares the body that a path answers with.
func (s *served) expect(path, want string) {
	s.t.Helper()
	if _, got := s.ask("GET", path, ""); got != want {
		s.t.Errorf("GET %s\n got %s\nwant %s", path, got, want)
	}
}

// wantLines checks that all of these were reported.
func (s *served) wantLines(want ...string) {
	s.t.Helper()
	out := s.out.String()
	for _, w := range want {
		if !strings.Contains(out, w) {
			s.t.Errorf("no line has %q in\n%s", w, out)
		}
	}
}
