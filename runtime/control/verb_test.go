package control

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eddy/queues"
	"eddy/runtime/running"
)

// failing attaches a consumer to queue a that fails every batch, with the dead letter queue a-dlq.
func failing(b *bench) {
	b.t.Helper()
	c := queues.DefaultConsumer("a", queues.WorkerConsumer)
	c.Script, c.MaxBatchTimeout, c.MaxRetries, c.DeadLetterQueue = "w", 0, 0, "a-dlq"
	if err := b.broker.Declare(
		background, queues.Topology{Queues: []string{"a"}, Consumers: []queues.ConsumerConfig{c}}); err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.broker.Attach(
		"a", queues.ConsumerFunc(func(_ context.Context, _ *queues.Batch, done func(queues.Outcome)) {
			go done(queues.Outcome{
				Failure: &queues.Failure{Reason: "exception", Error: "Error: boom", Stack: "Error: boom\n    at x"}})
		})); err != nil {
		b.t.Fatal(err)
	}
}

// arrived waits until the dead letter queue holds n messages: tail tells.
func (b *bench) died(n int, send func()) {
	b.t.Helper()
	dead := make(chan int, 100)
	cancel, err := b.broker.Observe(func(a queues.Activity) {
		if a.Kind == queues.ActivityDeadLettered {
			dead <- a.Count
		}
	})
	if err != nil {
		b.t.Fatal(err)
	}
	defer cancel()
	send()
	for n > 0 {
		n -= <-dead
	}
}

func text(s string) MessageBody { return MessageBody{ContentType: "text", Text: &s} }

// Z0-11, Z0-12: what is known of a dead letter; replay with the id kept or new and the body edited; skip and escalate
// leave notes.
func TestDeadLetterWorkflow(t *testing.T) {
	b := newBench(t)
	failing(b)
	c := b.client()
	b.died(3, func() {
		for _, s := range []string{"one", "two", "three"} {
			must[Count](t)(c.Send(background, "a", Send{Messages: []MessageBody{text(s)}}))
		}
	})
	dead := must[[]Message](t)(c.DeadLetters(background, "a-dlq", DeadLetterFilter{Source: "a", Error: "boom"}))
	if len(dead) != 3 || dead[0].DeadLetter.LastError != "Error: boom" || dead[0].DeadLetter.Stack == "" {
		t.Fatalf("dead letters %+v", dead)
	}
	if none := must[[]Message](t)(c.DeadLetters(background, "a-dlq", DeadLetterFilter{Error: "other"})); len(
		none) != 0 {
		t.Errorf("the filter by error lets %v through", none)
	}
	if err := c.Edit(background, "a-dlq", Edit{ID: dead[0].ID, MessageBody: text("edited"), Note: "typo"}); err != nil {
		t.Fatal(err)
	}
	must[Queue](t)(c.Pause(background, "a", true))
	if n := must[Count](t)(
		c.Act(background, "a-dlq", "replay",
			DeadLetterAction{DeadLetterFilter: DeadLetterFilter{IDs: []string{dead[0].ID}}})); n.Count != 1 {
		t.Errorf("replayed %d", n.Count)
	}
	back := must[[]Message](t)(c.Peek(background, "a", 10))
	if len(back) != 1 || back[0].ID != dead[0].ID || *back[0].Text != "edited" || back[0].Attempts != 0 {
		t.Errorf("replayed message %+v, want the same id with the edited body", back)
	}
	must[Count](t)(c.Act(
		background, "a-dlq", "replay",
		DeadLetterAction{DeadLetterFilter: DeadLetterFilter{IDs: []string{dead[1].ID}}, NewID: true}))
	if back = must[[]Message](t)(c.Peek(background, "a", 10)); len(back) != 2 || back[1].ID == dead[1].ID { // BE-13
		t.Errorf("replayed with a new id: %+v", back)
	}
	must[Count](t)(c.Act(background, "a-dlq", "escalate", DeadLetterAction{Note: "to ops"}))
	if left := must[[]Message](t)(c.DeadLetters(background, "a-dlq", DeadLetterFilter{})); len(left) != 1 ||
		left[0].DeadLetter.Escalated != "to ops" {
		t.Errorf("escalated: %+v", left)
	}
	must[Count](t)(c.Act(background, "a-dlq", "skip", DeadLetterAction{Note: "reconciliation"}))
	var actions []string
	for _, n := range must[[]Note](t)(c.Notes(background)) {
		actions = append(actions, n.Action+" "+n.Text)
	}
	if got, want := strings.Join(actions, ", "),
		"edit typo, redrive , redrive , escalate to ops, skip reconciliation"; got != want {
		t.Errorf("notes %q, want %q", got, want)
	}
}

