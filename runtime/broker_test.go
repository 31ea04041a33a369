package runtime

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"eddy/runtime/report"
)

// P-34: what an object sends leaves when its writes are on disk, and not at all if it is aborted before; a send is no
// part of a transaction. BE-18: fetch, queue and objects in one Worker, queue() calling an object.
func TestSendsOfObjects(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
		"queues": {"producers": [{"binding": "Q", "queue": "q"}],
			"consumers": [{"queue": "q", "max_batch_timeout": 1}]},
		"durable_objects": {"bindings": [{"name": "O", "class_name": "O"}]},
			"migrations": [{"tag": "v1", "new_sqlite_classes": ["O"]}]}`,
		"index.js", script("broker", "index.js"))
	s := p.serve()
	s.expect("/aborted", "enough")
	s.expect("/rolledBack", "done")
	s.expect("/written", "done")
	s.clock.Advance(t.Context(), time.Second)
	s.expect("/notes", `["in a transaction","written"]`)
}

// C-31: with its flag a service binding takes a batch for the other Worker's queue(); C-30: and answers with what
// became of it, as data.
func TestBatchOverServiceBinding(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
		"compatibility_flags": ["service_binding_extra_handlers", "experimental"],
		"services": [{"binding": "SELF", "service": "w"}]}`,
		"index.js", script("broker", "batchOverServiceBinding/index.js"))
	s := p.serve()
	for path, want := range map[string]string{
		"/settled": `{"outcome":"ok","ackAll":false,"retryBatch":{"retry":false},"explicitAcks":["a"],` +
			`"retryMessages":[{"msgId":"b","delaySeconds":3}]}`,
		"/all": `{"outcome":"ok","ackAll":true,"retryBatch":{"retry":false},"explicitAcks":[],"retryMessages":[]}`,
		"/retries": `{"outcome":"ok","ackAll":false,"retryBatch":{"retry":true,"delaySeconds":7},"explicitAcks":[],` +
			`"retryMessages":[]}`,
		"/thrown": `{"outcome":"exception","ackAll":false,"retryBatch":{"retry":false},"explicitAcks":[],` +
			`"retryMessages":[]}`,
		"/neither": "TypeError: Expected one of body or serializedBody for each message",
		"/seen":    `["a",7,5000,true,3]`,
	} {
		s.expect(path, want)
	}
}

// D-22, X-3: saving the source, or ending the session and starting it again, loses no message, delayed and retrying
// ones included. C-35: a handler that throws shows its error with the place in the user's file.
func TestMessagesOutliveTheCode(t *testing.T) {
	config := `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
		"queues": {"producers": [{"binding": "Q", "queue": "q"}],
			"consumers": [{"queue": "q", "max_batch_timeout": 0, "retry_delay": 60}]}}`
	const failing = `export default {
		async fetch(r, env) { await env.Q.send("retrying"); await env.Q.send("delayed", { delaySeconds: 30 });
			return new Response("sent"); },
		queue(batch) { throw new Error("not yet"); },
	};`
	p := newProject(t, "wrangler.jsonc", config, "index.js", failing)
	s := p.serve()
	s.expect("/", "sent")
	s.clock.Advance(t.Context(), 0)
	s.wantLines("Uncaught Error: not yet", "index.js:4")
	p.write("index.js", strings.Replace(failing, `throw new Error("not yet")`,
		`console.log("got", ...batch.messages.map((m) => m.body + " " + m.attempts))`, 1))
	if err := s.Reload(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(t.Context(), 30*time.Second)
	s.wantLines("got delayed 1")
	at := s.clock.Now()
	s.end()
	s = p.serve()
	s.clock.Advance(t.Context(), at.Add(30*time.Second).Sub(s.clock.Now()))
	s.wantLines("got retrying 2")
}

// C-33: a line for each batch, its fraction green, yellow or red. C-34: before it what became of messages, with attempt
// in the singular for one; retries at debug level. C-2, C-35: what a handler throws is shown, a string as the reference
// of today shows it.
func TestQueueLines(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
		"queues": {"producers": [{"binding": "Q", "queue": "q"}, {"binding": "ONCE", "queue": "once"}], "consumers": [
			{"queue": "q", "max_batch_timeout": 0, "max_retries": 1, "dead_letter_queue": "dead"},
				{"queue": "once", "max_batch_timeout": 0, "max_retries": 0}]}}`,
		"index.js", script("broker", "queueLines/index.js"))
	s := p.serve(func(o *Options) {
		out := newLines()
		o.Reporter = report.New(report.Options{Out: out, Color: true, Level: report.Debug})
		t.Cleanup(func() {
			text := regexp.MustCompile("[0-9a-f]{32}").ReplaceAllString(out.String(), "ID")
			last := 0
			for _, want := range []string{
				"QUEUE q \x1b[32m2/2\x1b[", `Retrying message "ID" on queue "q"...`, "QUEUE q \x1b[33m1/2\x1b[",
				" – retry 1 of 1 now ",
				`Moving message "ID" on queue "q" to dead letter queue "dead" after 2 failed attempts...`,
				"QUEUE q \x1b[31m0/1\x1b[", " → dead: eddy dlq show dead ",
			} {
				i := strings.Index(text[last:], want)
				if i < 0 {
					t.Errorf("no %q after byte %d of\n%q", want, last, text)
					continue
				}
				last += i
			}
			for _, want := range []string{"Uncaught Error: boom",
				`Dropped message "ID" on queue "once" after 1 failed attempt!`, "QUEUE once \x1b[31m0/1\x1b[",
				" – 1 deleted: the consumer has no dead_letter_queue"} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%q", want, text)
				}
			}
		})
	})
	s.expect("/", "sent")
	s.clock.Advance(t.Context(), time.Minute)
}

// A failed batch says which attempt it was, when the next one is, and in the end where the message went and how to see
// it.
func TestFailedBatchSaysWhatNext(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
		"queues": {"producers": [{"binding": "Q", "queue": "payments"}], "consumers": [
			{"queue": "payments", "max_batch_timeout": 0, "max_retries": 3, "retry_delay": 6,
				"dead_letter_queue": "payments-dlq"}]}}`,
		"index.js", `export default {
			async fetch(r, env) { await env.Q.send(1); return new Response("sent") },
			queue(batch) { batch.retryAll(batch.messages[0].attempts === 3 ? { delaySeconds: 90 } : {}) },
		};`)
	s := p.serve()
	s.expect("/", "sent")
	s.clock.Advance(t.Context(), 3*time.Minute)
	s.wantLines("QUEUE payments 0/1 – retry 1 of 3 in 6s (", "QUEUE payments 0/1 – retry 2 of 3 in 6s (",
		"QUEUE payments 0/1 – retry 3 of 3 in 1m30s (")
	dead, err := s.Broker().Peek(t.Context(), "payments-dlq", 1)
	if err != nil || len(dead) != 1 {
		t.Fatal(dead, err)
	}
	s.wantLines("QUEUE payments 0/1 → payments-dlq: eddy dlq show payments-dlq " + dead[0].ID.String()[:4] + " (")
}
