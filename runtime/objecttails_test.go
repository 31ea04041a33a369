package runtime

import (
	"strings"
	"testing"
	"time"
)

// A tail consumer hears of each event of a Durable Object as a TraceItem of its own: requests, calls and reads over
// RPC, alarms, messages and closes of hibernatable sockets, and what an abort has ended, with the class, the object's
// id and what was logged (BIND-140). The lines are wrangler dev's, but for the name of the script, and for calls that
// throw, whose exception its wrapper hides.
func TestObjectTails(t *testing.T) {
	p := newProject(t,
		"w.jsonc", `{ "name": "w", "main": "main.js", "compatibility_date": "2026-04-01",
		"durable_objects": { "bindings": [{ "name": "OBJ", "class_name": "Obj" }] },
		"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Obj"] }], "tail_consumers": [{ "service": "tailer" }] }`,
		"main.js", script("objecttails", "main.js"),
		"t.jsonc", `{ "name": "tailer", "main": "tail.js", "compatibility_date": "2026-04-01" }`,
		"tail.js", script("objecttails", "tail.js"))
	s := p.serve(using("w", "t"))
	tailer, err := s.Handler("tailer")
	if err != nil {
		t.Fatal(err)
	}
	heard := 0
	for block := range strings.SplitSeq(strings.TrimPrefix(script("objecttails", "want"), "== "), "\n== ") {
		head, want, _ := strings.Cut(strings.TrimRight(block, "\n"), "\n")
		path, answer, _ := strings.Cut(head, " ")
		s.expect("/"+path, answer)
		if path == "alarm" {
			s.clock.Advance(t.Context(), time.Second)
		}
		heard += strings.Count(want, "\n") + 1
		s.out.await("[tailer] heard", heard)
		if got := body(t, tailer); got != want {
			t.Errorf("%s: heard\n%s\nwant\n%s", path, got, want)
		}
	}
}

// A facet that only rests is no news at the end of a session.
func TestFacetsEndQuietly(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", `{ "name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
		"durable_objects": { "bindings": [{ "name": "O", "class_name": "O" }] },
		"migrations": [{ "tag": "v1", "new_sqlite_classes": ["O"] }] }`, "index.js",
		script("objecttails", "facet.js")).serve()
	s.expect("/", "hi")
	s.end()
	if strings.Contains(s.out.String(), "was reset") {
		t.Errorf("news of a reset:\n%s", s.out)
	}
}
