package session

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"eddy/runtime/bindings/assets"
	"eddy/runtime/clock"
	"eddy/runtime/front"
	"eddy/runtime/report"
	"eddy/runtime/worker"
)

// project is a folder with the files of a session under test.
type project struct {
	t   testing.TB
	dir string
}

// newProject unpacks an archive: the text of one, or the path of a file.
func newProject(t testing.TB, archive string) *project {
	t.Helper()
	p := &project{t: t, dir: t.TempDir()}
	if strings.HasSuffix(archive, ".txtar") {
		text, err := os.ReadFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		archive = string(text)
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		p.write(f.Name, string(f.Data))
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

// change replaces a text of a file.
func (p *project) change(name, old, text string) {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil || !strings.Contains(string(b), old) {
		p.t.Fatalf("%s has no %q (%v)", name, old, err)
	}
	p.write(name, strings.ReplaceAll(string(b), old, text))
}

// told collects lines and lets a test wait for one.
type told struct {
	mu    sync.Mutex // guards all below
	text  bytes.Buffer
	grown *sync.Cond
}

func (o *told) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.grown.Broadcast()
	return o.text.Write(p)
}

func (o *told) String() string { o.mu.Lock(); defer o.mu.Unlock(); return o.text.String() }

// await returns when the lines hold want n times; the test's own deadline ends a wait in vain.
func (o *told) await(want string, n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for strings.Count(o.text.String(), want) < n {
		o.grown.Wait()
	}
}

// running is a session under test, on a virtual clock that stands still until the test moves it.
type running struct {
	*Session
	t     testing.TB
	clock *clock.Virtual
	out   *told
}

func (p *project) start(change ...func(*Options)) *running {
	p.t.Helper()
	r := &running{t: p.t, clock: clock.NewVirtual(time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC), 1), out: &told{}}
	r.out.grown = sync.NewCond(&r.out.mu)
	r.clock.Pause()
	o := Options{Dir: p.dir, Clock: r.clock, Report: report.New(report.Options{Out: r.out, Now: r.clock.Now})}
	for _, f := range change {
		f(&o)
	}
	var err error
	if r.Session, err = Start(context.Background(), o); err != nil {
		p.t.Fatal(Explain(err, false))
	}
	p.t.Cleanup(func() {
		if r.stopping.Err() == nil {
			r.GiveUp() // what is in flight would wait for the clock
			if err := r.Stop(); err != nil {
				p.t.Error(err)
			}
		}
		if p.t.Failed() {
			p.t.Log(r.out.String())
		}
	})
	return r
}

// get is the body that the first Worker answers with.
func (r *running) get(path string) string {
	name := r.Workers()[0]
	w := httptest.NewRecorder()
	front.New(front.Options{
		Worker: name, Clock: r.clock, Report: r.opts.Report,
		Uncaught: func(ex *worker.Exception) { r.Uncaught(name, ex) },
		Live:     func(ctx context.Context) (*worker.Worker, *assets.Site, error) { return r.Serving(ctx, name) },
	}).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Body.String()
}

func (r *running) expect(path, want string) {
	r.t.Helper()
	if got := r.get(path); got != want {
		r.t.Errorf("GET %s\n got %s\nwant %s", path, got, want)
	}
}
