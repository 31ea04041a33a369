package examples

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"eddy/queues"
	"eddy/runtime"
)

func runZ0(t *testing.T) *session {
	t.Helper()
	return runWith(t, func(o *runtime.Options) { o.MetricsNamespace = "z0" }, "z0/wrangler.toml",
		"z0/endpoint/wrangler.toml")
}

// z0Message is a message of each purpose that fails as often as told (Z0-5).
func z0Message(purpose, id string, fail int) string {
	switch purpose {
	case "webhooks":
		return fmt.Sprintf(`{"webhook_config_id":"c","webhook_config_version":3,"fact_id":%q,`+
			`"fact_type":"invoice.paid","tenant_id":"t","payload":{"fail":%d},"attempt":0,`+
			`"first_attempted_at":"2026-04-01T12:00:00Z"}`, id, fail)
	case "projections":
		return fmt.Sprintf(`{"fact_id":%q,"fact_type":"invoice.paid","tenant_id":"t","entity_id":"e",`+
			`"timestamp":"2026-04-01T12:00:00Z","payload":{"fail":%d}}`, id, fail)
	case "fact-processing":
		return fmt.Sprintf(`{"fact_id":%q,"fact_type":"lead","subtype":"web","tenant_id":"t",`+
			`"processing_type":"qualification","payload":{"fail":%d}}`, id, fail)
	}
	return fmt.Sprintf(`{"batch_id":%q,"operation":"import","tenant_id":"t","items":[1,2,3],"offset":0,"total":3,`+
		`"payload":{"fail":%d}}`, id, fail)
}

func (s *session) sendZ0(purpose, body string) {
	s.t.Helper()
	if status, _, answer := s.do("POST", "/send/"+purpose, body); status != http.StatusAccepted {
		s.t.Fatalf("%s: %d %s", body, status, answer)
	}
}

func (s *session) queue(name string) queues.QueueInfo {
	s.t.Helper()
	q, err := s.server.Broker().Queue(s.t.Context(), name)
	if err != nil {
		s.t.Fatal(err)
	}
	return q
}

// z0Table is Z0-6, Z0-7 and Z0-8: for each purpose the delays after each failure, and the batch's size and wait.
var z0Table = []struct {
	purpose string
	delays  []int
	size    int
	wait    time.Duration
}{
	{"webhooks", []int{10, 20, 40, 80, 160}, 10, 5 * time.Second},
	{"projections", []int{1, 2, 4, 8, 16, 32, 60, 60, 60, 60}, 100, time.Second},
	{"fact-processing", []int{5, 10, 20, 40, 80}, 50, 2 * time.Second},
	{"batch", []int{30, 60, 120}, 10, 10 * time.Second},
}

// Z0-6, Z0-7: what never succeeds is tried max+1 times, each time later by the table's delay and the wait for a batch;
// then it is in the dead letter queue, with its record (Z0-11), and counted with its reason (Z0-13).
func TestZ0Retries(t *testing.T) {
	s := runZ0(t)
	for _, row := range z0Table {
		s.sendZ0(row.purpose, z0Message(row.purpose, row.purpose, 99))
	}
	s.clock.Advance(t.Context(), time.Hour)
	for _, row := range z0Table {
		var at []int64
		if err := json.Unmarshal([]byte(s.get("/attempts/"+row.purpose)), &at); err != nil {
			t.Fatal(err)
		}
		var got []int
		for i := 1; i < len(at); i++ {
			got = append(got, int((at[i]-at[i-1])/1000)-int(row.wait/time.Second))
		}
		if fmt.Sprint(got) != fmt.Sprint(row.delays) {
			t.Errorf("%s: tried again after %v, want %v", row.purpose, got, row.delays)
		}
		dead, err := s.server.Broker().DeadLetters(t.Context(), "z0-"+row.purpose+"-dlq", queues.DeadLetterFilter{})
		if err != nil || len(dead) != 1 {
			t.Fatalf("%s: dead letters %v, %v", row.purpose, dead, err)
		}
		record := dead[0].DeadLetter
		if record.Source != "z0-"+row.purpose || record.Attempts != len(row.delays)+1 ||
			record.LastAttempt.UnixMilli() != at[len(at)-1] || record.FirstAttempt.UnixMilli() != at[0] {
			t.Errorf("%s: record %+v", row.purpose, record)
		}
	}
	metrics := s.get("/cdn-cgi/eddy/metrics")
	for _, line := range []string{
		`z0_queue_dlq_total{queue="z0-webhooks",reason="retry"} 1`,
		`z0_queue_messages_retried_total{queue="z0-batch"} 3`,
		`z0_queue_messages_received_total{queue="z0-projections"} 11`,
		`z0_queue_messages_sent_total{queue="z0-fact-processing"} 1`,
	} {
		if !strings.Contains(metrics, "\n"+line) {
			t.Errorf("no %s in\n%s", line, metrics)
		}
	}
}

