package runtime

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var storageWorker = script("configfacts", "storage.js") + cases

func storageConfig(migrations string) string {
	return `{ "name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
  "durable_objects": { "bindings": [{ "name": "A", "class_name": "A" }] }` + migrations + ` }`
}

const noSQL = "SQL is not enabled for this Durable Object class."

// CL8, CL9, CL10 and CL12: what migrations make of classes.
func TestMigrationFacts(t *testing.T) {
	for _, c := range []struct {
		name, migrations, sql string
		b                     bool // B has storage
	}{
		{"CL8 no migrations", "", noSQL, false},
		{"CL9 new_classes", `, "migrations": [{ "tag": "v1", "new_classes": ["A"] }]`, noSQL, false},
		{"CL9 new_sqlite_classes", `, "migrations": [{ "tag": "v1", "new_sqlite_classes": ["A"] }]`, "1", false},
		{"CL9 renamed_classes", `, "migrations": [{ "tag": "v1", "new_sqlite_classes": ["Old"] }, { "tag": "v2", ` +
			`"renamed_classes": [{ "from": "Old", "to": "A" }] }]`, "1", false},
		{"CL9 deleted_classes", `, "migrations": [{ "tag": "v1", "new_sqlite_classes": ["A"] }, { "tag": "v2", ` +
			`"deleted_classes": ["A"] }]`, noSQL, false},
		{"CL10 not bound", `, "migrations": [{ "tag": "v1", "new_sqlite_classes": ["A", "B"] }]`, "1", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newProject(t, "wrangler.jsonc", storageConfig(c.migrations), "index.js", storageWorker).serve()
			if _, got := s.ask("GET", "/sql%20A", ""); !strings.Contains(got, c.sql) {
				t.Errorf("SQL: %s, want %s", got, c.sql)
			}
			s.checkCases("kv A", "1", "exports", "A,B,EP,default", "entrypoint", `["hello x","{\"a\":1}","function"]`)
			if c.b {
				s.checkCases("unbound", "1", "unbound", "2")
			} else { // a class without storage can be made facets of, and is no namespace (CL14)
				s.checkCases("unbound", `TypeError("ctx.exports.B.getByName is not a function")`)
			}
			if c.migrations == "" {
				s.wantLines("you have configured `durable_objects` exported by this Worker (A), but no `migrations` " +
					"for them")
			}
		})
	}
}

// CL11: a class of a Worker that is not running, and of one that is.
func TestForeignClass(t *testing.T) {
	main := `const cases = {
		fetch: async (env) => { const r = await env.X.getByName("a").fetch("http://x/");
			return r.status + " " + await r.text(); },
		rpc: (env) => env.X.getByName("a").kv(),
		env: (env) => env.X.getByName("a").env_(),
		id: (env) => env.X.idFromName("a").toString(),
	};` + cases
	p := newProject(t, "main.jsonc", `{ "name": "main", "main": "main.js", "compatibility_date": "2026-04-01", `+
		`"vars": { "WHO": "main" }, "durable_objects": { "bindings": [{ "name": "X", "class_name": "A", `+
		`"script_name": "other" }] } }`, "main.js", main,
		"other.jsonc", `{ "name": "other", "main": "index.js", "compatibility_date": "2026-04-01", `+
			`"vars": { "WHO": "other" }, "migrations": [{ "tag": "v1", "new_sqlite_classes": ["A"] }] }`, "index.js",
		storageWorker)
	s := p.serve(using("main"))
	s.checkCases("fetch", `503 Worker "other" not found. Make sure it is running locally.`, "rpc",
		`Error("Worker \"other\" not found. Make sure it is running locally.") remote`)
	s.Banner(0)
	s.wantLines("local [not connected]")
	s.end()
	s = p.serve(using("main", "other"))
	s.checkCases("rpc", "1", "env", "other")
	if _, id := s.ask("GET", "/id", ""); id == "" {
		t.Error("no id")
	}
	if _, err := os.Stat(filepath.Join(p.dir, ".wrangler", "state", "v3", "do", "other-A")); err != nil {
		t.Errorf("the objects lie elsewhere: %v", err)
	}
	s.Banner(0)
	if strings.Contains(s.out.String(), "[not connected]") {
		t.Errorf("the Worker is there:\n%s", s.out)
	}
}

