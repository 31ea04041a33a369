package runtime

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

	"eddy/runtime/clock"
	"eddy/runtime/report"
)

// project is a folder with the files of a session under test.
type project struct {
	t   testing.TB
	dir string
}

// newProject writes an archive of files: name and text in turn.
func newProject(t testing.TB, files ...string) *project {
	t.Helper()
	p := &project{t: t, dir: t.TempDir()}
	for i := 0; i < len(files); i += 2 {
		p.write(files[i], files[i+1])
	}
	return p
}

// write puts a file into its place as a whole: who watches it does not see it empty.
func (p *project) write(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		p.t.Fatal(err)
	}
	saved := filepath.Join(p.t.TempDir(), "saved")
	if err := os.WriteFile(saved, []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(saved, file); err != nil {
		p.t.Fatal(err)
	}
}

// lines collects the lines of a session and lets a test wait for one.
type lines struct {
	mu    sync.Mutex // guards all below
	text  bytes.Buffer
	grown *sync.Cond
}

func newLines() *lines {
	tr := &lines{}
	tr.grown = sync.NewCond(&tr.mu)
	return tr
}

func (tr *lines) Write(p []byte) (int, error) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.grown.Broadcast()
	return tr.text.Write(p)
}

func (tr *lines) String() string { tr.mu.Lock(); defer tr.mu.Unlock(); return tr.text.String() }

// await returns when the lines hold want n times; the test's own deadline ends a wait in vain.
func (tr *lines) await(want string, n int) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for strings.Count(tr.text.String(), want) < n {
		tr.grown.Wait()
	}
}

// served is a running session on a virtual clock that stands still until the test moves it.
type served struct {
	*Session
	t     testing.TB
	clock *clock.Virtual
	web   *httptest.Server
	out   *lines
}

// serve starts a session of the project; what changes its options.
func (p *project) serve(change ...func(*Options)) *served {
	p.t.Helper()
	s, err := p.start(change...)
	if err != nil {
		p.t.Fatal(Explain(err, false))
	}
	return s
}

func (p *project) start(change ...func(*Options)) (*served, error) {
	p.t.Helper()
	s := &served{t: p.t, clock: clock.NewVirtual(time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC), 1), out: newLines()}
	s.clock.Pause()
	o := Options{Dir: p.dir, Persist: true, Clock: s.clock, Reporter: report.New(report.Options{Out: s.out,
		Now: s.clock.Now})}
	for _, f := range change {
		f(&o)
	}
	var err error
	if s.Session, err = Start(context.Background(), o); err != nil {
		return nil, err
	}
	h, err := s.Handler("")
	if err != nil {
		p.t.Fatal(err)
	}
	s.web = httptest.NewServer(h)
	p.t.Cleanup(s.end)
	return s, nil
}

// end stops the session; twice does no harm.
func (s *served) end() {
	s.web.CloseClientConnections()
	s.web.Close()
	if err := s.Stop(context.Background()); err != nil {
		s.t.Error(err)
	}
	if s.t.Failed() {
		s.t.Log(s.out.String())
	}
}

// ask sends a request and gives back the response and its whole body. Redirects and content encodings stay as they are.
func (s *served) ask(method, path, body string, header ...string) (*http.Response, string) {
	s.t.Helper()
	req, err := http.NewRequest(method, s.web.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
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

func request(t testing.TB, method, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// expect compares the body that a path answers with.
func (s *served) expect(path, want string) {
	s.t.Helper()
	if _, got := s.ask("GET", path, ""); got != want {
		s.t.Errorf("GET %s\n got %s\nwant %s", path, got, want)
	}
}

// wantLines checks that the session has reported all of these.
func (s *served) wantLines(want ...string) {
	s.t.Helper()
	out := s.out.String()
	for _, w := range want {
		if !strings.Contains(out, w) {
			s.t.Errorf("no line has %q in\n%s", w, out)
		}
	}
}

const plainConfig = `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01"}`

// script is a Worker, or a part of one, of testdata/<archive>.txtar.
func script(archive, file string) string {
	arc, err := txtar.ParseFile(filepath.Join("testdata", archive+".txtar"))
	if err != nil {
		panic(err)
	}
	for _, f := range arc.Files {
		if f.Name == file {
			return string(f.Data)
		}
	}
	panic(archive + ".txtar has no file " + file)
}
