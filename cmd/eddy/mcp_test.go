package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"eddy/runtime"
	"eddy/runtime/report"
)

// assisted is a client of the protocol, beside a session of a project.
type assisted struct {
	t      *testing.T
	client *mcp.ClientSession
}

func startAssisted(t *testing.T, dir string, write bool) *assisted {
	t.Helper()
	a := &assistant{write: write, env: OS{Stderr: &strings.Builder{}, Getwd: func() (string, error) {
		return dir,
			nil
	}}}
	here, there := mcp.NewInMemoryTransports()
	if _, err := a.server().Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return &assisted{t, client}
}

// call calls a tool and wants a text in the answer, which is an error if failing is set.
func (a *assisted) call(name string, args map[string]any, failing bool, want string) {
	a.t.Helper()
	r, err := a.client.CallTool(a.t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		a.t.Errorf("%s %v: %v", name, args, err)
		return
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError != failing || !strings.Contains(text, want) {
		a.t.Errorf("%s %v: error is %v, %s; want %s", name, args, r.IsError, text, want)
	}
}

// An assistant looks at all that a person sees, acts only if it may, and is told of what is refused.
func TestMCP(t *testing.T) {
	dir := t.TempDir()
	worker, err := os.ReadFile("testdata/mcp/index.js")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"wrangler.jsonc": `{ "name": "app", "main": "index.js", "compatibility_date": "2026-04-01",
			"triggers": { "crons": ["0 3 * * *"] },
			"durable_objects": { "bindings": [{ "name": "DESK", "class_name": "Desk" }] },
			"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Desk"] }],
			"queues": { "producers": [{ "binding": "Q", "queue": "jobs" }],
				"consumers": [{ "queue": "jobs", "max_batch_timeout": 0, "max_retries": 0,
					"dead_letter_queue": "dead" }] } }`,
		"index.js": string(worker),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	died := make(chan struct{}, 1)
	s, err := runtime.Start(t.Context(), runtime.Options{Dir: dir, Listen: true, Persist: true, Port: -1,
		Journal: runtime.JournalOn, Reporter: report.New(report.Options{Out: linesOf(func(line string) {
			if strings.Contains(line, "→ dead") {
				select {
				case died <- struct{}{}:
				default:
				}
			}
		})})})
	if err != nil {
		t.Fatal(runtime.Explain(err, false))
	}
	t.Cleanup(func() { _ = s.Stop(context.Background()) })

	w := startAssisted(t, dir, true)
	w.call("send", map[string]any{"queue": "jobs", "bodies": []string{`{"city":"Faro"}`}}, false, `"count":1`)
	<-died
	r := startAssisted(t, dir, false)
	r.call("session", nil, false, `"workers":["app"]`)
	r.call("queues", nil, false, `"name":"dead"`)
	r.call("health", nil, false, `"queue":"jobs"`)
	r.call("messages", map[string]any{"queue": "dead", "contains": "faro"}, false, `"matches":1`)
	r.call("messages", map[string]any{"queue": "none"}, true, `Queue "none" does not exist`)
	r.call("messages", map[string]any{"queue": "dead", "state": "lost"}, true, "expected ready, delayed")
	r.call("messages", map[string]any{}, true, "queue")
	r.call("dead_letters", map[string]any{"queue": "dead"}, false, "no such city")
	r.call("objects", nil, false, `"name":"front"`)
	r.call("object", map[string]any{"object": "front"}, false, `"value":"\"seen\""`)
	r.call("object_sql", map[string]any{"object": "front", "sql": "SELECT 1 AS one"}, false, `"columns":["one"]`)
	r.call("object_sql", map[string]any{"object": "front", "sql": "DROP TABLE x"}, true, "")
	r.call("lanes", map[string]any{"queue": "none"}, true, "none")
	r.call("bookmarks", map[string]any{"object": "front"}, false, `"bookmark":"`)
	r.call("crons", nil, false, `"cron":"0 3 * * *"`)
	r.call("due", nil, false, `"kind":"retention"`)
	r.call("trace", map[string]any{"id": "ab"}, true, "first four digits")
	r.call("trace", map[string]any{"id": "0123456789"}, true, "is recorded")
	if _, err := r.client.CallTool(t.Context(), &mcp.CallToolParams{Name: "purge",
		Arguments: map[string]any{"queue": "dead"}}); err == nil {
		t.Error("an assistant that may only read purges a queue")
	}
	tools, err := r.client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if !tool.Annotations.ReadOnlyHint && !slices.Contains([]string{"run_tests", "replay"}, tool.Name) {
			t.Errorf("%s does not only read", tool.Name)
		}
	}
	w.call("settle_dead_letters", map[string]any{"queue": "dead", "action": "burn"}, true,
		"expected replay, skip or escalate")
	w.call("settle_dead_letters", map[string]any{"queue": "dead", "action": "skip"}, false, `"count":1`)
	w.call("pause", map[string]any{"queue": "jobs", "paused": true}, false, `"paused":true`)
	w.call("alarm", map[string]any{"object": "front", "action": "fire"}, true, "no alarm is set")
	w.call("run_cron", map[string]any{"worker": "app", "cron": "0 3 * * *"}, false, "ran 0 3")
	w.call("run_cron", map[string]any{"worker": "app", "cron": "1 3 * * *"}, true, "1 3 * * *")
	w.call("restore_object", map[string]any{"object": "front", "bookmark": "none"}, true, "bookmark")
	w.call("settle_lane", map[string]any{"queue": "jobs", "key": "k", "action": "burn"}, true,
		"expected retry or remove")
	w.call("settle_lane", map[string]any{"queue": "jobs", "key": "k", "action": "retry"}, true, "jobs")
	w.call("settle_lane", map[string]any{"queue": "jobs", "key": "k", "action": "remove", "id": "x"}, true, "")
	w.call("advance_time", map[string]any{"by": "1s"}, true, "only a virtual one can be moved")
	w.call("evict", map[string]any{"object": "front"}, false, `"evicted"`)
}

// linesOf is a writer that hands on whole lines.
type linesOf func(line string)

func (f linesOf) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		f(line)
	}
	return len(p), nil
}
