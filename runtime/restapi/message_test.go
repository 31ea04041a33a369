package restapi

import (
	"eddy/queues"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func pullQueue(b *bench, name, settings string) string {
	b.t.Helper()
	id := b.create(name)
	b.ok("POST", "/queues/"+id+"/consumers",
		`{"type":"http_pull","dead_letter_queue":"`+name+`-dlq","settings":`+settings+`}`)
	return "/queues/" + id
}

// H-9, H-10, X-7: json in base64, text plain.
func TestPullBodies(t *testing.T) {
	b := newBench(t)
	q := pullQueue(b, "a", `{}`)
	b.ok("POST", q+"/messages", `{"body": {"greeting" : "hello"}}`)
	b.ok("POST", q+"/messages", `{"body":"plain <ä>","content_type":"text"}`)
	res := b.ok("POST", q+"/messages/pull", `{}`)
	if at(res, "message_backlog_count") != 2.0 {
		t.Errorf("backlog %v, want 2: leased messages count (P-5)", at(res, "message_backlog_count"))
	}
	if got := at(res, "messages", 0, "body"); got != "eyJncmVldGluZyI6ImhlbGxvIn0=" {
		t.Errorf("json body %v", got)
	}
	if got := at(res, "messages", 1, "body"); got != "plain <ä>" {
		t.Errorf("text body %v", got)
	}
	if got := at(res, "messages", 0, "metadata", "CF-Content-Type"); got != "json" {
		t.Errorf("content type %v", got)
	}
	if got := b.ok("POST", q+"/messages/pull", `{}`); compact(t, at(got, "messages")) != "[]" { // H-11
		t.Errorf("a second puller got %v", at(got, "messages"))
	}
}

// BE-15: a JSON string sent as json stays a string: what was encoded twice must be decoded twice.
func TestDoublyEncodedBody(t *testing.T) {
	b := newBench(t)
	q := pullQueue(b, "a", `{}`)
	b.ok("POST", q+"/messages", `{"body":"{\"event_id\":\"e\"}","content_type":"json","delay_seconds":0}`)
	res := b.ok("POST", q+"/messages/pull", `{"batch_size":10,"visibility_timeout_ms":30000}`)
	body, err := base64.StdEncoding.DecodeString(at(res, "messages", 0, "body").(string))
	if err != nil || string(body) != `"{\"event_id\":\"e\"}"` {
		t.Errorf("body %s, %v", body, err)
	}
}

// H-7: pulling answers at once, with nothing if there is nothing; visibility_timeout is milliseconds too.
func TestPullVisibility(t *testing.T) {
	b := newBench(t)
	q := pullQueue(b, "a", `{}`)
	pulled := func(body string) int { return len(at(b.ok("POST", q+"/messages/pull", body), "messages").([]any)) }
	if n := pulled(`{}`); n != 0 {
		t.Errorf("an empty queue gave %d messages", n)
	}
	for _, key := range []string{"visibility_timeout_ms", "visibility_timeout"} {
		b.ok("POST", q+"/messages", `{"body":1}`)
		first := pulled(`{"` + key + `":1000}`)
		b.clock.Advance(t.Context(), 999*time.Millisecond)
		held := pulled(`{}`)
		b.clock.Advance(t.Context(), time.Millisecond)
		if back := pulled(`{}`); first != 1 || held != 0 || back != 1 {
			t.Errorf("%s: %d, %d while leased, %d after", key, first, held, back)
		}
		b.ok("POST", q+"/purge", `{"delete_messages_permanently":true}`)
	}
	for i := range 12 {
		b.ok("POST", q+"/messages", fmt.Sprintf(`{"body":%d}`, i))
	}
	if n := pulled(`{}`); n != 5 {
		t.Errorf("%d messages by default", n)
	}
}

// H-11, H-12, H-13, H-14, H-15: leases end by time, ack and retry; the last retry ends in the dead letter queue.
func TestLeases(t *testing.T) {
	b := newBench(t)
	q := pullQueue(b, "a", `{"max_retries":2,"visibility_timeout_ms":10000}`)
	b.ok("POST", q+"/messages", `{"body":1}`)
	lease := func() string {
		t.Helper()
		return at(b.ok("POST", q+"/messages/pull", `{}`), "messages", 0, "lease_id").(string)
	}
	first := lease()
	b.clock.Advance(t.Context(), 10*time.Second)
	second := lease()
	res := b.ok("POST", q+"/messages/ack",
		fmt.Sprintf(`{"retries":[{"lease_id":%q},{"lease_id":%q,"delay_seconds":30},{"lease_id":"x"}]}`, first, second))
	if at(res, "retryCount") != 1.0 || len(at(res, "warnings").(map[string]any)) != 2 {
		t.Errorf("retries of an old, a good and a wrong lease: %v", res)
	}
	if got := b.ok("POST", q+"/messages/pull", `{}`); compact(t, at(got, "messages")) != "[]" {
		t.Errorf("pulled before the retry's delay was over: %v", got)
	}
	b.clock.Advance(t.Context(), 30*time.Second)
	third := lease()
	b.ok("POST", q+"/messages/ack", fmt.Sprintf(`{"retries":[{"lease_id":%q}]}`, third))
	dead := must[[]queues.Peeked](t)(b.broker.DeadLetters(t.Context(), "a-dlq", queues.DeadLetterFilter{}))
	if len(dead) != 1 || dead[0].DeadLetter.Attempts != 3 || dead[0].DeadLetter.Source != "a" {
		t.Errorf("dead letters %v, want one with 3 attempts from a (D-7, Z0-11)", dead)
	}
	// A late ack is accepted (H-15).
	res = b.ok("POST", q+"/messages/ack", fmt.Sprintf(`{"acks":[{"lease_id":%q}]}`, first))
	if at(res, "ackCount") != 1.0 {
		t.Errorf("late ack: %v", res)
	}
}

// H-16: refs of a peek delete, and are no leases.
func TestPeekAndPurgeByRef(t *testing.T) {
	b := newBench(t)
	q := pullQueue(b, "a", `{}`)
	b.ok("POST", q+"/messages/batch", `{"messages":[{"body":1},{"body":2,"delay_seconds":9}]}`)
	peeked := b.ok("POST", q+"/messages/peek", `{"batch_size":10}`)
	if len(at(peeked, "messages").([]any)) != 2 || at(peeked, "messages", 0, "attempts") != 0.0 {
		t.Fatalf("peek %v", peeked)
	}
	ref := at(peeked, "messages", 1, "ref").(string)
	res := b.ok("POST", q+"/messages/purge", fmt.Sprintf(`{"refs":[{"ref":%q},{"ref":"no"}]}`, ref))
	if len(at(res, "warnings").(map[string]any)) != 1 {
		t.Errorf("warnings %v, want one for the wrong ref", res)
	}
	got := b.ok("POST", q+"/messages/pull", `{}`)
	if len(at(got, "messages").([]any)) != 1 || at(got, "messages", 0, "attempts") != 1.0 {
		t.Errorf("after the peek the first delivery is %v, want attempt 1", got)
	}
}

// H-6, H-8, H-22, D-17.
func TestMessageRefusals(t *testing.T) {
	b := newBench(t)
	plain := "/queues/" + b.create("plain")
	q := pullQueue(b, "a", `{}`)
	b.refused("POST", plain+"/messages/pull", `{}`, 400, CodePullDisabled)
	b.refused("POST", "/queues/none/messages", `{"body":1}`, 404, 10104)
	b.refused("POST", q+"/messages", `{`, 400, 10208)
	b.refused("POST", q+"/messages", "{\"body\":\"\xff\"}", 400, 10208)
	b.refused("POST", q+"/messages", `{}`, 400, 10207)
	b.refused("POST", q+"/messages", `[]`, 400, 10207)
	b.refused("POST", q+"/messages", `{"body":1,"content_type":"text"}`, 400, 10207)
	b.refused("POST", q+"/messages", `{"body":null,"content_type":"text"}`, 400, 10207)
	b.refused("POST", q+"/messages", `{"body":1,"content_type":"v8"}`, 400, 10203)
	b.refused("POST", q+"/messages", `{"body":1,"delay_seconds":86401}`, 400, 10203)
	b.refused("POST", q+"/messages/batch", `{"messages":[]}`, 400, 10207)
	b.refused("POST", q+"/messages/batch", `{"messages":[{"body":1}],"delay_seconds":-1}`, 400, 10202)
	b.refused("POST", q+"/messages/batch", `{"messages":[`+strings.Repeat(`{"body":1},`, 100)+`{"body":1}]}`, 400,
		10206)
	b.refused("POST", q+"/messages", `{"content_type":"text","body":"`+strings.Repeat("x", 128_001)+`"}`, 413, 10204)
	third := `{"content_type":"text","body":"` + strings.Repeat("x", 86_000) + `"}`
	b.refused("POST", q+"/messages/batch", `{"messages":[`+third+`,`+third+`,`+third+`]}`, 413, 10205)
	b.refused("POST", q+"/messages/pull", `{"batch_size":101}`, 400, 10207)
	b.refused("POST", q+"/messages/pull", `{"visibility_timeout_ms":43200001}`, 400, 10207)
	b.ok("PATCH", q, `{"settings":{"delivery_paused":true}}`)
	b.ok("POST", q+"/messages", `{"body":null}`) // sends are still accepted, and null is a body (P-7)
	b.refused("POST", q+"/messages/pull", `{}`, 409, 10252)
	_, e := b.call("POST", q+"/messages/pull", `{}`)
	if got := at(e, "errors", 0, "message"); got != "queue_delivery_paused" {
		t.Errorf("paused: %v", got)
	}
}

// Whatever bytes arrive, the answer is an envelope that either succeeded or says why not, and what is sent can be
// pulled.
func FuzzRESTBodies(f *testing.F) {
	for _, s := range []string{
		`{"body":1}`, `{"body":"x","content_type":"text","delay_seconds":0}`, `{"messages":[{"body":{}}]}`,
		`{"batch_size":3,"visibility_timeout_ms":5}`,
		`{"acks":[{"lease_id":"AAA"}],"retries":[{"lease_id":"","delay_seconds":1}]}`, `{"refs":[{"ref":"x"}]}`,
		`{"queue_name":"b","settings":null}`,
		`{"type":"http_pull","settings":{"batch_size":1e1}}`, `null`, `[]`, `{"body":"\ud800"}`, "\xff",
		`{"delete_messages_permanently":true}`,
		`{"name":"n","source":{"type":"kv"},"destination":{"type":"queues.queue","queue_id":"a"},"events":["e"]}`,
	} {
		for route := range 10 {
			f.Add(uint8(route), s)
		}
	}
	f.Fuzz(func(t *testing.T, route uint8, body string) {
		b := newBench(t)
		q := pullQueue(b, "a", `{}`)
		routes := []string{
			"POST /queues", "PATCH " + q, "PUT " + q, "POST " + q + "/messages", "POST " + q + "/messages/batch",
			"POST " + q + "/messages/pull",
			"POST " + q + "/messages/ack", "POST " + q + "/messages/purge", "POST " + q + "/purge",
			"POST /event_subscriptions/subscriptions",
		}
		method, path, _ := strings.Cut(routes[int(route)%len(routes)], " ")
		w := httptest.NewRecorder()
		b.api.ServeHTTP(w, httptest.NewRequest(method, Prefix+"/accounts/any"+path, strings.NewReader(body)))
		var e envelope
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || !utf8.Valid(w.Body.Bytes()) {
			t.Fatalf("%s %s: %q answers no envelope: %s", method, path, body, w.Body)
		}
		if w.Code >= 500 || e.Success != (w.Code == 200) || e.Success != (len(e.Errors) == 0) {
			t.Fatalf("%s %s: %q answers %d %s", method, path, body, w.Code, w.Body)
		}
		if strings.HasSuffix(path, "/messages") && e.Success {
			if got := b.ok("POST", q+"/messages/peek", `{}`); len(at(got, "messages").([]any)) != 1 {
				t.Fatalf("%q was accepted, but is not in the queue", body)
			}
		}
	})
}
