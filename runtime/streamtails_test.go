package runtime

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

// A streaming tail Worker hears of an event while it goes on: what began, spans with their attributes, console lines,
// exceptions and messages on channels, each in the span in which it happened, the return and the outcome (BIND-140,
// BIND-141). Objects and alarms are events like any other. Where tailStream returns an object, the named types are
// heard; where it returns nothing, the stream ends (BIND-142). The lines are wrangler dev's, less the spans of the
// platform's own operations and the outcome of an event that threw, which wrangler's wrapper hides there.
func TestStreamingTails(t *testing.T) {
	p := newProject(t,
		"w.jsonc", `{ "name": "w", "main": "main.js", "compatibility_date": "2026-04-01",
		"compatibility_flags": ["nodejs_compat"],
		"durable_objects": { "bindings": [{ "name": "OBJ", "class_name": "Obj" }] },
		"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Obj"] }],
		"queues": { "producers": [{ "binding": "Q", "queue": "q" }],
			"consumers": [{ "queue": "q", "max_batch_timeout": 0 }] },
		"services": [{ "binding": "SELF", "service": "w", "entrypoint": "E" }],
		"streaming_tail_consumers": [{ "service": "tailer" }, { "service": "absent" }] }`,
		"main.js", script("streamtails", "main.js"),
		"t.jsonc", `{ "name": "tailer", "main": "tail.js", "compatibility_date": "2026-04-01" }`,
		"tail.js", script("streamtails", "tail.js"))
	s := p.serve(using("w", "t"))
	tailer, err := s.Handler("tailer")
	if err != nil {
		t.Fatal(err)
	}
	events := 0
	for block := range strings.SplitSeq(strings.TrimPrefix(script("streamtails", "want"), "== "), "\n== ") {
		head, want, _ := strings.Cut(strings.TrimRight(block, "\n"), "\n")
		path, count, _ := strings.Cut(head, " ")
		n, err := strconv.Atoi(count)
		if err != nil {
			t.Fatal(err)
		}
		events += n
		s.ask("GET", path, "")
		if path == "/alarm" {
			s.clock.Advance(t.Context(), time.Second)
		}
		s.out.await("[tailer] heard", events)
		if got := strings.ReplaceAll(body(t, tailer), s.web.URL, "BASE"); got != want {
			t.Errorf("%s: heard\n%s\nwant\n%s", path, got, want)
		}
	}
	s.Banner(0)
	s.wantLines("streaming tail absent", "not in this session: nothing is sent")
}
