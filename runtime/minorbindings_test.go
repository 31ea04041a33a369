package runtime

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Rate limits count on the session's clock, in windows that begin at whole multiples of the period, as the reference's
// do; bindings with one namespace_id share them. Analytics Engine keeps data points, which the
// SQL API shows (B5).
func TestRateLimitAndAnalytics(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
	"ratelimits": [{ "name": "RL", "namespace_id": "1001", "simple": { "limit": 2, "period": 10 } }, {
		"name": "SAME", "namespace_id": "1001", "simple": { "limit": 2, "period": 10 } },
		{ "name": "OTHER", "namespace_id": "1002", "simple": { "limit": 1, "period": 60 } }],
	"analytics_engine_datasets": [{ "binding": "AE", "dataset": "ds" }], "version_metadata": { "binding": "VER" }}`,
		"index.js", script("minorbindings", "index.js"))
	s := p.serve()
	s.expect("/limit", "true,true,false,true false true")
	s.clock.Advance(t.Context(), 9999*time.Millisecond)
	s.expect("/limit", "false,false,false,true false false")
	s.clock.Advance(t.Context(), time.Millisecond) // the next window
	s.expect("/limit", "true,true,false,true false false")
	s.expect("/weight", "true,false,true")
	s.expect("/errors", strings.Join([]string{
		"Error: invalid rate limit options", "Error: invalid rate limit options", "Error: invalid key: 5",
		"Error: invalid key: null",
		"Error: bad rate limit options: [foo,bar]", "Error: unsupported period: 7", "Error: limit must be a number: x",
		"RangeError: delta must be non-zero",
		"TypeError: The value cannot be converted because it is negative and this API expects a positive number.",
		"TypeError: The value cannot be converted because it is not an integer.",
		"TypeError: Value out of range. Must be less than or equal to 4294967295.",
	}, "\n"))
	s.expect("/names", "Ratelimitconstructor,limit LocalAnalyticsEngineDatasetconstructor,writeDataPoint")
	s.expect("/data", "undefined,undefined,undefined")
	_, sql := s.ask("POST", "/cdn-cgi/eddy/client/v4/accounts/any/analytics_engine/sql",
		"SELECT blob1, double1, count() AS n FROM ds GROUP BY blob1, double1 ORDER BY n FORMAT JSONEachRow")
	if want := `{"blob1":"a","double1":1,"n":"1"}` + "\n" + `{"blob1":"","double1":0,"n":"2"}` + "\n"; sql != want {
		t.Errorf("the SQL API: %s", sql)
	}
	s.expect("/version", "id,tag,timestamp36true")
}

// Files of the service-worker format are globals; one that is not there stops the start, with the place.
func TestServiceWorkerFiles(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{ "name": "sw", "main": "index.js", "compatibility_date": "2026-04-01",
	"wasm_modules": { "ADD": "add.wasm" }, "text_blobs": { "TXT": "t.txt" }, "data_blobs": { "DAT": "d.bin" } }`,
		"index.js", `addEventListener("fetch", (e) => e.respondWith(new `+
			`Response([Object.prototype.toString.call(ADD), TXT, Object.prototype.toString.call(DAT), DAT.byteLength,`+
			` new WebAssembly.Instance(ADD).exports.add(2, 3)].join("|"))));`,
		"t.txt", "hello text", "d.bin", "\x00\x01\x02",
		"add.wasm",
		"\x00asm\x01\x00\x00\x00\x01\x07\x01\x60\x02\x7f\x7f\x01\x7f\x03\x02\x01\x00"+
			"\x07\x07\x01\x03add\x00\x00\x0a\x09\x01\x07\x00\x20\x00\x20\x01\x6a\x0b")
	s := p.serve()
	s.expect("/", "[object WebAssembly.Module]|hello text|[object ArrayBuffer]|3|5")
	s.end()
	if err := os.Remove(filepath.Join(p.dir, "t.txt")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.start(); err == nil || !strings.Contains(Explain(err, false), "TXT of text_blobs cannot be read") {
		t.Errorf("a missing file: %v", err)
	}
}

// Calls that a rate limit has counted count in the next session, too, as in wrangler dev.
func TestRateLimitIsKept(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
	"ratelimits": [{ "name": "RL", "namespace_id": "a/b", "simple": { "limit": 2, "period": 60 } }]}`,
		"index.js", `export default { fetch: async (r, env) =>
			new Response(String((await env.RL.limit({ key: "k" })).success)) };`)
	for _, want := range []string{"true", "true", "false"} {
		s := p.serve()
		s.expect("/", want)
		s.end()
	}
}

// Outgoing requests name the Worker's zone: one made of its name, or that of its route (BIND-173).
func TestOutgoingZone(t *testing.T) {
	seen := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("Cf-Worker")
	}))
	t.Cleanup(server.Close)
	for routes, want := range map[string]string{"": "w.example.com",
		`, "routes": [{ "pattern": "shop.example.org/*", "zone_name": "example.org" }]`: "example.org",
		`, "dev": { "host": "https://dev.example.net" }`:                                "dev.example.net"} {
		s := newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01"`+
			routes+`}`, "index.js", `export default { fetch: () => fetch("`+server.URL+`", {
				headers: { "CF-Worker": "mine" } }) };`).serve()
		s.expect("/", "")
		if got := <-seen; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		s.end()
	}
}

// The class that transformations of pipelines extend reads and writes lines of JSON (BIND-130).
func TestPipelineTransformation(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01"}`,
		"index.js", script("pipelines", "index.js")).serve()
	s.expect("/", `{"n":2,"by":"p"}`+"\n"+`{"n":4,"by":"p"}`+"\n"+`|{"bytes":34,"rows":2}||`+
		"Error: the run method must be overridden by the PipelineTransformationEntrypoint subclass|"+
		"Error: should be implemented by parent")
}
