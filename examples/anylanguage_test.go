package examples

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"eddy/runtime"
	"eddy/runtime/trial"
)

const controlSchema = "../docs/control-api.schema.json"

// described is what the schema of the control API says.
type described struct {
	t        *testing.T
	compiler *jsonschema.Compiler
	Routes   []struct {
		Route, Does string
		Input       map[string]any
		Answer      map[string]any
	}
}

func describe(t *testing.T) *described {
	t.Helper()
	text, err := os.ReadFile(controlSchema)
	if err != nil {
		t.Fatal(err)
	}
	d := &described{t: t, compiler: jsonschema.NewCompiler()}
	d.compiler.AssertFormat()
	if err := json.Unmarshal(text, d); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.compiler.AddResource("control.json", doc); err != nil {
		t.Fatal(err)
	}
	return d
}

// fits tells what is wrong with a text that shall have the form at a place of the schema.
func (d *described) fits(place, text string) {
	d.t.Helper()
	form, err := d.compiler.Compile("control.json#" + place)
	if err != nil {
		d.t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		d.t.Fatalf("%v: %s", err, text)
	}
	if err := form.Validate(value); err != nil {
		d.t.Errorf("%v\n%s", err, text)
	}
}

// Every route of the schema does what a test in another language needs, and its answer has the form that is described.
func TestControlSchema(t *testing.T) {
	d := describe(t)
	var searcher *trial.Searcher
	s := runWith(t, func(o *runtime.Options) {
		o.PersistTo = ""
		searcher = trial.NewSearcher(*o, 1)
		o.Explorer = searcher
	}, "any-language/wrangler.jsonc")
	defer searcher.End()
	below := "" // where the session is
	called := map[string]bool{}
	// call asks a route, by its pattern and the path with values in it, and wants a text in the answer.
	call := func(route, path, body, want string) {
		t.Helper()
		method, pattern, _ := strings.Cut(route, " ")
		if path == "" {
			path = pattern
		}
		status, _, answer := s.do(method, "/cdn-cgi/eddy/api"+below+path, body)
		if status != 200 || !strings.Contains(answer, want) {
			t.Errorf("%s: %d %s, want %s", route, status, answer, want)
		}
		for i, r := range d.Routes {
			if r.Route != route {
				continue
			}
			called[route] = true
			place := fmt.Sprintf("/routes/%d", i)
			d.fits(place+"/answer", answer)
			if body != "" {
				d.fits(place+"/input", body)
			}
			return
		}
		t.Errorf("%s stands in no route of the schema", route)
	}
	refused := func(method, path, body, want string) {
		t.Helper()
		status, _, answer := s.do(method, "/cdn-cgi/eddy/api"+below+path, body)
		if status < 400 || !strings.Contains(answer, want) {
			t.Errorf("%s %s: %d %s, want a refusal with %s", method, path, status, answer, want)
		}
		d.fits("/$defs/Failure", answer)
	}

	driven := func() {
		call("GET /session", "", "", `"workers":["mailer"]`)
		call("GET /clock", "", "", `"virtual":true`)
		call("POST /clock/hold", "", "", `"held":true`)
		call("POST /clock/release", "", "", `"held":false`)
		call("GET /queues", "", "", `"name":"undelivered"`)
		call("POST /queues/{queue}/pause", "/queues/mails/pause", "", `"paused":true`)
		call("POST /queues/{queue}/messages", "/queues/mails/messages",
			`{"messages":[{"body":"{\"to\":\"ann@example.com\",\"text\":\"hello\"}"}]}`, `"count":1`)
		call("GET /queues/{queue}/messages", "/queues/mails/messages?limit=5", "", `ann@example.com`)
		refused("POST", "/queues/mails/drain", "", "nothing is due that could deliver mails with 1 messages")
		call("POST /drain", "", "", `"virtual":true`)
		call("POST /queues/{queue}/resume", "/queues/mails/resume", "", `"paused":false`)
		call("POST /queues/{queue}/fail", "/queues/mails/fail", `{"count":2,"error":"the network"}`, `"count":2`)
		call("POST /queues/{queue}/drain", "/queues/mails/drain", "", `"moved_ms":7215000`)
		call("GET /objects", "/objects?namespace=mailer-Mailbox", "", `"name":"ann@example.com"`)
		call("GET /objects/{object}/storage", "/objects/ann@example.com/storage?limit=10", "", `"value":"\"hello\""`)
		call("POST /objects/{object}/sql", "/objects/ann@example.com/sql", `{"sql":"SELECT 1 AS one"}`,
			`"columns":["one"]`)
		call("POST /objects/{object}/evict", "/objects/ann@example.com/evict", "", `"evicted":true`)
		call("POST /evict", "", "", `{}`)
		call("GET /alarms", "", "", `"name":"ann@example.com"`)
		call("GET /due", "/due?limit=5", "", `"kind":"alarm"`)
		call("GET /crons", "", "", `[]`)
		call("POST /crash", "", "", `{}`)
		call("GET /alarms", "", "", `"namespace":"mailer-Mailbox"`)
		call("POST /alarms/run", "", "", `"moved_ms":86400000`)
		call("GET /objects/{object}/storage", "/objects/ann@example.com/storage", "", `[]`)

		call("POST /queues/{queue}/messages", "/queues/mails/messages",
			`{"messages":[{"body":"{\"to\":\"bob@example.com\",\"text\":\"soon\"}"}],"delay_seconds":3600}`,
			`"count":1`)
		call("POST /queues/{queue}/deliver", "/queues/mails/deliver", `{}`, `"count":1`)
		refused("POST", "/queues/mails/deliver", `{"refs":["x"]}`, "was not issued by this server")
		call("POST /queues/{queue}/drain", "/queues/mails/drain", "", `"virtual":true`)
		call("POST /objects/{object}/alarm/fire", "/objects/bob@example.com/alarm/fire", "", `"name":"bob@example.com"`)
		call("POST /clock/advance", "", `{"ms":1}`, `"virtual":true`)
		call("GET /objects/{object}/storage", "/objects/bob@example.com/storage", "", `[]`)
		refused("DELETE", "/objects/bob@example.com/alarm", "", "has stored nothing")
		call("POST /queues/{queue}/messages", "/queues/mails/messages",
			`{"messages":[{"body":"{\"to\":\"cal@example.com\",\"text\":\"kept\"}"}]}`, `"count":1`)
		call("POST /queues/{queue}/drain", "/queues/mails/drain", "", `"virtual":true`)
		call("DELETE /objects/{object}/alarm", "/objects/cal@example.com/alarm", "", `"name":"cal@example.com"`)
		call("POST /clock/idle", "", "", `"virtual":true`)
		call("GET /objects/{object}/storage", "/objects/cal@example.com/storage", "", `"value":"\"kept\""`)

		call("POST /queues/{queue}/messages", "/queues/mails/messages",
			`{"messages":[{"body":"{\"to\":\"nobody\"}"}],"delay_seconds":60}`, `"count":1`)
		call("POST /clock/next", "", "", `"moved_ms":60000`)
		call("POST /clock/advance", "", `{"ms":1000}`, `"moved_ms":1000`)
		call("POST /clock/idle", "", "", `"virtual":true`)
		call("GET /queues/{queue}/dead-letters", "/queues/mails/dead-letters", "", `is no address`)
		call("GET /queues/{queue}/find", "/queues/undelivered/find?contains=NOBODY&state=ready", "", `"matches":1`)
		refused("GET", "/queues/undelivered/find?state=lost", "", "expected ready, delayed, in flight or held")
		call("GET /queues/{queue}/history", "/queues/mails/history", "", `"dead":1`)
		call("GET /queues/{queue}", "/queues/undelivered", "", `"backlog":1`)
		call("POST /queues/{queue}/purge", "/queues/undelivered/purge", "", `"count":1`)
		call("POST /queues/{queue}/messages", "/queues/undelivered/messages", `{"messages":[{"body":"1"}]}`,
			`"count":1`)
		call("POST /reset", "", "", `{}`)
		call("GET /queues/{queue}/messages", "/queues/undelivered/messages", "", `[]`)
		call("GET /objects", "", "", `[]`)

		refused("GET", "/queues/nothing", "", "does not exist")
		refused("POST", "/clock/advance", `{"ms":-1}`, "time does not run backwards")
		refused("POST", "/queues/mails/fail", `{"count":-1}`, "negative")
		refused("GET", "/queues/undelivered/dead-letters", "", "has no dead letter queue")
	}
	driven()

	// A trial is a session like any other.
	call("POST /explore", "", `{"orders":1,"seed":3,"crash":true,"exceptions":true}`, `"state":"running","trial":1`)
	below = "/explore/session"
	driven()
	below = ""
	call("POST /explore/verdict", "", `{"error":""}`, `"state":"running","trial":2`)
	call("POST /explore/requests", "", `{"url":"/ann@example.com","headers":{"a":"b"}}`, `"request":1`)
	call("GET /explore/requests/{request}", "/explore/requests/1", "", `"status":200`)
	call("GET /explore", "", "", `"seed":3`)
	refused("GET", "/explore/requests/1", "", "no response to request 1 is left")
	call("POST /explore/verdict", "", `{"error":"no mail"}`, `"shrinking":true`)
	call("DELETE /explore", "", "", `{}`)
	refused("POST", "/explore/verdict", "{}", "begin a search with POST /explore")

	page, err := os.ReadFile("../docs/control-api.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range d.Routes {
		if !called[r.Route] {
			t.Errorf("%s was not called", r.Route)
		}
		if !strings.Contains(string(page), "| `"+r.Route+"` | "+r.Does+" |") {
			t.Errorf("docs/control-api.md has no line for %s, which %s", r.Route, r.Does)
		}
	}
}

// A session that keeps its state is not emptied.
func TestResetIsForEphemeral(t *testing.T) {
	s := run(t, "any-language/wrangler.jsonc")
	status, _, answer := s.do("POST", "/cdn-cgi/eddy/api/reset", "")
	if status != 409 || !strings.Contains(answer, "eddy dev --ephemeral") {
		t.Error(status, answer)
	}
}