// Z0-14, Z0-15: one dead letter is a warning, retries above 20 % are critical, but not one retry among three
// deliveries: a share says something of twenty and more.
func TestHealth(t *testing.T) {
	b := newBench(t)
	failing(b)
	c := b.client()
	if h := must[Health](t)(c.Health(background)); h.Level != LevelOK || len(h.Rows) != 2 {
		t.Errorf("health before anything happened: %+v", h)
	}
	one := func() { must[Count](t)(c.Send(background, "a", Send{Messages: []MessageBody{text("x")}})) }
	b.died(1, one)
	h := must[Health](t)(c.Health(background))
	if row := h.Rows[0]; row.DLQ != 1 || row.Alerts["dlq"] != LevelWarning || row.RetryPercent != 100 ||
		row.Alerts["retry"] != "" || h.Level != LevelWarning {
		t.Errorf("health after one failure %+v", h)
	}
	b.died(LeastDeliveries-2, func() {
		for range LeastDeliveries - 2 {
			one()
		}
	})
	if row := must[Health](t)(c.Health(background)).Rows[0]; row.Alerts["retry"] != "" ||
		row.Deliveries != LeastDeliveries-1 {
		t.Errorf("one too few: %+v", row)
	}
	b.died(1, one)
	h = must[Health](t)(c.Health(background))
	if row := h.Rows[0]; row.Alerts["retry"] != LevelCritical || h.Level != LevelCritical {
		t.Errorf("health %+v", h)
	}
	b.clock.Advance(t.Context(), 2*time.Hour)
	h = must[Health](t)(c.Health(background))
	if h.Rows[0].RetryPercent != 0 || h.Level != LevelWarning || h.Rows[1].LagSeconds != 7200 {
		t.Errorf("two hours later: %+v", h)
	}
}

// Z0-14: what is dropped for want of a dead letter queue failed, too.
func TestDroppedIsFailed(t *testing.T) {
	b := newBench(t)
	m, err := newMeter(b.api.o)
	if err != nil {
		t.Fatal(err)
	}
	now := b.clock.Now()
	m.observe(queues.Activity{Kind: queues.ActivityDelivered, Queue: "a", Count: 4, Time: now})
	m.observe(queues.Activity{Kind: queues.ActivityDropped, Queue: "a", Count: 1, Time: now})
	if got := m.lastHour("a", now).retryRate(); got != 0.25 {
		t.Errorf("retry rate %v, want 0.25", got)
	}
}

// Z0-13: the names, under any namespace.
func TestMetricNames(t *testing.T) {
	for _, namespace := range []string{"eddy", "z0"} {
		b := newBench(t)
		failing(b)
		b.api.o.Namespace = namespace
		m, err := newMeter(b.api.o)
		if err != nil {
			t.Fatal(err)
		}
		cancel, err := b.broker.Observe(m.observe)
		if err != nil {
			t.Fatal(err)
		}
		b.died(1, func() { must[Count](t)(b.client().Send(background, "a", Send{Messages: []MessageBody{text("x")}})) })
		cancel()
		w := httptest.NewRecorder()
		m.handler().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		for _, line := range []string{
			`_queue_messages_sent_total{queue="a"} 1`, `_queue_messages_received_total{queue="a"} 1`,
			`_queue_dlq_total{queue="a",reason="exception"} 1`,
			`_queue_processing_duration_ms_count{queue="a"} `, `_queue_batch_size_sum{queue="a"} 1`,
			`_queue_depth{queue="a-dlq"} 1`,
			`_queue_lag_seconds{queue="a"} 0`, `_queue_retry_rate{queue="a"} 1`,
			`_queue_messages_acked_total{queue="a"} 0`,
			`_queue_messages_retried_total{queue="a"} 0`, `_queue_messages_sent_total{queue="a-dlq"} 0`,
		} {
			if !strings.Contains(w.Body.String(), "\n"+namespace+line) {
				t.Errorf("no %s%s in\n%s", namespace, line, w.Body)
			}
		}
	}
}