// Z0-3, Z0-4, Z0-16: the queues of the TOML file, their names, their dead letter queues, whose retention can be 14
// days. Z0-8: size and wait, as configured and as delivered.
func TestZ0Topology(t *testing.T) {
	s := runZ0(t)
	all, err := s.server.Broker().Queues(t.Context())
	if err != nil || len(all) != 10 {
		t.Fatalf("%d queues, %v", len(all), err)
	}
	pattern := regexp.MustCompile(`^z0-(tenant-[a-z]+-)?(webhooks|projections|fact-processing|batch)(-dlq)?$`)
	for _, q := range all {
		if !pattern.MatchString(q.Name) {
			t.Errorf("queue %s", q.Name)
		}
	}
	for _, row := range z0Table {
		c := s.queue("z0-" + row.purpose).Consumer.Config
		if c.MaxBatchSize != row.size || c.MaxBatchTimeout != row.wait || c.MaxRetries != len(row.delays) ||
			c.DeadLetterQueue != "z0-"+row.purpose+"-dlq" {
			t.Errorf("%s: %+v", row.purpose, c)
		}
		status, _, body := s.do("PATCH", "/cdn-cgi/eddy/api/queues/"+c.DeadLetterQueue, `{"retention_seconds":1209600}`)
		if got := s.queue(c.DeadLetterQueue).Settings.Retention; status != http.StatusOK || got != 14*24*time.Hour {
			t.Errorf("retention of %s is %v: %d %s", c.DeadLetterQueue, got, status, body)
		}
	}
	for i := range 101 {
		s.sendZ0("projections", z0Message("projections", fmt.Sprint("p", i), 0))
	}
	s.clock.Advance(t.Context(), 0)
	if out := s.out.String(); !strings.Contains(out, "QUEUE z0-projections 100/100") {
		t.Errorf("no full batch: %s", out)
	}
	s.clock.Advance(t.Context(), time.Second)
	if out := s.out.String(); !strings.Contains(out, "QUEUE z0-projections 1/1") {
		t.Errorf("the rest did not follow: %s", out)
	}
	// A tenant's shard.
	s.sendZ0("batch", strings.Replace(z0Message("batch", "b", 0), `"tenant_id":"t"`, `"tenant_id":"abc"`, 1))
	if got := s.queue("z0-tenant-abc-batch").Metrics.BacklogCount; got != 1 {
		t.Errorf("%d messages in the tenant's queue", got)
	}
	s.clock.Advance(t.Context(), 10*time.Second)
	s.expect("/", `{"facts":0,"projections":101,"items":3,"payloads":0}`)
}

// Z0-5: a message of the wrong shape is not sent. Z0-9: a batch is settled message by message. Z0-10: what comes twice
// is done once.
func TestZ0Consumers(t *testing.T) {
	s := runZ0(t)
	for body, want := range map[string]string{
		`{}`: "webhook_config_id, webhook_config_version, fact_id, fact_type, tenant_id, payload, attempt, " +
			"first_attempted_at",
		strings.Replace(z0Message("webhooks", "x", 0), `"webhook_config_version":3`, `"webhook_config_version":1.5`,
			1): "webhook_config_version",
	} {
		if status, _, got := s.do("POST", "/send/webhooks", body); status != http.StatusBadRequest ||
			got != `{"error":"missing or wrong: `+want+`"}` {
			t.Errorf("%s: %d %s", body, status, got)
		}
	}
	if status, _, got := s.do("POST", "/send/fact-processing",
		strings.Replace(z0Message("fact-processing", "x", 0), "qualification", "guess",
			1)); status != http.StatusBadRequest || !strings.Contains(got, "processing_type") {
		t.Errorf("an unknown processing_type: %d %s", status, got)
	}
	for range 2 {
		s.sendZ0("projections", z0Message("projections", "same", 0))
		s.sendZ0("fact-processing", z0Message("fact-processing", "same", 0))
		s.sendZ0("batch", z0Message("batch", "same", 0))
		s.sendZ0("webhooks", z0Message("webhooks", "same", 0))
	}
	s.sendZ0("projections", z0Message("projections", "unlucky", 1))
	s.clock.Advance(t.Context(), time.Second)
	if out := s.out.String(); !strings.Contains(out, "QUEUE z0-projections 2/3") {
		t.Errorf("the good ones were not acknowledged for themselves: %s", out)
	}
	s.clock.Advance(t.Context(), time.Minute)
	s.expect("/", `{"facts":2,"projections":2,"items":3,"payloads":0}`)
	h, err := s.server.Handler("z0-endpoint")
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t, h, "GET", "/", ""); got != `{"c:3:same":2}` {
		t.Errorf("the endpoint saw %s, want both deliveries under one idempotency key", got)
	}
}

