package runtime

import (
	"net/http"
	"strings"
	"testing"
)

// H-23: builds of the session's Workers are an event source that exists locally: a subscription of an earlier session
// hears of the start, and every reload is a build that succeeds or fails. Of other sources the developer is told that
// nothing fires.
func TestBuildEvents(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
		"queues": {"producers": [{"binding": "Q", "queue": "builds"}]}}`,
		"index.js", `export default { fetch() { return new Response("ok"); } };`)
	s := p.serve()
	const api = "/cdn-cgi/eddy/client/v4/accounts/a"
	subscribe := func(source, events string) {
		t.Helper()
		res, body := s.ask("POST", api+"/event_subscriptions/subscriptions",
			`{"name":"mine","source":`+source+`,"destination":{"type":"queues.queue","queue_id":"builds"},"events":`+
				events+`}`)
		if res.StatusCode != http.StatusOK {
			t.Fatal(body)
		}
	}
	told := func() (types string) {
		t.Helper()
		msgs, err := s.Broker().Peek(t.Context(), "builds", 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range msgs {
			_, typ, _ := strings.Cut(string(m.Body), `"type":"cf.workersBuilds.worker.build.`)
			typ, _, _ = strings.Cut(typ, `"`)
			types += typ + " "
		}
		return types
	}
	subscribe(`{"type":"workersBuilds.worker","worker_name":"w"}`, `["build.started","build.succeeded","build.failed"]`)
	subscribe(`{"type":"images"}`, `["image.uploaded"]`)
	s.wantLines(`Event subscription "mine" is kept, but nothing fires it here: source images does not exist locally.`)
	p.write("index.js", `export default {`)
	if err := s.Reload(t.Context(), ""); err == nil {
		t.Fatal("a Worker that does not parse was built")
	}
	p.write("index.js", `export default { fetch() { return new Response("again"); } };`)
	if err := s.Reload(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if got, want := told(), "started failed started succeeded "; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	s.end()
	s = p.serve()
	if got, want := told(), "started failed started succeeded started succeeded "; got != want {
		t.Errorf("after another start %q, want %q", got, want)
	}
	s.wantLines("source images does not exist locally")
}
