package objectjs

import (
	"context"
	"embed"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"eddy/runtime/bundle"
	"eddy/runtime/clock"
	"eddy/runtime/engine/eventloop"
	webhost "eddy/runtime/engine/host"
	"eddy/runtime/worker"
)

//go:embed testdata/scripts
var scripts embed.FS

// script is a Worker, or a part of one, of testdata/scripts.
func script(name string) string {
	text, err := scripts.ReadFile("testdata/scripts/" + name)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// bench is a session of Workers with objects, on a virtual clock.
type bench struct {
	t     testing.TB
	clock *clock.Virtual
	objs  *Objects
	root  string
	live  map[string]*worker.Worker

	mu       sync.Mutex
	uncaught []string
	events   []string
}

func newBench(t testing.TB) *bench { return newBenchAt(t, t.TempDir(), Options{}) }

func newBenchAt(t testing.TB, root string, o Options) *bench {
	t.Helper()
	b := &bench{t: t, root: root, live: map[string]*worker.Worker{},
		clock: clock.NewVirtual(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), 1)}
	o.Root, o.Clock, o.Jitter = root, b.clock, func() float64 { return 0 }
	o.Activity = func(e ObjectActivity) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.events = append(b.events, e.Kind)
	}
	var err error
	if b.objs, err = New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	return b
}

// happened counts events of a kind so far.
func (b *bench) happened(kind string) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e == kind {
			n++
		}
	}
	return n
}

func (b *bench) close() {
	for _, w := range b.live {
		if err := b.objs.Detach(context.Background(), w.Isolate); err != nil {
			b.t.Error(err)
		}
		w.Close()
	}
	b.live = map[string]*worker.Worker{}
	if err := b.objs.Close(context.Background()); err != nil {
		b.t.Error(err)
	}
}

// config is one Worker of a bench.
type config struct {
	name    string
	classes []string // SQLite classes of its own, bound under their names
	kv      []string // classes without SQLite, likewise
	others  map[string]Class
	date    string
	flags   []string
	change  func(*worker.Options)
}

// start starts a Worker, or its next generation, and attaches it.
func (b *bench) start(c config, src string) *worker.Worker {
	b.t.Helper()
	dir := b.t.TempDir()
	file := filepath.Join(dir, "index.js")
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		b.t.Fatal(err)
	}
	built, err := bundle.Build(bundle.Options{Dir: dir, Entry: file,
		Virtual: []bundle.VirtualModule{{Name: "cloudflare:workers"}}})
	if err != nil {
		b.t.Fatal(err)
	}
	if c.name == "" {
		c.name = "w"
	}
	if c.date == "" {
		c.date = "2026-04-01"
	}
	flags, errs := worker.ResolveFlags(c.date, c.flags)
	if len(errs) > 0 {
		b.t.Fatal(errs)
	}
	o := worker.Options{
		Name: c.name, Script: &worker.Script{Bundle: built}, Flags: flags, Clock: b.clock,
		Install: []func(*worker.Isolate) error{b.objs.Install},
		Log:     func(e webhost.ConsoleLine) { b.note(string(e.Level) + ": " + e.Text) },
		Uncaught: func(_ *eventloop.Scope, ex *worker.Exception) {
			b.note("uncaught " + ex.Error())
		},
	}
	for i, list := range [][]string{c.classes, c.kv} {
		for _, name := range list {
			class := Class{Worker: c.name, Name: name, SQL: i == 0}
			if err := b.objs.Declare(class); err != nil {
				b.t.Fatal(err)
			}
			o.Bindings = append(o.Bindings, b.objs.Binding(name, class))
		}
	}
	for name, class := range c.others {
		o.Bindings = append(o.Bindings, b.objs.Binding(name, class))
	}
	if c.change != nil {
		c.change(&o)
	}
	w, err := worker.Start(context.Background(), o)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.objs.Attach(context.Background(), w.Isolate); err != nil {
		b.t.Fatal(err)
	}
	if old := b.live[c.name]; old != nil {
		old.Close()
	}
	b.live[c.name] = w
	return w
}

func (b *bench) note(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.uncaught = append(b.uncaught, s)
}

func (b *bench) notes() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := strings.Join(b.uncaught, "|")
	b.uncaught = nil
	return s
}

// get fetches a path from a Worker and gives status and text.
func (b *bench) get(w *worker.Worker, path string) string {
	b.t.Helper()
	req, err := http.NewRequest("GET", "http://localhost"+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	res, err := w.Fetch(ctx, req, worker.FetchOptions{})
	if err != nil {
		return "error " + err.Error()
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return "body " + err.Error()
	}
	if res.Status != 200 {
		return fmt.Sprintf("%d %s", res.Status, body)
	}
	return string(body)
}

func (b *bench) expect(w *worker.Worker, path, want string) {
	b.t.Helper()
	if got := b.get(w, path); got != want {
		b.t.Errorf("%s\n got: %s\nwant: %s", path, got, want)
	}
}

// prelude is what most test Workers share: fetch runs the exported test named by the path and answers with its
// result; show tells an error with its flags.
var prelude = script("harness_prelude.js")

// play starts the Worker of testdata/<name>.txtar, behind the prelude, and compares what it answers with the lines of a
// section, expect by default: "/path => answer".
func (b *bench) play(name string, c config, section ...string) {
	b.t.Helper()
	arc, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		b.t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range arc.Files {
		files[f.Name] = string(f.Data)
	}
	w := b.start(c, prelude+files["worker.js"])
	lines := strings.Split(strings.TrimSuffix(files[append(section, "expect")[0]], "\n"), "\n")
	for _, line := range lines {
		path, want, ok := strings.Cut(line, " => ")
		if !ok {
			b.t.Fatalf("%s: no expectation: %q", name, line)
		}
		b.expect(w, path, want)
	}
}