// H-21, D-23: what production's GraphQL answers is among the metrics: backlog in messages and bytes, concurrency, lag,
// retries, sizes, and billable operations by action: one for each 64 KB begun, a read for every attempt.
func TestOperations(t *testing.T) {
	b := newBench(t)
	failing(b)
	c := b.client()
	config := queues.DefaultConsumer("a", queues.WorkerConsumer)
	config.Script, config.MaxBatchTimeout, config.MaxRetries, config.DeadLetterQueue = "w", 0, 1, "a-dlq"
	if _, err := b.broker.SetConsumer(background, config, true); err != nil {
		t.Fatal(err)
	}
	b.died(2, func() {
		must[Count](t)(c.Send(
			background, "a",
			Send{Messages: []MessageBody{text(strings.Repeat("x", 64_000)), text(strings.Repeat("x", 64_001))}}))
	})
	w := httptest.NewRecorder()
	b.api.ServeHTTP(w, httptest.NewRequest("GET", running.Prefix+"/metrics", nil))
	for _, line := range []string{
		`operations_total{action="write",queue="a"} 3`, `operations_total{action="read",queue="a"} 6`,
		`operations_total{action="delete",queue="a"} 3`,
		`operations_total{action="write",queue="a-dlq"} 3`, `backlog_bytes{queue="a-dlq"} 128001`,
		`depth{queue="a-dlq"} 2`,
		`consumer_concurrency{queue="a"} 0`, `lag_seconds{queue="a-dlq"} 0`, `messages_retried_total{queue="a"} 2`,
		`dlq_total{queue="a",reason="exception"} 2`,
	} {
		if !strings.Contains(w.Body.String(), "\neddy_queue_"+line) {
			t.Errorf("no eddy_queue_%s in\n%s", line, w.Body)
		}
	}
}

