package journal

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wranglerTail has the fields that wrangler 4 expects in a line of wrangler tail, by the type of its value: those of
// the envelope, of an exception, of a log line and of each event. They were read in packages/wrangler/src/tail of
// cloudflare/workers-sdk at f8308360. A question mark behind a type says that the field may be absent.
var wranglerTail = map[string]map[string]string{
	"": {"outcome": "string", "scriptName": "string?", "entrypoint": "string?", "exceptions": "array",
		"logs": "array", "eventTimestamp": "number", "event": "object"},
	"exceptions": {"name": "string", "message": "any", "timestamp": "number", "stack": "string?"},
	"logs":       {"message": "array", "level": "string", "timestamp": "number"},
	"fetch":      {"request": "object"},
	"request":    {"cf": "object?", "headers": "object", "method": "string", "url": "string"},
	"scheduled":  {"cron": "string", "scheduledTime": "number"},
	"alarm":      {"scheduledTime": "string"},
	"email":      {"mailFrom": "string", "rcptTo": "string", "rawSize": "number"},
	"queue":      {"queue": "string", "batchSize": "number"},
	"rpc":        {"rpcMethod": "string"},
}

// beyondWrangler are the fields that wrangler's types do not have: the platform's own, and eddy's ids.
var beyondWrangler = map[string][]string{
	"": {"cpuTime", "diagnosticsChannelEvents", "durableObjectId", "eddy", "executionModel",
		"truncated", "wallTime"},
	"fetch": {"response"},
}

// eddy tail prints what wrangler tail prints, field by field.
func TestTailHasWranglersShape(t *testing.T) {
	events := map[Kind]Entry{
		Fetch: {Request: &Request{Method: "GET", URL: "http://a/", CF: `{"colo":"LIS"}`, Status: 200,
			Header: map[string][]string{"Accept": {"*/*"}}}},
		Scheduled: {Schedule: &Schedule{"* * * * *", 1000}},
		Alarm:     {AlarmAt: 1000, Object: &Object{"shop-Cart", "ab", "c"}},
		Email:     {Mail: &Mail{From: "a@example.com", To: "b@example.com", Size: 20}},
		Queue:     {Delivery: &Delivery{Queue: "jobs", Messages: []Message{{Attempts: 1, Outcome: Ack}}}},
		RPC:       {RPCMethod: "add"},
	}
	for kind, e := range events {
		e.Kind, e.At, e.Worker, e.Entrypoint, e.Outcome = kind, 5_000_000, "shop", "Main", "exception"
		e.Logs = []Log{{"log", 5001, `["a",{"b":1}]`}, {"warn", 5002, "cut"}}
		e.Exceptions = []Exception{{"TypeError", "no", "    at f", 5003}}
		text, err := json.Marshal(e.Item())
		if err != nil {
			t.Fatal(err)
		}
		var item map[string]any
		if err := json.Unmarshal(text, &item); err != nil {
			t.Fatal(err)
		}
		wranglers(t, "", item)
		for _, part := range []string{"exceptions", "logs"} {
			for _, one := range item[part].([]any) {
				wranglers(t, part, one.(map[string]any))
			}
		}
		event := item["event"].(map[string]any)
		wranglers(t, string(kind), event)
		if request, ok := event["request"]; ok {
			wranglers(t, "request", request.(map[string]any))
		}
		if item["eventTimestamp"] != 5000.0 {
			t.Errorf("%s: eventTimestamp is %v, want milliseconds", kind, item["eventTimestamp"])
		}
	}
}

// wranglers compares an object with the fields of a part.
func wranglers(t *testing.T, part string, has map[string]any) {
	t.Helper()
	want := wranglerTail[part]
	got := map[string]string{}
	for name, v := range has {
		if slices.Contains(beyondWrangler[part], name) {
			continue
		}
		got[name] = jsonType(v)
		switch want[name] {
		case "any":
			got[name] = "any"
		case got[name] + "?":
			got[name] += "?"
		}
	}
	for name, kind := range want {
		if _, ok := got[name]; !ok && kind[len(kind)-1] == '?' {
			got[name] = kind
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("part %q (-wrangler +eddy):\n%s", part, diff)
	}
}

func jsonType(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "other"
}
