package runtime

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var workflowKills = flag.Int("workflows.kills", 3, "how often TestWorkflowsSurviveKill kills its child process")

// A step runs once, a week's sleep passes on the clock of the session, and what the instance knows survives the end of
// the session and of the Worker (FLOW-1, FLOW-2, FLOW-15, FLOW-20, FLOW-70, FLOW-123, FLOW-157, X-11).
func TestWorkflowSleepsForAWeek(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", script("workflows", "wrangler.jsonc"), "index.js",
		script("workflows", "week.js"))
	state := filepath.Join(t.TempDir(), "state")
	keep := func(o *Options) { o.Persist, o.PersistTo = true, state }
	s := p.serve(keep)
	s.expect("/create", "i")
	s.clock.Advance(t.Context(), time.Second)
	s.expect("/status", `["waiting",null]`)
	s.expect("/lives", `{"lives":1,"calls":["one"]}`)
	s.clock.Advance(t.Context(), 24*time.Hour)
	s.end()

	s = p.serve(keep) // on a new clock, which begins a day earlier
	s.expect("/status", `["waiting",null]`)
	s.clock.Advance(t.Context(), 7*24*time.Hour-time.Second)
	s.expect("/lives", `{"lives":0,"calls":[]}`)
	s.clock.Advance(t.Context(), time.Second)
	s.expect("/status", `["complete",{"n":7,"slept":604800000,"event":["i","flow",true]}]`)
	s.expect("/lives", `{"lives":1,"calls":["two"]}`)
}

// Schedules start instances on the clock of the session, with an id that says which; the limits of steps and of
// instances that run at once and the retention are those of the configuration (FLOW-32, FLOW-131, FLOW-170, FLOW-180),
// and a stream is a result that a later life reads again (FLOW-29).
func TestWorkflowSettings(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", script("workflows", "scheduled.jsonc"), "index.js",
		script("workflows", "scheduled.js")).serve(func(o *Options) { o.Crons = true })
	s.clock.Advance(t.Context(), 90*time.Minute)
	const id = "0%20*%20*%20*%20*-1775048400000"
	s.expect("/?id="+id, `["complete",{"cron":"0 * * * *","scheduledTime":1775048400000,"payload":{}},null]`)
	s.expect("/create?id=two&params={%22steps%22:2}", "two")
	s.expect("/create?id=three&params={%22steps%22:3}", "three")
	s.expect("/create?id=busy&params={%22busy%22:60000}", "busy")
	s.expect("/create?id=next&params={}", "next")
	s.expect("/?id=next", `["queued",null,null]`)
	s.clock.Advance(t.Context(), time.Minute)
	s.expect("/?id=next", `["complete",{"payload":{}},null]`)
	s.expect("/create?id=stream&params={%22sized%22:1}", "stream")
	s.clock.Advance(t.Context(), time.Second)
	s.expect("/?id=two", `["complete",{"payload":{"steps":2}},null]`)
	s.expect("/?id=three", `["errored",null,"WorkflowFatalError: The limit of 2 steps has been reached. `+
		`This limit can be changed in your worker configuration."]`)
	s.clock.Advance(t.Context(), time.Hour)
	s.expect("/?id=stream", `["complete",[300000],null]`)
	s.clock.Advance(t.Context(), 24*time.Hour)
	s.expect("/?id="+id, "instance.not_found")
	s.expect("/?id=three", `["errored",null,"WorkflowFatalError: The limit of 2 steps has been reached. `+
		`This limit can be changed in your worker configuration."]`)
}

