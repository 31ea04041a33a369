package worker

import (
	"context"
	"embed"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"eddy/runtime/bundle"
	"eddy/runtime/engine/eventloop"
	"eddy/runtime/engine/host"
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

// archive reads the files of testdata/<name>.txtar.
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

// start builds and starts a Worker from one source file.
func start(t *testing.T, src string, change func(*Options)) *Worker {
	t.Helper()
	w, err := tryStart(t, src, change)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func tryStart(t *testing.T, src string, change func(*Options)) (*Worker, error) {
	t.Helper()
	flags, _ := ResolveFlags("2026-04-01", nil)
	o := Options{Name: "test", Flags: flags}
	if change != nil {
		change(&o)
	}
	virtual := []bundle.VirtualModule{{Name: "cloudflare:workers"}}
	for name := range o.Modules {
		virtual = append(virtual, bundle.VirtualModule{Name: name})
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "index.js")
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Build(bundle.Options{Dir: dir, Entry: file, Virtual: virtual})
	if err != nil {
		t.Fatal(err)
	}
	o.Script = &Script{Bundle: b}
	w, err := Start(context.Background(), o)
	if err == nil {
		t.Cleanup(w.Close)
	}
	return w, err
}

func get(t *testing.T, w *Worker, url string) (*Response, string, error) {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := w.Fetch(context.Background(), req, FetchOptions{})
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body), nil
}

func TestFetchModules(t *testing.T) {
	w := start(t, script("worker_modules.js"), func(o *Options) { o.Bindings = []Binding{Var{"X", `"v"`}} })
	res, body, err := get(t, w, "http://localhost/p")
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != 201 || res.Header.Get("a") != "b" || body != "/pvvtracing,cache,props,exports" {
		t.Errorf("%d %v %q", res.Status, res.Header, body)
	}
}

// RT1: a class as default export; RT3: waitUntil.
func TestFetchEntrypointClass(t *testing.T) {
	w := start(t, `
		import { WorkerEntrypoint } from "cloudflare:workers";
		export default class extends WorkerEntrypoint {
			fetch(request) { this.ctx.waitUntil(Promise.resolve()); return Response.json({ x: this.env.X }); }
		}`, func(o *Options) { o.Bindings = []Binding{Var{"X", `[1]`}} })
	if _, body, err := get(t, w, "http://localhost/"); err != nil || body != `{"x":[1]}` {
		t.Error(body, err)
	}
}

// RT15: the exception tells name, message and the user's own place; CL6: what is no Response.
func TestFetchFailures(t *testing.T) {
	w := start(t, `export default { fetch(request) {
	if (request.url.endsWith("/none")) return 5;
	throw new RangeError("top throw");
} };`, nil)
	_, _, err := get(t, w, "http://localhost/")
	var ex *Exception
	if !errors.As(err, &ex) {
		t.Fatal(err)
	}
	if ex.Error() != "RangeError: top throw" || !strings.Contains(ex.Stack, "index.js:3:") ||
		!strings.Contains(ex.Code, "top throw") {
		t.Errorf("%s\n%s\n%s", ex, ex.Stack, ex.Code)
	}
	if _, _, err := get(t, w, "http://localhost/none"); err == nil || err.Error() != "TypeError: "+NotAResponse {
		t.Error(err)
	}
}

// CL5: a Worker without a fetch handler.
func TestMissingFetchHandler(t *testing.T) {
	var logs []string
	w := start(t, `export default { scheduled() {} };`, func(o *Options) {
		o.Log = func(e host.ConsoleLine) { logs = append(logs, e.Text) }
	})
	if _, _, err := get(t, w, "http://localhost/"); err == nil || err.Error() != "Error: "+NoFetchHandler {
		t.Error(err)
	}
	if len(logs) != 1 || !strings.HasPrefix(logs[0], "Received a FetchEvent") {
		t.Error(logs)
	}
}

// An endless loop ends with the platform's error and the Worker lives on.
func TestCPULimit(t *testing.T) {
	// A slow machine may meet a short limit in the answer that needs a moment only.
	for limit := 20 * time.Millisecond; ; limit *= 4 {
		w := start(t, `export default { `+
			`fetch(r) { if (r.url.endsWith("loop")) for (;;) {} return new Response("alive"); } };`, func(o *Options) {
			o.CPULimit = limit
		})
		if _, _, err := get(t, w, "http://localhost/loop"); !errors.Is(err, ErrCPULimit) {
			t.Error(err)
		}
		_, body, err := get(t, w, "http://localhost/")
		if errors.Is(err, ErrCPULimit) && limit < 10*time.Second {
			continue
		}
		if err != nil || body != "alive" {
			t.Error(body, err)
		}
		return
	}
}

// A stack that overflows is a RangeError of the event, before and after an await.
func TestStackOverflow(t *testing.T) {
	w := start(t, `const deep = () => deep();
		export default { async fetch(r) {
			const path = new URL(r.url).pathname;
			if (path === "/await") await null;
			if (path !== "/") deep();
			return new Response("alive");
		} };`, nil)
	for _, path := range []string{"/now", "/await"} {
		_, _, err := get(t, w, "http://localhost"+path)
		var ex *Exception
		if !errors.As(err, &ex) || ex.Name != "RangeError" || ex.Message != "Maximum call stack size exceeded" {
			t.Errorf("%s: %v", path, err)
		}
		if _, body, err := get(t, w, "http://localhost/"); err != nil || body != "alive" {
			t.Error(body, err)
		}
	}
}

func TestStartFailure(t *testing.T) {
	_, err := tryStart(t, `throw new Error("at the top");`, nil)
	var ex *Exception
	if !errors.As(err, &ex) || ex.Message != "at the top" {
		t.Error(err)
	}
}

// RT1: the service-worker format.
func TestServiceWorkerFormat(t *testing.T) {
	w := start(t, `addEventListener("fetch", (e) => { e.respondWith(new Response("sw " + e.request.method)); });`, nil)
	if _, body, err := get(t, w, "http://localhost/"); err != nil || body != "sw GET" {
		t.Error(body, err)
	}
}

func TestStreamedBody(t *testing.T) {
	w := start(t, `export default { fetch() {
		let n = 0;
		return new Response(new ReadableStream(
			{ pull(c) { n++ < 3 ? c.enqueue(Uint8Array.from("part" + n, (c) => c.charCodeAt(0))) : c.close(); } }));
	} };`, nil)
	if _, body, err := get(t, w, "http://localhost/"); err != nil || body != "part1part2part3" {
		t.Error(body, err)
	}
}

func TestScheduled(t *testing.T) {
	var uncaught []string
	w := start(t, `let seen = ""; export default {
		scheduled(c) { if (c.cron === "bad") throw new Error("no"); seen = c.cron + c.scheduledTime; },
		fetch() { return new Response(seen); } };`, func(o *Options) {
		o.Uncaught = func(_ *eventloop.Scope, ex *Exception) { uncaught = append(uncaught, ex.Error()) }
	})
	if err := w.RunScheduled(context.Background(), "* * * * *", time.UnixMilli(5)).Err; err != nil {
		t.Fatal(err)
	}
	if _, body, _ := get(t, w, "http://localhost/"); body != "* * * * *5" {
		t.Error(body)
	}
	if err := w.RunScheduled(context.Background(), "bad", time.UnixMilli(5)).Err; err == nil || len(uncaught) != 1 {
		t.Error(err, uncaught)
	}
}

// A plain request takes few allocations: what it does not look at is not made, and what belongs together lies in one
// piece.
func TestFetchAllocations(t *testing.T) {
	w := start(t, `export default { fetch() { return new Response("hello") } }`, nil)
	got := testing.AllocsPerRun(100, func() {
		if res, _, err := get(t, w, "http://x/"); err != nil || res.Status != 200 {
			t.Fatal(res, err)
		}
	})
	if got > 40 { // 29, of which the test has five
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkFetch(b *testing.B) {
	dir := b.TempDir()
	file := filepath.Join(dir, "index.js")
	if err := os.WriteFile(
		file, []byte(`export default { fetch() { return new Response("Hello") } }`), 0o600); err != nil {
		b.Fatal(err)
	}
	built, err := bundle.Build(bundle.Options{Dir: dir, Entry: file})
	if err != nil {
		b.Fatal(err)
	}
	w, err := Start(context.Background(), Options{Name: "b", Script: &Script{Bundle: built}})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	req, _ := http.NewRequest("GET", "http://localhost/", nil)
	b.ReportAllocs()
	for b.Loop() {
		res, err := w.Fetch(context.Background(), req, FetchOptions{})
		if err != nil {
			b.Fatal(err)
		}
		_ = res.Body.Close()
	}
}

func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	file := filepath.Join(dir, "index.js")
	if err := os.WriteFile(
		file, []byte(`export default { fetch() { return new Response("Hello") } }`), 0o600); err != nil {
		b.Fatal(err)
	}
	built, err := bundle.Build(bundle.Options{Dir: dir, Entry: file})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		w, err := Start(context.Background(), Options{Name: "b", Script: &Script{Bundle: built}})
		if err != nil {
			b.Fatal(err)
		}
		w.Close()
	}
}

// A top level that never ends is ended: by the CPU limit, or by whoever gives up the start.
func TestEndlessTopLevel(t *testing.T) {
	for _, src := range []string{
		"for (;;) {} export default {};",
		"await null; for (;;) {} export default {};",
		"try { for (;;) {} } catch {} export default {};",
	} {
		if _, err := tryStart(t, src, func(o *Options) { o.CPULimit = 20 * time.Millisecond }); !errors.Is(
			err, ErrStartupLimit) {
			t.Errorf("%s: %v", src, err)
		}
	}
	if _, err := tryStart(t, "await new Promise(() => {}); export default {};", nil); !errors.Is(err, ErrUnresolved) {
		t.Errorf("a top level that waits for ever: %v", err)
	}
	const waits = "await null; await (async () => { for (let i = 0; i < 9; i++) await i })(); export default {};"
	if _, err := tryStart(t, waits, nil); err != nil {
		t.Errorf("a top level that waits: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	running := make(chan struct{})
	entered := func(iso *Isolate) error {
		return iso.Runtime().Set("entered", func() { close(running) })
	}
	go func() {
		<-running
		cancel()
	}()
	b, err := bundle.Build(
		bundle.Options{Dir: t.TempDir(), Entry: sourceFile(t, "entered(); for (;;) {} export default {};")})
	if err != nil {
		t.Fatal(err)
	}
	flags, _ := ResolveFlags("2026-04-01", nil)
	_, err = Start(ctx,
		Options{Name: "test", Script: &Script{Bundle: b}, Flags: flags, Install: []func(*Isolate) error{entered}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a start given up: %v", err)
	}
}

func sourceFile(t *testing.T, src string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "index.js")
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// What the CPU limit ends is reported with the place where it was.
func TestCPULimitPlace(t *testing.T) {
	for _, src := range []string{
		"const spin = () => { for (;;) {} };\nexport default { fetch() { spin(); } };",
		"const spin = () => { for (;;) {} };\nexport default { async fetch() { await null; spin(); } };",
	} {
		// A slow machine may meet a short limit on the way to the loop.
		for limit := 20 * time.Millisecond; ; limit *= 4 {
			w := start(t, src, func(o *Options) { o.CPULimit = limit })
			_, _, err := get(t, w, "http://localhost/")
			var ex *Exception
			if !errors.Is(err, ErrCPULimit) || !errors.As(err, &ex) {
				t.Fatalf("%s: %v", src, err)
			}
			right := len(ex.Frames) >= 2 && ex.Frames[0].Function == "spin" && ex.Frames[0].Line == 1 &&
				ex.Code != "" &&
				strings.HasPrefix(ex.Stack, "Error: Worker exceeded CPU time limit.\n    at spin (")
			if right {
				break
			}
			if limit > 10*time.Second {
				t.Fatalf("%s: %+v", src, ex)
			}
		}
	}
}

// A body that fails before its first byte is known to have failed; one that has written, or fails later, is not.
func TestBodyFailsBeforeItsFirstByte(t *testing.T) {
	w := start(t, script("worker_body_fails_before_its_first_byte.js"), nil)
	for path, want := range map[string]string{
		"start": "early", "pull": "early", "aborted": "early", "written": "", "fine": "", "waits": "", "text": ""} {
		req, err := http.NewRequest("GET", "http://localhost/"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := w.Fetch(t.Context(), req, FetchOptions{})
		if err != nil {
			t.Fatal(path, err)
		}
		got := ""
		if ex := res.Failed(t.Context()); ex != nil {
			got = ex.Message
		}
		if got != want {
			t.Errorf("%s: failed with %q, want %q", path, got, want)
		}
		_ = res.Body.Close()
	}
}
