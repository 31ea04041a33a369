package restapi

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"eddy/queues"
)

// H-2, H-3: creation, PUT as replacement, PATCH as change.
func TestQueueLifeOverREST(t *testing.T) {
	b := newBench(t)
	q := b.ok("POST", "/queues", `{"queue_name":"a","settings":{"delivery_delay":7},"jurisdiction":"eu"}`)
	if got, want := compact(t, at(q, "settings")),
		`{"delivery_delay":7,"delivery_paused":false,"message_retention_period":345600}`; got != want {
		t.Errorf("settings %s, want %s", got, want)
	}
	if at(q, "jurisdiction") != "eu" { // D-24
		t.Errorf("jurisdiction %v", at(q, "jurisdiction"))
	}
	var keys []string
	for k := range q.(map[string]any) {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if got, want := strings.Join(keys, " "), "consumers consumers_total_count created_on jurisdiction modified_on "+
		"producers producers_total_count queue_id queue_name settings"; got != want {
		t.Errorf("a queue has %s, want %s", got, want)
	}
	id := at(q, "queue_id").(string)
	if len(id) != 32 {
		t.Errorf("id %q is not of 32 characters", id)
	}
	q = b.ok("PATCH", "/queues/"+id, `{"settings":{"message_retention_period":60}}`)
	if got, want := compact(t, at(q, "settings")),
		`{"delivery_delay":7,"delivery_paused":false,"message_retention_period":60}`; got != want {
		t.Errorf("after PATCH %s, want %s", got, want)
	}
	q = b.ok("PUT", "/queues/"+id, `{"queue_name":"b"}`)
	if got, want := compact(t, at(q, "settings")),
		`{"delivery_delay":0,"delivery_paused":false,"message_retention_period":345600}`; got != want ||
		at(q, "queue_name") != "b" {
		t.Errorf("after PUT %v, want name b and %s", q, want)
	}
	if r := b.ok("DELETE", "/queues/"+id, ""); r != nil {
		t.Errorf("DELETE gives %v, want null", r)
	}
	b.refused("GET", "/queues/"+id, "", 404, 11000)
}

// T-4: wrangler looks queues up by name only; pages count.
func TestQueueListing(t *testing.T) {
	b := newBench(t)
	for _, n := range []string{"a", "b", "c"} {
		b.create(n)
	}
	if got := b.ok("GET", "/queues?page=1&name=b", ""); len(got.([]any)) != 1 || at(got, 0, "queue_name") != "b" {
		t.Errorf("?name=b gives %v", got)
	}
	if got := b.ok("GET", "/queues?name=a&name=c", ""); len(got.([]any)) != 2 {
		t.Errorf("two names give %v", got)
	}
	if got := b.ok("GET", "/queues?name=x", ""); compact(t, got) != "[]" {
		t.Errorf("an unknown name gives %v, want []", got)
	}
	_, e := b.call("GET", "/queues?page=2&per_page=2", "")
	if got, want := compact(t, e["result_info"]),
		`{"count":1,"page":2,"per_page":2,"total_count":3,"total_pages":2}`; got != want {
		t.Errorf("result_info %s, want %s", got, want)
	}
}

// H-18: any token of any account is taken, and none; nobody here could check them.
func TestAnyTokenIsTaken(t *testing.T) {
	b := newBench(t)
	b.create("a")
	for _, token := range []string{"", "Bearer x", "Bearer y", "Basic eA=="} {
		for _, account := range []string{"one", "two"} {
			r := httptest.NewRequest("GET", Prefix+"/accounts/"+account+"/queues", nil)
			if token != "" {
				r.Header.Set("Authorization", token)
			}
			w := httptest.NewRecorder()
			b.api.ServeHTTP(w, r)
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"queue_name":"a"`) {
				t.Errorf("account %s, token %q: %d %s", account, token, w.Code, w.Body)
			}
		}
	}
}

// H-1: every refusal has the envelope, which refused checks. K-9, K-10, K-11, H-17, H-19, H-20.
func TestQueueRefusals(t *testing.T) {
	b := newBench(t)
	id := b.create("a")
	for _, settings := range []string{
		`{"delivery_delay":-1}`, `{"delivery_delay":86401}`, `{"delivery_delay":1.5}`, `{"delivery_delay":"1"}`,
		`{"message_retention_period":59}`,
		`{"message_retention_period":1209601}`, `{"delivery_paused":"yes"}`, `[]`,
	} {
		b.refused("PATCH", "/queues/"+id, `{"settings":`+settings+`}`, 400, 100128)
	}
	for _, name := range []string{"", "-a", "a-", "A", "a_b", "a b"} {
		b.refused("POST", "/queues", `{"queue_name":"`+name+`"}`, 400, 11003)
	}
	b.refused("POST", "/queues", `{"queue_name":"a"}`, 409, 11009)
	b.refused("POST", "/queues", `{"queue_name":1}`, 400, 10026)
	b.refused("POST", "/queues", `{`, 400, 10026)
	b.refused("GET", "/nothing", "", 404, 7003)
	if _, err := b.broker.CreateQueue(context.Background(), "bound", queues.DefaultQueueSettings()); err != nil {
		t.Fatal(err)
	}
	b.refused("DELETE", "/queues/bound", "", 409, 11005)
	if got := at(b.ok("GET", "/queues/bound", ""), "producers", 0, "script"); got != "w" {
		t.Errorf("producer %v, want w", got)
	}
}

// H-1, H-19: what has another shape than expected is refused in JSON's words, with the place.
func TestShapeRefusals(t *testing.T) {
	b := newBench(t)
	q := "/queues/" + b.create("a")
	for _, c := range []struct{ path, body, want string }{
		{q + "/messages", `[]`, `the request body should be an object, not array`},
		{q + "/messages/batch", `{"messages":{}}`, `"messages" should be an array, not object`},
		{q + "/messages/batch", `{"messages":[{"body":1,"delay_seconds":"1"}]}`,
			`"messages.delay_seconds" should be an integer, not string`},
		{q + "/messages/pull", `{"batch_size":1.5}`, `"batch_size" should be an integer, not number 1.5`},
		{"/queues", `{"queue_name":1}`, `"queue_name" should be a string, not number`},
		{q + "/consumers", `{"type":"http_pull","settings":"x"}`, `settings should be an object, not string`},
		{"/queues", `{"queue_name":"b","settings":{"delivery_paused":"yes"}}`,
			`"delivery_paused" should be a boolean, not string`},
	} {
		_, e := b.call("POST", c.path, c.body)
		errs := e["errors"].([]any)
		if got := at(errs, len(errs)-1, "message"); got != c.want {
			t.Errorf("POST %s %s: %v, want %s", c.path, c.body, got, c.want)
		}
	}
}

// D-18: a purge deletes what waits; its status is kept.
func TestPurge(t *testing.T) {
	b := newBench(t)
	id := b.create("a")
	b.ok("POST", "/queues/"+id+"/messages", `{"body":1,"delay_seconds":60}`)
	b.refused("POST", "/queues/"+id+"/purge", `{}`, 400, 10026)
	if got := at(b.ok("POST", "/queues/"+id+"/purge", `{"delete_messages_permanently":true}`),
		"started_at"); got != "2026-04-01T00:00:00Z" {
		t.Errorf("started_at %v", got)
	}
	if got := compact(
		t, b.ok("GET", "/queues/"+id+"/metrics", "")); got != `{"backlog_bytes":0,"backlog_count":0,`+
		`"oldest_message_timestamp_ms":0}` {
		t.Errorf("metrics after the purge: %s", got)
	}
	if got := compact(
		t, b.ok("GET", "/queues/"+id+"/purge", "")); got != `{"completed":"true","started_at":"2026-04-01T00:00:00Z"}` {
		t.Errorf("status %s", got)
	}
}

// meanwhile is a request's body that does something else when it is first read.
type meanwhile struct {
	io.Reader
	do func()
}

func (m *meanwhile) Read(p []byte) (int, error) {
	if m.do != nil {
		m.do()
		m.do = nil
	}
	return m.Reader.Read(p)
}

// Two PATCHes at one moment: the second is decided on what the first has left, also when that is another name.
func TestPatchesAtOneMoment(t *testing.T) {
	b := newBench(t)
	id := b.create("a")
	w := httptest.NewRecorder()
	b.api.ServeHTTP(w, httptest.NewRequest("PATCH", Prefix+"/accounts/any/queues/"+id, &meanwhile{
		strings.NewReader(`{"settings":{"delivery_delay":7}}`),
		func() { b.ok("PATCH", "/queues/"+id, `{"queue_name":"b","settings":{"message_retention_period":60}}`) },
	}))
	if w.Code != http.StatusOK {
		t.Fatalf("the second PATCH: %d %s", w.Code, w.Body)
	}
	q := b.ok("GET", "/queues/"+id, "")
	want := `{"delivery_delay":7,"delivery_paused":false,"message_retention_period":60}`
	if got := compact(t, at(q, "settings")); got != want || at(q, "queue_name") != "b" {
		t.Errorf("queue %v has %s, want b with %s", at(q, "queue_name"), got, want)
	}
	b.ok("DELETE", "/queues/"+id, "")
	b.refused("PATCH", "/queues/"+id, `{}`, 404, CodeNoQueue)
}
