package examples

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// brandEngine is the five Workers of the example, with the Worker that answers for Workers AI.
type brandEngine struct {
	*session
	gatherfeed, publisher, social, dead http.Handler
}

func brandConfigs() (configs []string) {
	for _, w := range []string{"strategist", "gatherfeed", "publisher", "social", "deadletters", "model"} {
		configs = append(configs, "brand-engine/"+w+"/wrangler.jsonc")
	}
	return configs
}

func runBrandEngine(t *testing.T) brandEngine {
	t.Helper()
	s := run(t, brandConfigs()...)
	worker := func(name string) http.Handler {
		h, err := s.server.Handler(name)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	return brandEngine{s, worker("gatherfeed"), worker("publisher"), worker("social"), worker("deadletters")}
}

// post sends a command to the strategist.
func (b brandEngine) post(path, body string) map[string]any {
	b.t.Helper()
	status, _, answer := b.do("POST", path, body)
	if status != http.StatusAccepted {
		b.t.Fatalf("%s %s: %d %s", path, body, status, answer)
	}
	if answer == "" {
		return nil
	}
	return asJSON(b.t, answer)
}

// post200 sends what is answered at once.
func (b brandEngine) post200(path, body, want string) {
	b.t.Helper()
	if status, _, got := b.do("POST", path, body); status != http.StatusOK || got != want {
		b.t.Fatalf("POST %s: %d %s, want %s", path, status, got, want)
	}
}

func (b brandEngine) count(kind string) any { return asJSON(b.t, b.get("/"))[kind] }

// logged are the entries of BE-16 that the Workers wrote.
type logged struct {
	Action, Type, Source string
	Event                string `json:"event_id"`
	Correlation          string `json:"correlation_id"`
	Attempt              int
	Queued               time.Time `json:"queue_timestamp"`
	Delay                *int64    `json:"processing_delay_ms"`
}

func (b brandEngine) log() (out []logged) {
	b.t.Helper()
	for line := range strings.Lines(b.out.String()) {
		_, text, ok := strings.Cut(line, `{"action"`)
		if !ok {
			continue
		}
		var l logged
		if err := json.Unmarshal([]byte(`{"action"`+text), &l); err != nil {
			b.t.Fatalf("%v: %s", err, line)
		}
		out = append(out, l)
	}
	return out
}

// BE-1, BE-6: commands go to the queue of the service that does them, events to one queue; sizes, waits and dead letter
// queues.
func TestBrandEngineTopology(t *testing.T) {
	b := runBrandEngine(t)
	for _, c := range []struct {
		queue, consumer, producers string
		size                       int
		wait                       time.Duration
	}{
		{"gatherfeed-commands", "gatherfeed", "deadletters strategist", 5, 10 * time.Second},
		{"publish-commands", "publisher", "deadletters strategist", 10, 5 * time.Second},
		{"social-commands", "social", "deadletters strategist", 10, 5 * time.Second},
		{"sm-commands", "strategist", "deadletters strategist", 10, 5 * time.Second},
		{"brand-events", "strategist", "deadletters gatherfeed publisher social strategist", 10, 5 * time.Second},
	} {
		got := b.queue(c.queue).Consumer.Config
		if got.Script != c.consumer || got.MaxBatchSize != c.size || got.MaxBatchTimeout != c.wait ||
			got.DeadLetterQueue != c.queue+"-dlq" {
			t.Errorf("%s: %+v", c.queue, got)
		}
		var producers []string
		for _, p := range asJSON(t, b.get("/cdn-cgi/eddy/api/queues/"+c.queue))["producers"].([]any) {
			producers = append(producers, p.(string))
		}
		slices.Sort(producers)
		if strings.Join(producers, " ") != c.producers {
			t.Errorf("%s is bound by %v", c.queue, producers)
		}
	}
}

// BE-7: three keywords make 15 messages by the tally, and their published events. BE-2: the envelope; the correlation
// id goes all the way. BE-16: the fields of the log, and the queries over what was processed.
func TestBrandEngineTally(t *testing.T) {
	b := runBrandEngine(t)
	ids := b.post("/", `{"keywords":["tea","jazz","chess"]}`)["correlation_ids"].([]any)
	b.clock.Advance(t.Context(), time.Minute)
	b.expect("/", `{"content.generated":3,"content.publish":3,"content.published":3,"research.completed":3,`+
		`"research.requested":3,"social.post":3,"social.posted":3}`)

	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	kind := regexp.MustCompile(`^[a-z]+\.[a-z]+$`)
	events, chains := map[string]bool{}, map[string]int{}
	for _, l := range b.log() {
		if l.Action != "processed" || !uuid.MatchString(l.Event) || !kind.MatchString(l.Type) || l.Source == "" ||
			l.Attempt != 1 || l.Queued.IsZero() || l.Delay == nil || *l.Delay < 0 {
			t.Errorf("log entry %+v", l)
		}
		events[l.Event] = true
		if l.Type == "research.requested" {
			l.Correlation = l.Event
		}
		chains[l.Correlation]++
	}
	if len(events) != 21 || len(chains) != 3 {
		t.Errorf("%d events in %d chains, want 21 in 3", len(events), len(chains))
	}
	for _, id := range ids {
		if chains[id.(string)] != 7 {
			t.Errorf("%d messages carry correlation id %v, want 7", chains[id.(string)], id)
		}
	}
	health := asJSON(t, b.get("/health"))
	if got := fmt.Sprint(health["last_hour"]); strings.Count(got, "n:3") != 7 {
		t.Errorf("processed in the last hour: %s", got)
	}
	if got := len(health["per_minute"].([]any)); got != 1 {
		t.Errorf("throughput over %d minutes, want one", got)
	}

	// A workflow for each keyword has kept its notes in R2, the publisher its pages there and their list in D1, and the
	// posts that the model wrote are in KV.
	for _, id := range ids {
		want := fmt.Sprintf(`{"status":"complete","output":"research/%v.json"}`, id)
		if got := ask(t, b.gatherfeed, "GET", "/"+id.(string), ""); got != want {
			t.Errorf("research: %s, want %s", got, want)
		}
	}
	for path, want := range map[string]string{
		"/": `[{"keyword":"chess","title":"Chess"},{"keyword":"jazz","title":"Jazz"},` +
			`{"keyword":"tea","title":"Tea"}]`,
		"/tea": "<h1>Tea</h1><p>Why tea matters, in three sources.</p>",
	} {
		if got := ask(t, b.publisher, "GET", path, ""); got != want {
			t.Errorf("publisher %s: %s, want %s", path, got, want)
		}
	}
	if got := ask(t, b.social, "GET", "/", ""); strings.Count(got, "Have you heard of ") != 3 {
		t.Errorf("posts: %s", got)
	}
}

// A brand's agent begins a campaign when the cron fires, not twice for one Monday, and looks at it a day later.
func TestBrandEngineAgent(t *testing.T) {
	b := runBrandEngine(t)
	b.post200("/brands/harbour", `{"voice":"salty","keywords":["tide","rope"]}`,
		`{"voice":"salty","keywords":["tide","rope"],"campaigns":{}}`)
	monday := "/cdn-cgi/handler/scheduled?cron=0+6+*+*+1&time=1775455200000" // 6 April 2026
	for range 2 {
		if status, _, body := b.do("GET", monday, ""); status != http.StatusOK {
			t.Fatal(body)
		}
	}
	b.clock.Advance(t.Context(), time.Minute)
	b.expect("/", `{"campaign.start":1,"content.generated":2,"content.publish":2,"content.published":2,`+
		`"research.completed":2,"research.requested":2,"social.post":2,"social.posted":2}`)
	b.clock.Advance(t.Context(), 24*time.Hour)
	b.expect("/brands/harbour", `{"voice":"salty","keywords":["tide","rope"],"campaigns":{"2026-04-06":2}}`)
}

// A workflow that gives up puts its command among the dead letters. Its replay begins another instance.
func TestBrandEngineSpeechless(t *testing.T) {
	b := runBrandEngine(t)
	old := b.post("/", `{"keywords":["speechless"]}`)["correlation_ids"].([]any)[0].(string)
	b.clock.Advance(t.Context(), 5*time.Minute)
	if got := ask(t, b.gatherfeed, "GET", "/"+old, ""); got != `{"status":"errored","output":null}` {
		t.Errorf("research: %s", got)
	}
	if got := ask(t, b.dead, "GET", "/", ""); !strings.Contains(got, old) {
		t.Fatalf("dead messages %s", got)
	}
	if got := ask(t, b.dead, "POST", "/replay", ""); got != `{"replayed":1}` {
		t.Fatalf("replay: %s", got)
	}
	b.clock.Advance(t.Context(), 5*time.Minute)
	if got := ask(t, b.dead, "GET", "/health", ""); got != `[{"queue":"gatherfeed-commands-dlq",`+
		`"type":"research.requested","n":2}]` {
		t.Errorf("dead in the last day: %s", got)
	}
}

// BE-5: a message for each unit. BE-8: delays of index·60 seconds, of an hour, and a loop that gives up and retries the
// rest after 5 seconds.
func TestBrandEngineDelays(t *testing.T) {
	b := runBrandEngine(t)
	ten := `["a","b","c","d","e","f","g","h","i","j"]`
	ids := b.post("/", `{"keywords":`+ten+`}`)["correlation_ids"].([]any)
	if sent := b.get("/cdn-cgi/eddy/metrics"); !strings.Contains(sent,
		`eddy_queue_messages_sent_total{queue="gatherfeed-commands"} 10`) {
		t.Errorf("not ten messages: %s", sent)
	}
	if unique := slices.CompactFunc(ids, func(a, b any) bool { return a == b }); len(unique) != 10 {
		t.Errorf("event ids %v", ids)
	}
	b.clock.Advance(t.Context(), time.Minute)
	if got := b.count("research.completed"); got != 10.0 {
		t.Fatalf("%v keywords researched", got)
	}

	b.post("/", `{"keywords":["x","y","z"],"stagger":60}`)
	for i, after := range []time.Duration{20 * time.Second, time.Minute, time.Minute} {
		b.clock.Advance(t.Context(), after) // 10 s in research's batch, 5 s in that of events
		if got := b.count("research.completed"); got != float64(11+i) {
			t.Errorf("%v keywords after step %d", got, i)
		}
	}

	b.post("/later", `{"keywords":["late"]}`)
	b.clock.Advance(t.Context(), time.Hour-time.Second)
	if got := b.count("research.requested"); got != 13.0 {
		t.Errorf("%v requests within the hour", got)
	}
	b.clock.Advance(t.Context(), 6*time.Second)
	if got := b.count("research.requested"); got != 14.0 {
		t.Errorf("%v requests after the hour", got)
	}
	b.clock.Advance(t.Context(), time.Minute)

	b.post("/", `{"keywords":["fine","busy","rest"]}`)
	// the wait for a batch: the first is done, the others are told to come later
	b.clock.Advance(t.Context(), 10*time.Second)
	b.clock.Advance(t.Context(), 5*time.Second) // its event's
	if got := b.count("research.completed"); got != 15.0 {
		t.Errorf("%v keywords before the pause was over", got)
	}
	b.clock.Advance(t.Context(), 15*time.Second) // 5 s of pause began 5 s ago; 10 s of batch, 5 s of event
	if got := b.count("research.completed"); got != 17.0 {
		t.Errorf("%v keywords after the pause", got)
	}
}

// BE-3: the same event twice is processed once; a transient failure is tried again after 30, 60, 120 seconds, a
// permanent one never; what was processed is forgotten after a week. BE-4: unknown types are acknowledged.
func TestBrandEngineIdempotence(t *testing.T) {
	b := runBrandEngine(t)
	event := func(kind string) string {
		return `{"event_id":"` + kind + `-1","type":"` + kind + `","source":"test","timestamp":"","payload":{}}`
	}
	b.post("/replay", event("content.published"))
	b.post("/replay", event("no.such"))
	b.clock.Advance(t.Context(), time.Minute)
	b.expect("/", `{"content.published":1}`)
	if out := b.out.String(); strings.Count(out, "brand-events: unknown type no.such") != 2 {
		t.Error("an unknown type was not warned about, or came again")
	}
	if got := b.queue("brand-events").Metrics.BacklogCount; got != 0 {
		t.Errorf("%d events left", got)
	}

	b.post("/", `{"keywords":["unreachable",""]}`)
	b.clock.Advance(t.Context(), 5*time.Minute)
	var delays []int64
	for _, l := range b.log() {
		if l.Action == "retried" {
			delays = append(delays, *l.Delay/1000)
		}
	}
	// 10 s in a batch, then each delay and 10 s in a batch again.
	if fmt.Sprint(delays) != "[10 50 120 250]" {
		t.Errorf("tried %v seconds after it was sent", delays)
	}
	if out := b.out.String(); strings.Count(out, "empty keyword") != 1 {
		t.Error("a permanent error was tried again")
	}

	b.clock.Advance(t.Context(), 8*24*time.Hour)
	if status, _, body := b.do("GET", "/cdn-cgi/handler/scheduled", ""); status != http.StatusOK {
		t.Fatal(body)
	}
	b.expect("/", `{}`)
}

// BE-12: a dead letter is recorded once, under the name of the dead letter queue, its attempts begun anew, and
// acknowledged. BE-13: replaying sends a new event that names the old one; what was replayed is not replayed again.
func TestBrandEngineDeadLetters(t *testing.T) {
	b := runBrandEngine(t)
	old := b.post("/", `{"keywords":["unreachable"]}`)["correlation_ids"].([]any)[0].(string)
	b.clock.Advance(t.Context(), 10*time.Minute)
	rows := func() []any {
		var list []any
		if err := json.Unmarshal([]byte(ask(t, b.dead, "GET", "/", "")), &list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	if got := rows(); len(got) != 1 || fmt.Sprint(got[0].(map[string]any)["queue"], got[0].(map[string]any)["attempts"],
		got[0].(map[string]any)["event_id"],
		got[0].(map[string]any)["resolution"]) != fmt.Sprint("gatherfeed-commands-dlq", 1, old, nil) {
		t.Fatalf("dead messages %v", got)
	}
	if got := ask(t, b.dead, "GET", "/health",
		""); got != `[{"queue":"gatherfeed-commands-dlq","type":"research.requested","n":1}]` {
		t.Errorf("dead in the last day: %s", got)
	}
	if got := b.queue("gatherfeed-commands-dlq").Metrics.BacklogCount; got != 0 {
		t.Errorf("%d messages left in the dead letter queue", got)
	}
	for _, want := range []string{`{"replayed":1}`, `{"replayed":0}`} {
		if got := ask(t, b.dead, "POST", "/replay", ""); got != want {
			t.Errorf("replay: %s, want %s", got, want)
		}
	}
	if got := rows()[0].(map[string]any); got["resolution"] != "replayed" || got["replayed_at"] == nil {
		t.Errorf("after the replay: %v", got)
	}
	b.clock.Advance(t.Context(), 10*time.Minute)
	again := rows()
	if len(again) != 2 || again[1].(map[string]any)["event_id"] == old {
		t.Errorf("the replayed event, dead again: %v", again)
	}
	log := b.log()
	if last := log[len(log)-1]; last.Correlation != "replay-"+old {
		t.Errorf("correlation id %s", last.Correlation)
	}
}