// DEV1 to DEV4 and DEV6: variables, secrets, environments, the state directory, crons.
func TestDevelopmentFacts(t *testing.T) {
	const config = `{ "name": "w", "main": "index.js", "compatibility_date": "2026-04-01", "triggers": {
		"crons": ["* * * * *"] },
  "vars": { "TEXT": "top", "NUMBER": 5, "YES": true, "NULL": null, "DEEP": { "a": [1] }, "SECRET": "shown" },
  "queues": { "producers": [{ "binding": "Q", "queue": "jobs" }] },
  "durable_objects": { "bindings": [{ "name": "A", "class_name": "A" }] }, "migrations": [{
    "tag": "v1", "new_sqlite_classes": ["A"] }],
  "env": { "staging": { "vars": { "TEXT": "staging" } } } }`
	worker := strings.Replace(storageWorker, "const cases = {", `let ticks = 0;
const cases = {
  "vars": (env) => ["TEXT", "NUMBER", "YES", "NULL", "DEEP", "SECRET", "EXTRA", "A"].map((k) => k + "=" +
    (k === "A" ? typeof env.A : JSON.stringify(env[k]))).join(" "),
  "alarm": (env) => env.A.getByName("a").delayed(), "ticks": () => ticks,`, 1)
	worker = strings.Replace(worker, "export default {", "export default { scheduled() { ticks++; },", 1)
	p := newProject(t, "wrangler.jsonc", config, "index.js", worker, ".env", "SECRET=unread\n")
	p.write(".dev.vars", "SECRET='dev'\nEXTRA=\"two\\nlines\"\nNUMBER=6\n")
	p.write(".dev.vars.staging", "SECRET=staged\n")
	s := p.serve(func(o *Options) { o.Vars = []string{"YES:from the line"} })
	s.checkCases("vars", `TEXT="top" NUMBER="6" YES="from the line" NULL=null DEEP={"a":[1]} SECRET="dev" `+
		`EXTRA="two\nlines" A=object`, "kv A", "1", "alarm", "undefined")
	s.Banner(0)
	for _, row := range [][]string{
		{"env.A (A)", "Durable Object", "local"}, {"env.Q (jobs)", "Queue", "local"},
		{`env.TEXT ("top")`, "Environment Variable", "local"},
		{`env.SECRET ("(hidden)")`, "Environment Variable", "local"},
	} {
		found := false
		for line := range strings.Lines(s.out.String()) {
			found = found || strings.Contains(line, row[0]) && strings.Contains(line, row[1]) &&
				strings.Contains(line, row[2])
		}
		if !found {
			t.Errorf("DEV1: no row %q in\n%s", row, s.out)
		}
	}
	s.wantLines("Using secrets defined in .dev.vars", "by hand: /cdn-cgi/handler/scheduled")
	s.clock.Advance(t.Context(), 10*time.Minute)
	s.checkCases("ticks", "0") // DEV6
	s.end()
	for _, file := range []string{"do/w-A/metadata.sqlite", "do/w-A/*.sqlite"} { // DEV4
		if found, err := filepath.Glob(filepath.Join(p.dir, ".wrangler", "state", "v3",
			filepath.FromSlash(file))); err != nil || len(found) == 0 {
			t.Errorf("DEV4: no %s", file)
		}
	}
	s = p.serve()
	s.checkCases("kv A", "2")
	s.end()
	s = p.serve(func(o *Options) { o.PersistTo = "elsewhere" })
	s.checkCases("kv A", "1")
	s.end()
	if found, err := filepath.Glob(filepath.Join(p.dir, "elsewhere", "v3", "do", "w-A", "*.sqlite")); err != nil ||
		len(found) == 0 {
		t.Errorf("DEV4: nothing in elsewhere/v3: %v", err)
	}
	s = p.serve(func(o *Options) { o.Env = "staging" })
	s.checkCases("vars", `TEXT="staging" NUMBER=undefined YES=undefined NULL=undefined DEEP=undefined `+
		`SECRET="staged" EXTRA=undefined A=undefined`)
	if got := s.Workers()[0]; got != "w-staging" {
		t.Errorf("DEV3: the Worker is called %s", got)
	}
	s.wantLines(`"vars.NUMBER" exists at the top level, but not on "env.staging.vars"`,
		`"durable_objects" exists at the top level, but not on "env.staging"`)
	s.Banner(0)
	s.wantLines("cron * * * * *") // triggers are inherited
}

// TestImportMeta: it is empty, as in the reference, unless new_module_registry is on.
func TestImportMeta(t *testing.T) {
	const code = `export default { fetch() { return Response.json([import.meta, typeof import.meta.url]) } }`
	newProject(t, "wrangler.jsonc", plainConfig, "index.js", code).serve().expect("/", `[{},"undefined"]`)
	flagged := strings.Replace(plainConfig, `"2026-04-01"`,
		`"2026-04-01", "compatibility_flags": ["new_module_registry", "experimental"]`, 1)
	newProject(t, "wrangler.jsonc", flagged, "index.js", code).serve().expect("/",
		`[{"url":"file:///worker.js","main":true},"string"]`)
}
