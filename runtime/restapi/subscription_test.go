package restapi

import (
	"strings"
	"testing"
)

// H-23: subscriptions are kept over a restart.
func TestSubscriptionsAreDurable(t *testing.T) {
	b := newBench(t)
	id := b.create("a")
	body := `{"name":"n","source":{"type":"workflows.workflow","workflow_name":"wf"},` +
		`"destination":{"type":"queues.queue","queue_id":"` + id + `"},"events":["instance.completed"]}`
	s := b.ok("POST", "/event_subscriptions/subscriptions", body)
	b.ok("PATCH", "/event_subscriptions/subscriptions/"+at(s, "id").(string), `{"enabled":false}`)
	again, err := openSideFile(b.api.side.path)
	if err != nil {
		t.Fatal(err)
	}
	if subs := again.data.Subscriptions; len(subs) != 1 || subs[0].Enabled || subs[0].Name != "n" {
		t.Errorf("after a restart: %+v", subs)
	}
	b.refused("POST", "/event_subscriptions/subscriptions", strings.Replace(body, "workflows.workflow", "nothing", 1),
		400, 10026)
	b.refused("POST", "/event_subscriptions/subscriptions", strings.Replace(body, id, "none", 1), 404, 11000)
	b.refused("GET", "/event_subscriptions/subscriptions/none", "", 404, CodeNoSubscription)
	if got := b.ok("GET", "/event_subscriptions/subscriptions?queue_id=other", ""); compact(t, got) != "[]" {
		t.Errorf("subscriptions of another queue: %v", got)
	}
}
