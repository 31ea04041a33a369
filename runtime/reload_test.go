package runtime

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// reloadWorker says which version runs, keeps a count in an object and lists what it consumed there.
var reloadWorker = script("reload", "reload.js")

const reloadConfig = `{
	"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
	"queues": { "producers": [{ "binding": "Q", "queue": "q" }], "consumers": [{
		"queue": "q", "max_batch_timeout": 5 }] },
	"durable_objects": { "bindings": [{ "name": "LOG", "class_name": "Log" }] },
	"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Log"] }]
}`

func version(v string) string { return strings.ReplaceAll(reloadWorker, "VERSION", v) }

func TestReloadKeepsState(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", reloadConfig, "index.js", version("v1"))
	s := p.serve()
	s.expect("/", "v1")
	s.expect("/send?n=1", "sent")
	s.expect("/arm?n=60", "armed")
	p.write("index.js", version("v2"))
	if err := s.Reload(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	s.expect("/", "v2")
	s.clock.Advance(t.Context(), 5*time.Second)
	s.expect("/all", "v2 q 1") // the message waited, the new code takes it
	p.write("index.js", version("v3"))
	if err := s.Reload(context.Background(), "w"); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(t.Context(), time.Minute)
	s.expect("/all", "v2 q 1,v3 alarm")
	s.wantLines("Reloaded w")
}

func TestReloadFailure(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", reloadConfig, "index.js", version("v1"))
	s := p.serve()
	for _, c := range []struct{ file, text, want string }{
		{"index.js", version("v2") + "\nconst x = ;", `:25:11: Unexpected ";"`},
		{"index.js", version("v2") + "\nimport './gone.js';", `Could not resolve "./gone.js"`},
		{"index.js", version("v2") + "\nthrow new Error('at the top');", "Uncaught Error: at the top"},
		{"index.js", strings.Replace(version("v2"), "export class", "class", 1),
			"should export these objects from your entrypoint"},
		{"wrangler.jsonc", strings.Replace(reloadConfig, `"name": "w"`, `"name": "other"`, 1),
			`name changed from "w" to "other"`},
		{"wrangler.jsonc", "{", "Invalid JSON"},
		{"wrangler.jsonc", strings.Replace(reloadConfig, `"max_batch_timeout": 5`, `"max_batch_timeout": 5000`, 1),
			"max_batch_timeout"},
	} {
		p.write("wrangler.jsonc", reloadConfig)
		p.write("index.js", version("v1"))
		p.write(c.file, c.text)
		err := s.Reload(context.Background(), "")
		if err == nil {
			t.Errorf("%s: the reload went through", c.want)
			continue
		}
		if text := Explain(err, false); !strings.Contains(text, c.want) || strings.Count(text, "Build failed") > 1 {
			t.Errorf("want %s, once, in\n%s", c.want, text)
		}
		s.expect("/", "v1")
	}
	s.wantLines("The code from before goes on.")
	s.expect("/send?n=1", "sent")
	s.clock.Advance(t.Context(), 5*time.Second)
	s.expect("/all", "v1 q 1") // consumer, object and storage too are those from before
	p.write("wrangler.jsonc", reloadConfig)
	p.write("index.js", version("v9"))
	if err := s.Reload(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	s.expect("/", "v9")
	if err := s.Reload(context.Background(), "nobody"); err == nil ||
		!strings.Contains(err.Error(), `no Worker "nobody"`) {
		t.Errorf("a Worker that is not there: %v", err)
	}
}

// A queue that is renamed leaves its messages under the old name: that is told, once, and after a start too.
func TestRenamedQueue(t *testing.T) {
	named := func(queue string) string {
		return strings.ReplaceAll(reloadConfig, `"queue": "q"`, `"queue": "`+queue+`"`)
	}
	p := newProject(t, "wrangler.jsonc", named("order"), "index.js", version("v1"))
	s := p.serve()
	s.expect("/send?n=1", "sent")
	p.write("wrangler.jsonc", named("orders"))
	for range 2 {
		if err := s.Reload(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
	}
	const text = `queue "order" holds a message, and no Worker here names it; was it renamed to "orders"?`
	if n := strings.Count(s.out.String(), text); n != 1 {
		t.Errorf("told %d times in\n%s", n, s.out.String())
	}
	s.end()
	p.serve().wantLines(text)
}

// What a changed configuration adds (queues, consumers, crons) works after the reload, what it takes away is gone.
func TestReloadTopology(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", reloadConfig, "index.js", version("v1"))
	s := p.serve(func(o *Options) { o.Crons = true })
	other := strings.NewReplacer(
		`"queue": "q"`, `"queue": "other"`,
		`"migrations"`, `"triggers": { "crons": ["*/5 * * * *"] }, "migrations"`).Replace(reloadConfig)
	p.write("wrangler.jsonc", other)
	if err := s.Reload(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	s.expect("/send?n=1", "sent")
	s.clock.Advance(t.Context(), 5*time.Second)
	s.expect("/all", "v1 other 1")
	s.clock.Advance(t.Context(), 5*time.Minute)
	s.expect("/all", "v1 other 1,v1 cron */5 * * * *")
	// Taken away and brought back: one firing, not two, and none in between.
	p.write("wrangler.jsonc", reloadConfig)
	if err := s.Reload(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(t.Context(), 5*time.Minute)
	s.expect("/all", "v1 other 1,v1 cron */5 * * * *")
	p.write("wrangler.jsonc", other)
	if err := s.Reload(context.Background(), ""); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(t.Context(), 5*time.Minute)
	s.expect("/all", "v1 other 1,v1 cron */5 * * * *,v1 cron */5 * * * *")
}

// Saving a file is enough: the watcher reloads, and goes on watching after a build that failed.
func TestReloadBySaving(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", reloadConfig, "index.js",
		"export * from './worker.js'; export { default } from './worker.js';", "worker.js", version("v1"))
	s := p.serve(func(o *Options) { o.Watch = true })
	p.write("worker.js", version("v2"))
	s.out.await("Reloaded w", 1)
	s.expect("/", "v2")
	p.write("worker.js", version("v3")+"\n}")
	s.out.await("The code from before goes on.", 1)
	s.expect("/", "v2")
	p.write("worker.js", version("v4"))
	s.out.await("Reloaded w", 2)
	s.expect("/", "v4")
}

// A file of secrets is read as soon as it is there: the project did not have it at the start (DEV1).
func TestReloadBySecrets(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{ "name": "w", "main": "index.js", "compatibility_date": "2026-04-01" }`,
		"index.js", `export default { fetch: (_, env) => new Response(env.SECRET ?? "none") };`)
	s := p.serve(func(o *Options) { o.Watch = true })
	s.expect("/", "none")
	p.write(".dev.vars", "SECRET=new")
	s.out.await("Reloaded w", 1)
	s.expect("/", "new")
	if err := os.Remove(filepath.Join(p.dir, ".dev.vars")); err != nil {
		t.Fatal(err)
	}
	s.out.await("Reloaded w", 2)
	s.expect("/", "none")
}
