package runtime

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"eddy/runtime/journal"
)

// Event subscriptions hear of what becomes of instances (FLOW-183), and the journal of each event, without values.
func TestWorkflowEvents(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", script("workflows", "events.jsonc"), "index.js",
		script("workflows", "events.js"))
	recorded := make(chan string, 1000)
	s := p.serve(func(o *Options) { o.Journal = JournalOn })
	defer s.workers.Journal().Watch(func(e *journal.Entry) {
		if w := e.Workflow; e.Kind == journal.InstanceEvent {
			recorded <- strings.Join(strings.Fields(w.Name+" "+w.Instance+" "+w.Event+" "+w.Step+" "+w.Error), " ")
		}
	})()
	subscribe := func(workflow string) {
		t.Helper()
		res, body := s.ask("POST", "/cdn-cgi/eddy/client/v4/accounts/a/event_subscriptions/subscriptions",
			`{"name":"`+workflow+`","source":{"type":"workflows.workflow","workflow_name":"`+workflow+`"},`+
				`"destination":{"type":"queues.queue","queue_id":"events"},"events":["instance.created",`+
				`"instance.queued","instance.started","instance.paused","instance.errored","instance.terminated",`+
				`"instance.completed"]}`)
		if res.StatusCode != http.StatusOK {
			t.Fatal(body)
		}
	}
	subscribe("flow")
	subscribe("other")
	s.wantLines(`Event subscription "other" is kept, but nothing fires it here: no Worker of this session has a ` +
		`workflow "other".`)
	s.expect("/good", "made")
	s.clock.Advance(t.Context(), time.Second)
	s.expect("/bad", "made")
	s.clock.Advance(t.Context(), time.Second)
	msgs, err := s.Broker().Peek(t.Context(), "events", 100)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, m := range msgs {
		_, text, _ := strings.Cut(string(m.Body), `"type":"cf.workflows.workflow.instance.`)
		typ, text, _ := strings.Cut(text, `","source":{"type":"workflows.workflow","workflowName":"flow"},`)
		text, _, _ = strings.Cut(text, `,"metadata":`)
		told = append(told, typ+" "+text)
	}
	const good, bad = `"payload":{"instanceId":"good","versionId":"local"}`, `"payload":{"instanceId":"bad",` +
		`"versionId":"local"}`
	want := []string{"created " + good, "queued " + good, "started " + good, "completed " + good,
		"created " + bad, "queued " + bad, "started " + bad, "errored " + bad}
	if got := strings.Join(told, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("told\n%s", got)
	}
	var seen []string
	for len(recorded) > 0 {
		seen = append(seen, <-recorded)
	}
	if got, want := strings.Join(seen, "\n"), strings.TrimSpace(script("workflows", "recorded")); got != want {
		t.Errorf("recorded\n%s\nwant\n%s", got, want)
	}
}