// The API that wrangler's commands use: workflows, instances, their steps, changes and events (FLOW-202, FLOW-203,
// FLOW-206).
func TestWorkflowAPI(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", script("workflows", "wrangler.jsonc"), "index.js",
		script("workflows", "api.js")).serve()
	ask := func(method, path, body, want string) {
		t.Helper()
		_, got := s.ask(method, "/cdn-cgi/local/explorer/api/workflows"+path, body)
		var all struct {
			Result json.RawMessage
			Errors []struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(got), &all); err != nil {
			t.Fatalf("%s %s: %v: %s", method, path, err, got)
		}
		got = string(all.Result)
		for _, e := range all.Errors {
			got = fmt.Sprint(e.Code, " ", e.Message)
		}
		if got != want {
			t.Errorf("%s %s\n got %s\nwant %s", method, path, got, want)
		}
	}
	ask("GET", "", "", `[{"name":"flow","class_name":"Flow","script_name":"w"}]`)
	ask("GET", "/none", "", "10501 Workflow 'none' not found.")
	ask("POST", "/flow/instances", `{"id":"a","params":{"n":[1,{"x":null}]}}`, `{"id":"a"}`)
	ask("POST", "/flow/instances", `{"id":"a b"}`, "10001 Workflow instance has invalid id")
	ask("GET", "/flow/instances/b", "", "10501 Workflow instance 'b' not found.")
	s.clock.Advance(t.Context(), time.Second)
	ask("GET", "/flow/instances?status=waiting", "",
		`[{"id":"a","status":"waiting","created_on":"2026-04-01T12:00:00.000Z"}]`)
	ask("PATCH", "/flow/instances/a/status", `{"status":"pause"}`,
		`{"status":"paused","timestamp":"2026-04-01T12:00:01.000Z"}`)
	s.clock.Advance(t.Context(), time.Minute)
	ask("PATCH", "/flow/instances/a/status", `{"status":"resume"}`,
		`{"status":"running","timestamp":"2026-04-01T12:01:01.000Z"}`)
	ask("POST", "/flow/instances/a/events/go", `{"now":true}`, `{"success":true}`)
	s.clock.Advance(t.Context(), time.Second)
	ask("GET", "/flow/instances/a", "", `{"end":"2026-04-01T12:01:02.000Z","error":null,"id":"a",`+
		`"output":{"n":[1,{"x":null}],"event":{"now":true}},"params":{"n":[1,{"x":null}]},`+
		`"queued":"2026-04-01T12:00:00.000Z",`+
		`"rollback":null,"start":"2026-04-01T12:00:00.000Z","status":"complete","step_count":1,"steps":[`+
		`{"attempts":[{"start":"2026-04-01T12:00:00.000Z","end":"2026-04-01T12:00:00.000Z","success":true,`+
		`"error":null}],`+
		`"config":{"retries":{"limit":5,"backoff":"exponential","delay":1000},"timeout":"10 minutes"},`+
		`"end":"2026-04-01T12:00:00.000Z","name":"one-1","output":[1,{"x":null}],"start":"2026-04-01T12:00:00.000Z",`+
		`"success":true,"type":"step"},`+
		`{"end":"2026-04-01T12:01:02.000Z","error":null,"finished":true,"name":"nap-1",`+
		`"start":"2026-04-01T12:00:00.000Z",`+
		`"type":"sleep"},`+
		`{"end":"2026-04-01T12:01:02.000Z","error":null,"finished":true,"name":"go-1","output":{"now":true},`+
		`"start":"2026-04-01T12:01:02.000Z","type":"waitForEvent"}],"success":true,"trigger":{"source":"api"},`+
		`"versionId":"local"}`)
	ask("PATCH", "/flow/instances/a/status", `{"status":"terminate"}`,
		"10001 WorkflowError: (instance.cannot_terminate) Cannot terminate instance since its on a finite state")
	// The answer has the state of an instant: the instance runs, or waits again already.
	_, again := s.ask("PATCH", "/cdn-cgi/local/explorer/api/workflows/flow/instances/a/status",
		`{"status":"restart","from":{"name":"go","type":"waitForEvent"}}`)
	if !strings.Contains(again, `"status":"running"`) && !strings.Contains(again, `"status":"waiting"`) {
		t.Errorf("restart: %s", again)
	}
	s.clock.Advance(t.Context(), time.Second)
	ask("GET", "/flow/instances?status=waiting", "",
		`[{"id":"a","status":"waiting","created_on":"2026-04-01T12:00:00.000Z"}]`)
	ask("POST", "/flow/instances/batch/delete", `{"instances":["a","b"]}`,
		`{"deleted":[{"id":"a"}],"errors":[{"id":"b","code":10400,"message":"workflows.api.error.instance.`+
			`not_found"}]}`)
	ask("GET", "/flow/instances", "", "[]")
}

