package runtime

import (
	"net/http"
	"runtime"
	"strings"
	"testing"

	"eddy/queues"
)

// sharing makes a session share a state directory, where others find it.
func sharing(state string) func(*Options) {
	return func(o *Options) { o.PersistTo, o.Listen, o.Port = state, true, -1 }
}

// awaitRunning returns when a session knows that another one runs a Worker.
func awaitRunning(s *served, name string) {
	for running := false; !running; {
		runtime.Gosched()
		_, running = s.workers.Sharing().Queues.Running(name)
	}
}

const (
	tailingConfig = `{ "name": "taker", "main": "index.js", "compatibility_date": "2026-04-01" }`
	tailedConfig  = `{ "name": "giver", "main": "index.js", "compatibility_date": "2026-04-01",
		"tail_consumers": [{ "service": "taker" }] }`
)

// A tail consumer in another session hears of the events in their order, whichever of the two owns the queues; who is
// not there yet hears from when it is.
func TestTailsBetweenSessions(t *testing.T) {
	for _, takerFirst := range []bool{true, false} {
		state := t.TempDir()
		taker := newProject(t, "wrangler.jsonc", tailingConfig, "index.js", script("between", "taker.js"))
		giver := newProject(t, "wrangler.jsonc", tailedConfig, "index.js", script("between", "giver.js"))
		var to, from *served
		if takerFirst {
			to = taker.serve(sharing(state))
			from = giver.serve(sharing(state))
		} else {
			from = giver.serve(sharing(state))
			from.ask("GET", "/unheard", "")
			to = taker.serve(sharing(state))
		}
		awaitRunning(from, "taker")
		from.ask("GET", "/one", "", "Cookie", "a=b")
		from.ask("GET", "/throw", "")
		from.ask("GET", "/two", "")
		to.out.await("heard giver", 3)
		at := 0
		for _, want := range []string{
			`heard giver ok /one 201 [["at","/one"]]  REDACTED a=b`,
			`heard giver exception /throw undefined [["at","/throw"]] thrown`,
			`heard giver ok /two 201 [["at","/two"]]`,
		} {
			i := strings.Index(to.out.String()[at:], want)
			if i < 0 {
				t.Fatalf("no line %q after byte %d of\n%s", want, at, to.out)
			}
			at += i
		}
		if strings.Contains(to.out.String(), "/unheard") {
			t.Errorf("it heard of what was before it")
		}
		to.end()
		from.end()
	}
}

// H-23: builds of a session that has joined another one are told to the subscriptions, which the owner of the queues
// has, like those of the owner's own.
func TestBuildEventsOfAGuest(t *testing.T) {
	state := t.TempDir()
	owner := newProject(t, "wrangler.jsonc", `{"name": "owner", "main": "index.js", "compatibility_date": "2026-04-01",
		"queues": {"producers": [{"binding": "Q", "queue": "builds"}]}}`,
		"index.js", `export default { fetch() { return new Response("ok"); } };`).serve(sharing(state))
	p := newProject(t, "wrangler.jsonc", `{"name": "guest", "main": "index.js", "compatibility_date": "2026-04-01"}`,
		"index.js", `export default { fetch() { return new Response("ok"); } };`)
	const api = "/cdn-cgi/eddy/client/v4/accounts/a"
	res, body := owner.ask("POST", api+"/event_subscriptions/subscriptions",
		`{"name":"mine","source":{"type":"workersBuilds.worker","worker_name":"guest"},"destination":{
			"type":"queues.queue","queue_id":"builds"},"events":["build.started","build.succeeded","build.failed"]}`)
	if res.StatusCode != http.StatusOK {
		t.Fatal(body)
	}
	arrived := make(chan struct{}, 100)
	stop, err := owner.Broker().Observe(func(queues.Activity) { arrived <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	guest := p.serve(sharing(state))
	p.write("index.js", `export default {`)
	if err := guest.Reload(t.Context(), ""); err == nil {
		t.Fatal("a Worker that does not parse was built")
	}
	told := func(want int) (types string) {
		for {
			msgs, err := owner.Broker().Peek(t.Context(), "builds", 100)
			if err != nil {
				t.Fatal(err)
			}
			if len(msgs) < want {
				<-arrived
				continue
			}
			for _, m := range msgs {
				_, typ, _ := strings.Cut(string(m.Body), `"type":"cf.workersBuilds.worker.build.`)
				typ, _, _ = strings.Cut(typ, `"`)
				types += typ + " "
			}
			return types
		}
	}
	if got, want := told(4), "started succeeded started failed "; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}
