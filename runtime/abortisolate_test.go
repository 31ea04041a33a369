package runtime

import (
	"strconv"
	"strings"
	"testing"
)

// abortIsolate of cloudflare:workers ends the script at once, whatever it catches, and with it all events of the
// isolate: a caller in another Worker loses the connection, objects are reset, a batch is tried again. The next event
// finds a fresh isolate, with what was stored (BIND-160, X-31).
func TestAbortIsolate(t *testing.T) {
	p := newProject(t,
		"a.jsonc", `{ "name": "a", "main": "a.js", "compatibility_date": "2026-04-01",
		"durable_objects": { "bindings": [{ "name": "OBJ", "class_name": "Obj" }] },
		"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Obj"] }],
		"queues": { "producers": [{ "binding": "Q", "queue": "q" }],
			"consumers": [{ "queue": "q", "max_batch_timeout": 0, "max_retries": 1, "dead_letter_queue": "dlq" }] } }`,
		"a.js", script("abortisolate", "a.js"),
		"b.jsonc", `{ "name": "b", "main": "b.js", "compatibility_date": "2026-04-01",
		"services": [{ "binding": "A", "service": "a" }, { "binding": "E", "service": "a", "entrypoint": "E" }] }`,
		"b.js", script("abortisolate", "b.js"))
	s := p.serve(using("a", "b"))
	b, err := s.Handler("b")
	if err != nil {
		t.Fatal(err)
	}
	s.expect("/count", "1 1")
	s.expect("/count", "2 2")
	if res, text := s.ask("GET", "/abort?why=enough", ""); res.StatusCode != 500 ||
		!strings.Contains(text, "The Worker called abortIsolate(): enough") {
		t.Errorf("%d %s", res.StatusCode, text)
	}
	s.expect("/count", "1 3")
	stored := 4
	for range 2 { // fetch, then RPC
		if got := body(t, b); got != "Error: Network connection lost. true" {
			t.Errorf("another Worker sees %s", got)
		}
		s.expect("/count", "1 "+strconv.Itoa(stored))
		stored++
	}
	if res, text := s.ask("GET", "/object", ""); res.StatusCode != 500 ||
		!strings.Contains(text, "abortIsolate(): in an object") { // the caller's own event has ended with the isolate
		t.Errorf("%d %s", res.StatusCode, text)
	}
	s.expect("/count", "1 "+strconv.Itoa(stored)) // what the object had not committed is gone
	s.wantLines("Restarted a: The Worker called abortIsolate(): enough")
}
