package runtime

import (
	"crypto/tls"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// D-20: two Workers of one session: queue by name, service binding and object by script_name; the one that asks for it
// has a port of its own.
func TestSeveralWorkers(t *testing.T) {
	p := newProject(t,
		"front/wrangler.jsonc", `{"name": "front", "main": "index.js", "compatibility_date": "2026-04-01",
			"queues": {"producers": [{"binding": "JOBS", "queue": "jobs"}]},
				"services": [{"binding": "BACK", "service": "back"}],
			"durable_objects": {"bindings": [{"name": "ROOM", "class_name": "Room", "script_name": "back"}]}}`,
		"front/index.js", `export default { async fetch(request, env) {
			await env.JOBS.send("job");
			return new Response([await (await env.BACK.fetch("http://back/x")).text(),
				await env.ROOM.getByName("r").hello()].join());
		} };`,
		"back/wrangler.jsonc", `{"name": "back", "main": "index.js", "compatibility_date": "2026-04-01",
			"queues": {"consumers": [{"queue": "jobs", "max_batch_timeout": 5}]},
			"durable_objects": {"bindings": [{"name": "ROOM", "class_name": "Room"}]},
				"migrations": [{"tag": "v1", "new_sqlite_classes": ["Room"]}]}`,
		"back/index.js", script("several", "back/index.js"))
	s := p.serve(func(o *Options) {
		o.Configs = []string{"front/wrangler.jsonc", filepath.Join(p.dir, "back", "wrangler.jsonc")}
	})
	if got := strings.Join(s.Workers(), " "); got != "front back" {
		t.Errorf("Workers: %s", got)
	}
	s.expect("/", "back /x,room of back")
	s.clock.Advance(t.Context(), 5*time.Second)
	s.wantLines("[back] back got jobs job", "QUEUE jobs 1/1", "[front] GET / 200 OK")
}

// In the service-worker format bindings are globals.
func TestServiceWorkerFormat(t *testing.T) {
	p := newProject(t, "wrangler.toml", "name = \"w\"\nmain = \"index.js\"\ncompatibility_date = \"2026-04-01\"\n"+
		"[vars]\nGREETING = \"hello\"\n[[queues.producers]]\nbinding = \"Q\"\nqueue = \"q\"\n",
		"index.js", `addEventListener("fetch", (event) => event.respondWith(answer(event.request)));
		async function answer(request) { await Q.send(1); return new Response(GREETING + " " + globalThis.GREETING +
			" " + (await Q.metrics()).backlogCount); }`)
	p.serve().expect("/", "hello hello 1")
}

// A client that speaks plain HTTP to the https port is told so; the line about it stays out of everyone else's sight.
func TestHTTPS(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", plainConfig, "index.js",
		`export default { fetch(request) { return new Response(new URL(request.url).protocol); } }`)
	s := p.serve(func(o *Options) { o.Listen, o.Port, o.LocalProtocol = true, -1, HTTPS })
	client := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	for url, want := range map[string]string{
		s.URL(): "https:",
		strings.Replace(s.URL(), "https:", "http:", 1): "Client sent an HTTP request to an HTTPS server.\n",
	} {
		res, err := client.RoundTrip(request(t, "GET", url, nil))
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(res.Body); err != nil || string(body) != want {
			t.Errorf("%s: %q %v, want %q", url, body, err, want)
		}
		if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	s.out.await("TLS handshake error", 1)
}