// Z0-19: the fact that triggers, the queue, the endpoint that refuses once, the fact that it was sent; the trace goes
// all the way. Z0-12: what failed for good is replayed, skipped with a note, or escalated. Z0-17: a payload that is too
// big travels by reference and is gone after it was processed.
func TestZ0Workflows(t *testing.T) {
	s := runZ0(t)
	if status, _, body := s.do("POST", "/webhook", `{"webhook_config_id":"c","tenant_id":"t","payload":{"fail":1}}`,
		"X-Trace-Id", "trace-1"); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, body)
	}
	s.clock.Advance(t.Context(), 5*time.Second)
	if got := s.get("/facts"); strings.Count(got, `"trace_id":"trace-1"`) != 1 ||
		strings.Contains(got, "webhook_sent") {
		t.Errorf("after a refusal: %s", got)
	}
	s.clock.Advance(t.Context(), 15*time.Second)
	if got := s.get("/facts"); strings.Count(got, `"trace_id":"trace-1"`) != 2 ||
		!strings.Contains(got, `"type":"webhook_sent"`) {
		t.Errorf("after the retry: %s", got)
	}

	for _, id := range []string{"one", "two", "three"} {
		s.sendZ0("batch", z0Message("batch", id, 4))
	}
	s.clock.Advance(t.Context(), time.Hour)
	if got := s.get("/cdn-cgi/eddy/api/health"); !strings.Contains(got, `"dlq":3`) {
		t.Errorf("no alert: %s", got)
	}
	ids := map[string]string{}
	dead, err := s.server.Broker().DeadLetters(t.Context(), "z0-batch-dlq", queues.DeadLetterFilter{})
	if err != nil || len(dead) != 3 {
		t.Fatalf("dead letters %v, %v", dead, err)
	}
	for _, d := range dead {
		ids[fmt.Sprint(asJSON(t, string(d.Body))["batch_id"])] = d.ID.String()
	}
	for action, id := range map[string]string{"replay": "one", "skip": "two", "escalate": "three"} {
		status, _, body := s.do("POST", "/cdn-cgi/eddy/api/dlq/z0-batch-dlq/"+action,
			`{"ids":["`+ids[id]+`"],"note":"reconciliation"}`)
		if status != http.StatusOK || strings.TrimSpace(body) != `{"count":1}` {
			t.Errorf("%s: %d %s", action, status, body)
		}
	}
	s.clock.Advance(t.Context(), 10*time.Second)
	if got := asJSON(t, s.get("/"))["items"]; got != 3.0 {
		t.Errorf("%v items after the replay, want those of one batch", got)
	}
	if got := s.queue("z0-batch-dlq").Metrics.BacklogCount; got != 1 {
		t.Errorf("%d dead letters left, want the escalated one", got)
	}
	if notes := s.get("/cdn-cgi/eddy/api/notes"); !strings.Contains(notes, "reconciliation") {
		t.Errorf("notes %s", notes)
	}

	s.sendZ0("projections", strings.Replace(z0Message("projections", "big", 0), `"payload":{`,
		`"payload":{"text":"`+strings.Repeat("x", 200_000)+`",`, 1))
	if got := asJSON(t, s.get("/"))["payloads"]; got != 1.0 {
		t.Errorf("%v payloads kept", got)
	}
	s.clock.Advance(t.Context(), time.Second)
	if got := asJSON(t, s.get("/")); got["payloads"] != 0.0 || got["projections"] != 1.0 {
		t.Errorf("after processing: %v", got)
	}
}