// The stream begins with ": open" and tells events in order, of the queues asked for.
func TestTail(t *testing.T) {
	b := newBench(t)
	b.create("a")
	b.create("b")
	server := httptest.NewServer(b.api)
	defer server.Close()
	c, err := Dial(server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	opened := func() {
		must[Count](t)(b.client().Send(background, "b", Send{Messages: []MessageBody{text("x")}}))
		must[Count](t)(b.client().Send(background, "a", Send{Messages: []MessageBody{text("x"), text("y")}}))
		must[Queue](t)(b.client().Pause(background, "a", true))
	}
	err = c.Tail(background, []string{"a"}, opened, func(e Activity) error {
		kinds = append(kinds, e.Kind+" "+e.Queue)
		if e.Kind == "paused" {
			return io.EOF
		}
		if e.Kind == "sent" && (e.Count != 2 || len(e.Messages) != 2) {
			t.Errorf("sent: %+v", e)
		}
		return nil
	})
	if err != io.EOF || strings.Join(kinds, ",") != "sent a,paused a" {
		t.Errorf("tail gave %v, %v", kinds, err)
	}
}

// The clock can be read, held and advanced when it is virtual.
func TestClockVerbs(t *testing.T) {
	b := newBench(t)
	post := func(path, body string) string {
		w := httptest.NewRecorder()
		b.api.ServeHTTP(w, httptest.NewRequest("POST", running.APIPrefix+path, strings.NewReader(body)))
		return strings.TrimSpace(w.Body.String())
	}
	if got, want := post("/clock/hold", ""), `{"now":"2026-04-01T00:00:00Z","virtual":true,"held":true}`; got != want {
		t.Errorf("hold: %s, want %s", got, want)
	}
	if got, want := post("/clock/advance", `{"ms":90000}`),
		`{"now":"2026-04-01T00:01:30Z","virtual":true,"held":true,"moved_ms":90000}`; got != want {
		t.Errorf("advance: %s, want %s", got, want)
	}
	if got := post("/clock/advance", `{"ms":-1}`); !strings.Contains(got, "backwards") {
		t.Errorf("backwards: %s", got)
	}
	if c := must[Clock](t)(b.client().Clock(background)); c.Now != time.Date(2026, 4, 1, 0, 1, 30, 0, time.UTC) {
		t.Errorf("clock %+v", c)
	}
}

// A running file is believed only if its session answers, and is that one.
func TestFind(t *testing.T) {
	b := newBench(t)
	state := t.TempDir()
	if _, _, err := Find(background, state); !errors.Is(err, running.ErrNotRunning) {
		t.Errorf("without a file: %v", err)
	}
	said := Process{PID: os.Getpid(), State: state}
	b.api.o.Session = func() Process { return said }
	server := httptest.NewServer(b.api)
	said.URL = server.URL
	withdraw, err := running.Announce(said, "secret")
	if err != nil {
		t.Fatal(err)
	}
	if _, s, err := Find(background, state); err != nil || s.PID != said.PID {
		t.Errorf("found %+v, %v", s, err)
	}
	said.PID++ // another process has taken over the port
	if _, _, err := Find(background, state); !errors.Is(err, running.ErrNotRunning) {
		t.Errorf("a port taken over: %v", err)
	}
	server.Close()
	if _, _, err := Find(background, state); !errors.Is(err, running.ErrNotRunning) {
		t.Errorf("nobody answers: %v", err)
	}
	if err := withdraw(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(state, "v3", "eddy", "running.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the running file is still there: %v", err)
	}
}

// H-23: an event goes to the queues that are subscribed to it, in production's form; a subscription that nothing fires
// by itself is said to be so.
func TestSubscriptionsFire(t *testing.T) {
	b := newBench(t)
	id := b.create("a")
	subscribe := func(name, source, events string) string {
		t.Helper()
		body := `{"name":"` + name + `","source":` + source + `,"destination":{"type":"queues.queue","queue_id":"` +
			id + `"},"events":` + events + `}`
		return at(b.ok("POST", "/event_subscriptions/subscriptions", body), "id").(string)
	}
	builds := subscribe(
		"builds", `{"type":"workersBuilds.worker","worker_name":"w"}`, `["build.failed","build.succeeded"]`)
	subscribe("others", `{"type":"workersBuilds.worker","worker_name":"gone"}`, `["build.succeeded"]`)
	buckets := subscribe("buckets", `{"type":"r2"}`, `["bucket.created"]`)
	want := `Event subscription "others" is kept, but nothing fires it here: no Worker "gone" is in this session. ` +
		`Fire an event by hand: eddy queues subscriptions fire --source workersBuilds.worker --worker-name gone ` +
		`--event build.succeeded
Event subscription "buckets" is kept, but nothing fires it here: source r2 tells of what is created and deleted, ` +
		`which the configuration does locally. Fire an event by hand: eddy queues subscriptions fire --source r2 ` +
		`--event bucket.created`
	if got := strings.Join(b.warnings, "\n"); got != want {
		t.Errorf("warnings\n%s\nwant\n%s", got, want)
	}
	build := Build{ID: "build-1", Worker: "w", Began: b.clock.Now()}
	if f := must[Fired](t)(b.api.Fire(background, build.Event())); len(f.Queues) != 0 {
		t.Errorf("build.started, which nobody wants, went to %v", f.Queues)
	}
	build.Ended = build.Began.Add(time.Second)
	must[Fired](t)(b.api.Fire(background, build.Event()))
	must[Fired](t)(b.client().Fire(
		background, SourceEvent{
			Source: map[string]any{"type": "r2"}, Event: "bucket.created",
			Payload: map[string]any{"name": "pictures"}}))
	b.ok("PATCH", "/event_subscriptions/subscriptions/"+buckets, `{"enabled":false}`)
	if f := must[Fired](t)(
		b.client().Fire(background, SourceEvent{Source: map[string]any{"type": "r2"},
			Event: "bucket.created"})); len(f.Queues) != 0 {
		t.Errorf("a disabled subscription got %v", f.Queues)
	}
	var got []string
	for _, m := range must[[]Message](t)(b.client().Peek(background, "a", 10)) {
		got = append(got, *m.Text)
	}
	metadata := `"metadata":{"accountId":"local","eventSubscriptionId":"%s","eventSchemaVersion":1,` +
		`"eventTimestamp":"2026-04-01T00:00:00.000Z"}`
	succeeded := `{"type":"cf.workersBuilds.worker.build.succeeded","source":{"type":"workersBuilds.worker",` +
		`"workerName":"w"},"payload":{"buildOutcome":"success",` +
		`"buildTriggerMetadata":{"author":null,"branch":null,"buildCommand":null,"buildTriggerSource":"local",` +
		`"commitHash":null,"commitMessage":null,"deployCommand":null,` +
		`"providerAccountName":null,"providerType":null,"repoName":null,"rootDirectory":"/"},"buildUuid":"build-1",` +
		`"createdAt":"2026-04-01T00:00:00.000Z",` +
		`"initializingAt":"2026-04-01T00:00:00.000Z","runningAt":"2026-04-01T00:00:00.000Z","status":"success",` +
		`"stoppedAt":"2026-04-01T00:00:01.000Z"},` +
		strings.ReplaceAll(metadata, "%s", builds) + `}`
	created := `{"type":"cf.r2.bucket.created","source":{"type":"r2"},"payload":{"name":"pictures"},` +
		strings.ReplaceAll(metadata, "%s", buckets) + `}`
	if len(got) != 2 || got[0] != succeeded || got[1] != created {
		t.Errorf("messages\n%s\nwant\n%s\n%s", strings.Join(got, "\n"), succeeded, created)
	}
	list := must[[]Subscription](t)(b.client().Subscriptions(background))
	if len(list) != 3 || list[0].Unheard != "" || list[0].Queue != "a" || list[1].Unheard == "" {
		t.Errorf("subscriptions %+v", list)
	}
}