// TestWorkflowsSurviveKill kills a process between the steps of its instances with SIGKILL, again and again. The next
// process goes on by itself, and a step whose result was stored does not run again (FLOW-23, FLOW-46, FLOW-62,
// FLOW-157).
func TestWorkflowsSurviveKill(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	dir := t.TempDir()
	for _, name := range []string{"wrangler.jsonc", "kill.js"} {
		text := strings.Replace(script("workflows", name), "index.js", "kill.js", 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	calls := map[string]int{} // the last attempt by instance and step; guarded by mu
	heard := make(chan string, 1000)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// What a killed process has asked for may be heard after what the next one asks for.
		attempt, _ := strconv.Atoi(r.URL.Query().Get("attempt")) // the end has none
		mu.Lock()
		calls[r.URL.Path] = max(calls[r.URL.Path], attempt)
		mu.Unlock()
		fmt.Fprint(w, attempt)
		heard <- r.URL.Path
	}))
	defer web.Close()
	const instances = 4
	made, ended := 0, map[string]bool{}
	for range *workflowKills {
		c := startChild(t, dir)
		if made < instances {
			if _, ok := c.ask(http.DefaultClient, fmt.Sprintf("/create?id=i%d&test=%s", made, web.URL)); !ok {
				t.Fatal("create was not answered")
			}
			made++
		}
		for range rng.IntN(4) {
			if len(ended) == made {
				break // nobody has anything to say any more
			}
			select {
			case path := <-heard:
				if strings.HasSuffix(path, "/end") {
					ended[path] = true
				}
			case <-c.ended:
				c.lives(t)
			}
		}
		c.kill()
	}
	c := startChild(t, dir)
	defer c.kill()
	for i := range made {
		id := fmt.Sprintf("i%d", i)
		for { // nobody touches the instance but by asking what it is at
			body, ok := c.ask(http.DefaultClient, "/status?id="+id)
			if !ok {
				t.Fatalf("%s: no status: %s", id, body)
			}
			var s struct {
				Status string
				Output []string
			}
			if err := json.Unmarshal([]byte(body), &s); err != nil {
				t.Fatalf("%s: %v: %s", id, err, body)
			}
			if s.Status == "running" || s.Status == "waiting" {
				continue
			}
			mu.Lock()
			for n, name := range map[int]string{0: "first", 1: "left", 2: "right", 4: "last"} {
				// The value is that of the last attempt: after it was stored nobody called again.
				if want := fmt.Sprint(calls["/"+id+"/"+name]); len(s.Output) != 5 || s.Output[n] != want {
					t.Errorf("%s: the last attempt of %s was the %s., and the instance has %v", id, name, want, body)
				}
			}
			mu.Unlock()
			if len(s.Output) == 5 && s.Output[3] != "early" {
				t.Errorf("%s: the event gave %q", id, s.Output[3])
			}
			break
		}
	}
}

// An error of a workflow's binding has the function that called it in its stack.
func TestWorkflowErrorShowsItsCaller(t *testing.T) {
	s := newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
  "workflows": [{ "binding": "FLOW", "name": "flow", "class_name": "Flow" }]}`,
		"index.js", `import { WorkflowEntrypoint } from "cloudflare:workers";
export class Flow extends WorkflowEntrypoint { async run() {} }
export default { async fetch(request, env) { await env.FLOW.get("none"); } };
`).serve()
	if _, body := s.ask("GET", "/", ""); !strings.HasPrefix(body, "Error: instance.not_found\n") ||
		!strings.Contains(body, "at async Object.fetch (") || !strings.Contains(body, "index.js:3:") {
		t.Errorf("got %s", body)
	}
}
