package service

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"eddy/durableobject/objectjs"
	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/rpc"
	"eddy/runtime/worker"
)

// town is a Directory of Workers on one virtual clock.
type town struct {
	t     *testing.T
	clock *clock.Virtual
	objs  *objectjs.Objects
	mu    sync.Mutex
	all   map[string]*worker.Isolate
	// date and flags are the compatibility of all Workers, "" the usual date.
	date      string
	flags     []string
	elsewhere map[string]DistantWorker // guarded by mu
	files     map[string]Files
}

// Files implements [Directory].
func (w *town) Files(name string) Files { return w.files[name] }

// paper is the assets of a Worker: the paths that are there.
type paper string

// First implements [Files].
func (p paper) First(r *http.Request) (*http.Response, bool, error) {
	switch {
	case r.URL.Path == "/broken":
		return nil, false, errors.New("the file cannot be read")
	case r.URL.Path != string(p):
		return nil, false, nil
	}
	return &http.Response{StatusCode: 200, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader("file " + r.Method))}, true, nil
}

// testdata/files.txtar: the assets of a Worker come before its script.
func TestAssetsFirst(t *testing.T) {
	w := newTown(t)
	w.files = map[string]Files{"site": paper("/a.txt")}
	files := archive(t, "files")
	w.start("site", files["site.js"])
	main := w.start("main", files["main.js"],
		Binding{Key: "S", Service: "site", Directory: w}, Binding{Key: "N", Service: "site", Entrypoint: "Named",
			Directory: w})
	w.expect(main, files["expect"])
}

func newTown(t *testing.T) *town {
	w := &town{t: t, clock: clock.NewVirtual(time.Unix(1_800_000_000, 0).UTC(), 1), all: map[string]*worker.Isolate{}}
	var err error
	if w.objs, err = objectjs.New(objectjs.Options{Root: t.TempDir(), Clock: w.clock}); err != nil {
		t.Fatal(err)
	}
	return w
}

// Lookup implements [Directory].
func (w *town) Lookup(name string) (*worker.Isolate, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	iso, ok := w.all[name]
	return iso, ok
}

// Distant implements [Directory].
func (w *town) Distant(string, string, []byte) rpc.Client { return nil }

// Elsewhere implements [Directory].
func (w *town) Elsewhere(name string) DistantWorker {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.elsewhere[name]
}

func (w *town) start(name, src string, bindings ...worker.Binding) *worker.Worker {
	w.t.Helper()
	dir := w.t.TempDir()
	file := filepath.Join(dir, "index.js")
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		w.t.Fatal(err)
	}
	b, err := bundle.Build(
		bundle.Options{Dir: dir, Entry: file, Virtual: []bundle.VirtualModule{{Name: "cloudflare:workers"}}})
	if err != nil {
		w.t.Fatal(err)
	}
	if w.date == "" {
		w.date = "2026-04-01"
	}
	flags, errs := worker.ResolveFlags(w.date, w.flags)
	if len(errs) > 0 {
		w.t.Fatal(errs)
	}
	wk, err := worker.Start(context.Background(), worker.Options{
		Name: name, Script: &worker.Script{Bundle: b}, Flags: flags, Clock: w.clock, Bindings: bindings,
		Install: []func(*worker.Isolate) error{w.objs.Install, Install(w)},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.objs.Attach(context.Background(), wk.Isolate); err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	w.all[name] = wk.Isolate
	w.mu.Unlock()
	w.t.Cleanup(func() {
		_ = w.objs.Detach(context.Background(), wk.Isolate)
		wk.Close()
	})
	return wk
}

// archive reads testdata/<name>.txtar: Workers, and what the Worker main answers.
func archive(t *testing.T, name string) map[string]string {
	t.Helper()
	arc, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range arc.Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

// expect compares what a Worker answers with lines of the form "/path => answer".
func (w *town) expect(wk *worker.Worker, lines string) {
	w.t.Helper()
	for line := range strings.Lines(lines) {
		path, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " => ")
		if !ok {
			w.t.Fatalf("no answer in %q", line)
		}
		req, _ := http.NewRequest("GET", "http://localhost"+path, nil)
		res, err := wk.Fetch(context.Background(), req, worker.FetchOptions{})
		if err != nil {
			w.t.Errorf("%s: %v", path, err)
			continue
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || string(body) != want {
			w.t.Errorf("%s\n got: %s %v\nwant: %s", path, body, err, want)
		}
	}
}

// B3, CL11, CL12 and the same semantics between Workers.
func TestBetweenWorkers(t *testing.T) {
	w := newTown(t)
	ext := objectjs.Class{Worker: "other", Name: "Ext", SQL: true}
	own := objectjs.Class{Worker: "main", Name: "Own", SQL: true}
	if err := w.objs.Declare(ext); err != nil {
		t.Fatal(err)
	}
	if err := w.objs.Declare(own); err != nil {
		t.Fatal(err)
	}
	files := archive(t, "between")
	w.start("other", files["other.js"], worker.Var{Key: "WHO", JSON: `"!"`})
	main := w.start("main", files["main.js"],
		Binding{Key: "SVC", Service: "other", Directory: w},
		Binding{Key: "NAMED", Service: "other", Entrypoint: "Named", PropsJSON: `{"x":[1]}`, Directory: w},
		Binding{Key: "PLAIN", Service: "other", Entrypoint: "plain", Directory: w},
		Binding{Key: "GONE", Service: "not-there", Directory: w},
		w.objs.Binding("EXT", ext), w.objs.Binding("LOST", objectjs.Class{Worker: "lost", Name: "L"}))
	w.expect(main, files["expect"])
}
