package runtime

import (
	"context"
	"strings"
	"testing"
	"time"
)

var classWorker = script("classfacts", "class.js") + cases

const classFactsConfig = `{ "name": "cl", "main": "index.js", "compatibility_date": "2026-04-01",
  "durable_objects": { "bindings": [{ "name": "EXTENDED", "class_name": "Extended" }, {
    "name": "PLAIN", "class_name": "Plain" }, { "name": "BARE", "class_name": "Bare" },
    { "name": "BAREENV", "class_name": "BareEnv" }, { "name": "FAILS", "class_name": "Fails" }, {
      "name": "NOFETCH", "class_name": "NoFetch" }, { "name": "WRONG", "class_name": "Wrong" }] },
  "migrations": [{ "tag": "v1", "new_sqlite_classes": ["Extended", "Plain", "Bare", "BareEnv", "Fails", "NoFetch",
    "Wrong"] }] }`

// CL1 to CL6, CL13 and CL15, each clause, as the reference answers.
func TestClassFacts(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", classFactsConfig, "index.js", classWorker).serve()
	s.checkCases(
		"CL1 extended", "args,ctx,env 2 Extended false", "CL1 plain", " 2 a true",
		"CL1 plain rpc", "TypeError(\"The receiving Durable Object does not support RPC, because its class was not "+
			"declared with `extends DurableObject`. In order to enable RPC, make sure your class extends the "+
			"special class `DurableObject`, which can be imported from the module \\\"cloudflare:workers\\\".\") "+
			"remote",
		// Nothing is stored for a class without a constructor: the handler's own mistake comes out.
		"CL2 state", `TypeError("Cannot read properties of undefined (reading 'id')") remote`,
		"CL2 env", `TypeError("Cannot read properties of undefined (reading 'PLAIN')") remote`,
		"CL3 lazy", `[0,1,"ctor,fetch"]`,
		"CL4 waiting", `RangeError("built badly 1") durableObjectReset | `+
			`RangeError("built badly 1") durableObjectReset | RangeError("built badly 1") durableObjectReset | hello`,
		"CL4 fetch", `RangeError("built badly 1") remote durableObjectReset | `+
			`RangeError("built badly 1") durableObjectReset | hello`,
		"CL5 class", `Error("Handler does not export a fetch() function.") remote`,
		"CL6 wrong", `TypeError("Incorrect type for Promise: the Promise did not resolve to 'Response'.") remote`,
		"CL13 context", `{"own":"container,exports,facets,id,props,storage","methods":"abort,acceptWebSocket,`+
			`blockConcurrencyWhile,constructor,getHibernatableWebSocketEventTimeout,getTags,getWebSocketAutoResponse,`+
			`getWebSocketAutoResponseTimestamp,getWebSockets,setHibernatableWebSocketEventTimeout,`+
			`setWebSocketAutoResponse,waitUntil","props":"{}","container":"undefined",`+
			`"tag":"[object DurableObjectState]","self":"object,object,object,`+
			`8d57eadd38166603c583966dab355fec5a9de92a38129d6c6b80041ab2f88be5"}`,
		// The reference's own table of names is not needed here (see TestObjectsOfTheReference for directories that
		// have it).
		"CL15 tables", "_cf_KV", "CL15 name", "Extended",
	)
	// CL5
	s.wantLines("Received a FetchEvent but we lack a handler for FetchEvents. Did you remember to export a fetch() " +
		"function?")
}

// CL5, CL6 of the Worker itself.
func TestWorkerWithoutFetch(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", plainConfig, "index.js", "export default { queue() {} };").serve()
	if res, body := s.ask("GET", "/", ""); res.StatusCode != 500 ||
		!strings.Contains(body, "Handler does not export a fetch() function.") {
		t.Errorf("CL5: %d %s", res.StatusCode, body)
	}
	s = newProject(t, "wrangler.jsonc", plainConfig, "index.js",
		"export default { async fetch() { return 5; } };").serve()
	if res, body := s.ask("GET", "/", ""); res.StatusCode != 500 ||
		!strings.Contains(body, "Incorrect type for Promise: the Promise did not resolve to 'Response'.") {
		t.Errorf("CL6: %d %s", res.StatusCode, body)
	}
}

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
		script("classfacts", "index.ts"), "tsconfig.json", `{ "compilerOptions": { "target": "ESNext" } }`).serve()
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

// DEV7: the controller's own properties, noRetry, and expressions of five fields with names.
func TestScheduledController(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", strings.Replace(plainConfig, "}",
		`, "triggers": { "crons": ["0 6 * * SUN"] }}`, 1), "index.js", `
let seen = [];
export default {
  fetch() { return new Response(seen.join(" ")); },
  scheduled(c) { seen.push([Object.getOwnPropertyNames(c).sort(), typeof c.cron, c.cron, typeof c.scheduledTime,
    new Date(c.scheduledTime).toISOString(), typeof c.noRetry, c.noRetry()].join()); },
};`).serve(func(o *Options) { o.Crons = true })
	if _, body := s.ask("GET", "/cdn-cgi/handler/scheduled", ""); body != "ok" {
		t.Errorf("by hand: %s", body)
	}
	s.clock.Advance(t.Context(), 7*24*time.Hour) // from a Wednesday noon over one Sunday
	s.expect("/", "cron,scheduledTime,string,,number,2026-04-01T12:00:00.000Z,function, cron,scheduledTime,string,0 "+
		"6 * * SUN,number,2026-04-05T06:00:00.000Z,function,")
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
