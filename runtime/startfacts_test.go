package runtime

import (
	"context"
	"strings"
	"testing"
	"time"
)

// CL7, RT16 and RT17: what stops the start, with the reference's texts.
func TestStartRefusals(t *testing.T) {
	const object = `import { DurableObject } from "cloudflare:workers"; `
	for _, c := range []struct{ fact, config, script, want string }{
		{"CL7 missing", classConfigOf("Missing"),
			object + "export class Other extends DurableObject {} export default {};",
			"Your Worker depends on the following Durable Objects, which are not exported in your entrypoint file: " +
				"Missing.\nYou should export these objects from your entrypoint, "},
		{"CL7 no class", classConfigOf("Value"), object + "export const Value = { a: 1 }; export default {};",
			"Class extends value #<Object> is not a constructor or null"},
		{"entrypoint", strings.Replace(plainConfig, "}", `, "services": [{ "binding": "S", "service": "w", `+
			`"entrypoint": "Nome" }] }`, 1), `import { WorkerEntrypoint } from "cloudflare:workers"; ` +
			"export class Name extends WorkerEntrypoint {} export default {};",
			"The binding S refers to the entrypoint \"Nome\" of w, which has no such named entrypoint.\n" +
				"did you mean \"Name\"? The script exports that"},
		{"RT16 syntax", plainConfig, "export default {\n  fetch() {\n", "Build failed with 1 error:"},
		{"RT16 top level", plainConfig, "export default {};\n\n" +
			"function fail() { throw new TypeError('too early'); }\nfail();\n", "Uncaught TypeError: too early"},
		{"RT16 place", plainConfig, "export default {};\n\nfunction fail() { throw new TypeError('too early'); }\n" +
			"fail();\n", "index.js:3:25"},
		{"RT17 future", strings.Replace(plainConfig, "2026-04-01", "2027-04-01", 1), "export default {};",
			`Compatibility date "2027-04-01" is in the future and unsupported`},
	} {
		_, err := newProject(t, "wrangler.jsonc", c.config, "index.js", c.script).start()
		if err == nil {
			t.Errorf("%s: the session started", c.fact)
		} else if got := Explain(err, false); !strings.Contains(got, c.want) {
			t.Errorf("%s: want %s, got %s", c.fact, c.want, got)
		}
	}
	// RT16: TypeScript with decorators is bundled, and a stack names its own lines.
	s := newProject(t, "wrangler.jsonc", strings.Replace(plainConfig, "index.js", "index.ts", 1), "index.ts",
		script("startfacts", "index.ts"), "tsconfig.json", `{ "compilerOptions": { "target": "ESNext" } }`).serve()
	s.expect("/", "answer42")
	if _, body := s.ask("GET", "/throw", "", "Accept", "application/json"); !strings.Contains(body, "index.ts:6:") {
		t.Errorf("RT16: no line of the source in %s", body)
	}
	// RT17: without a date there is a warning, and the date is today's.
	s = newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js"}`, "index.js",
		"export default { fetch() { return new Response(String(typeof navigator)) } };").serve()
	s.expect("/", "object")
	s.wantLines("compatibility_date")
	if got := s.workers.Config("w").CompatibilityDate; got != "2026-04-01" {
		t.Errorf("RT17: the date is %s, on %s", got, s.clock.Now().Format(time.DateOnly))
	}
}

func classConfigOf(class string) string {
	return `{ "name": "w", "main": "index.js", "compatibility_date": "2026-04-01", ` +
		`"durable_objects": { "bindings": [{ "name": "X", "class_name": "` + class + `" }] },
  "migrations": [{ "tag": "v1", "new_sqlite_classes": ["` + class + `"] }] }`
}

// DEV8: saving a file exchanges the code, says so, and requests in between are answered by one or the other.
func TestReloadOnSave(t *testing.T) {
	script := func(v string) string { return "export default { fetch() { return new Response('" + v + "') } };" }
	p := newProject(t, "wrangler.jsonc", plainConfig, "index.js", script("one"))
	s := p.serve(func(o *Options) { o.Watch = true })
	s.expect("/", "one")
	p.write("index.js", script("two"))
	s.out.await("Reloaded w", 1)
	s.expect("/", "two")
	p.write("index.js", "export default {")
	s.out.await("Build failed with 1 error", 1) // and waits for a fix (RT16)
	s.expect("/", "two")
	p.write("index.js", script("three"))
	s.out.await("Reloaded w", 2)
	s.expect("/", "three")
	if err := s.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}
