package control

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"eddy/queues"
	"eddy/runtime/running"
)

// FuzzVerbs: whatever a local program sends to the control API, the answer is JSON: what it asked for, or a refusal
// that says why. Nothing is a failure of the session.
func FuzzVerbs(f *testing.F) {
	routes := []string{
		"POST /queues", "GET /queues/%s", "PATCH /queues/a", "DELETE /queues/%s", "POST /queues/a/messages",
		"GET /queues/a/messages?limit=%s", "POST /queues/a/remove", "POST /queues/%s/pause", "POST /queues/a/purge",
		"PUT /queues/a/consumer", "DELETE /queues/a/consumer", "POST /work", "GET /dlq", "POST /dlq/a/list",
		"POST /dlq/a/replay", "POST /dlq/a/skip", "POST /dlq/a/escalate", "POST /dlq/a/edit", "POST /subscriptions",
		"DELETE /subscriptions/%s", "POST /events", "GET /lanes/%s", "GET /lanes/jobs?after=%s",
		"GET /lanes/jobs/messages?key=%s", "POST /lanes/jobs/remove", "POST /clock/advance", "GET /%s",
	}
	for i := range routes {
		for _, body := range []string{
			`{}`, `{"name":"b"}`, `{"messages":[{"body":"x","content_type":"text"}]}`, `{"refs":["AAA"],"ids":["a"]}`,
			`{"by":"1h","seconds":9e99}`, `null`, `[`, `{"type":"worker","script":"w","batch_size":-1}`,
			`{"queue":"a","send":[{"body":"eA=="}],"want":2}`, `{"key":"k","id":"x","note":"n"}`,
		} {
			f.Add(uint8(i), "k", body)
		}
	}
	f.Fuzz(func(t *testing.T, route uint8, word, body string) {
		b := newBench(t)
		if err := b.broker.Declare(t.Context(), queues.Topology{Queues: []string{"a"}}); err != nil {
			t.Fatal(err)
		}
		job := queues.Outgoing{Body: []byte("1"), ContentType: queues.ContentJSON}
		if _, err := b.broker.LaneSend(t.Context(), "jobs", "k", job); err != nil {
			t.Fatal(err)
		}
		method, path, _ := strings.Cut(routes[int(route)%len(routes)], " ")
		at := strings.ReplaceAll(running.APIPrefix+path, "%s", url.QueryEscape(word))
		if strings.Contains(at, "clock/advance") && strings.Contains(body, "h") {
			return // an hour of virtual time may be a long way
		}
		w := httptest.NewRecorder()
		b.api.ServeHTTP(w, httptest.NewRequest(method, at, strings.NewReader(body)))
		if w.Code == http.StatusTemporaryRedirect || w.Code == http.StatusMovedPermanently {
			return // of a path with two slashes
		}
		if !json.Valid(w.Body.Bytes()) || w.Code >= 500 {
			t.Fatalf("%s %s %q answers %d %s", method, at, body, w.Code, w.Body)
		}
	})
}
