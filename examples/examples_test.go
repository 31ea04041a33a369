package examples

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"eddy/runtime"
	"eddy/runtime/clock"
	"eddy/runtime/report"
)

// session is a running example on a virtual clock that stands still until the test moves it.
type session struct {
	t      *testing.T
	clock  *clock.Virtual
	server *runtime.Session
	url    string
	out    *buffer
}

// buffer collects the session's lines; it may be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) { b.mu.Lock(); defer b.mu.Unlock(); return b.b.Write(p) }
func (b *buffer) String() string              { b.mu.Lock(); defer b.mu.Unlock(); return b.b.String() }

func run(t *testing.T, configs ...string) *session {
	t.Helper()
	return runWith(t, func(*runtime.Options) {}, configs...)
}

// runWith is run with other options.
func runWith(t *testing.T, change func(*runtime.Options), configs ...string) *session {
	t.Helper()
	s := &session{t: t, clock: clock.NewVirtual(time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC), 1), out: &buffer{}}
	s.clock.Pause()
	o := runtime.Options{
		Configs: configs, PersistTo: filepath.Join(t.TempDir(), "state"), Clock: s.clock,
		Reporter: report.New(report.Options{Out: s.out, Now: s.clock.Now}),
	}
	change(&o)
	var err error
	s.server, err = runtime.Start(context.Background(), o)
	if err != nil {
		t.Fatal(runtime.Explain(err, false))
	}
	if err := s.server.MigrateDatabases(); err != nil {
		t.Fatal(err)
	}
	h, err := s.server.Handler("")
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(h)
	s.url = web.URL
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		if err := s.server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(s.out.String())
		}
	})
	return s
}

// do sends a request and gives back status, header and body.
func (s *session) do(method, path, body string, header ...string) (int, http.Header, string) {
	s.t.Helper()
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(b)
}

func (s *session) get(path string) string {
	s.t.Helper()
	_, _, body := s.do("GET", path, "")
	return body
}

// expect requests a path and compares the answer.
func (s *session) expect(path, want string) {
	s.t.Helper()
	if got := s.get(path); got != want {
		s.t.Errorf("GET %s at %s\n got %s\nwant %s", path, s.clock.Now().Format(time.TimeOnly), got, want)
	}
}

func asJSON(t *testing.T, body string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return m
}

// ask calls a Worker of the session other than the first.
func ask(t *testing.T, h http.Handler, method, path, body string) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w.Body.String()
}
