package queuejs

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"eddy/queues"
)

// C-1, C-3, C-4, C-5, C-6, C-7: the shape of batch, messages and context.
func TestBatchShape(t *testing.T) {
	b := newBench(
		t,
		setup{
			producers: []Producer{{Binding: "Q", Queue: "q"}},
			consumers: []queues.ConsumerConfig{consumer("q", nil)},
			source:    script("consumer_batch_shape.js"),
		},
	)
	b.get("/send")
	b.settle()
	want := strings.Join([]string{
		"[object QueueController] messages,metadata,queue",
		"[object QueueMessage] attempts,body,id,timestamp",
		"true",
		`true true 1 {"x":1}`,
		`{"metrics":{"backlogCount":1,"backlogBytes":1,` +
			`"oldestMessageTimestamp":"2026-04-01T00:00:00.000Z"}} true q 3 function`,
		"messages,metadata,queue attempts,body,id,timestamp",
		"[object ExecutionContext] cache,exports,props,tracing false",
		"Cannot assign to read only property 'id' of object '#<QueueMessage>'",
		"Cannot assign to read only property 'queue' of object '#<QueueController>'",
	}, "\n")
	if got := b.get("/"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// C-13 to C-26, C-28 under production's rule: two messages a and b are delivered in one batch, handled by js, and the
// second batch shows who came back, and after how many seconds.
func TestSettlement(t *testing.T) {
	for _, c := range []struct{ fact, js, want, warning string }{
		{"C-9 returning acks", ``, "", ""},
		{"C-9 throwing retries", `throw new Error("x")`, "a@0 b@0", ""},
		{"C-9 waitUntil rejecting retries", `ctx.waitUntil(Promise.reject(new Error("x")))`, "a@0 b@0", ""},
		{"C-1 the value does not count", `return false`, "", ""},
		{"a handler that nothing settles retries", `return new Promise(() => {})`, "a@0 b@0", ""},
		{"so does waitUntil that nothing settles", `ctx.waitUntil(new Promise(() => {}))`, "a@0 b@0", ""},
		{"C-2 a rejecting thenable", `return { then(_, no) { no(new Error("x")) } }`, "a@0 b@0", ""},
		{"C-2 a floating rejection", `Promise.reject(1)`, "", ""},
		{"C-2 what is thrown need not be an Error", `throw "boom"`, "a@0 b@0", ""},
		{"C-2 a timer that nobody waits for never fires", `setTimeout(() => again.push("fired"), 1000)`, "", ""},
		{"C-2 passThroughOnException has no effect", `ctx.passThroughOnException(); throw new Error("x")`, "a@0 b@0",
			""},
		{"C-3 messages is a copy", `batch.messages.push(1); batch.messages.length = 0; ` +
			`if (batch.messages.length !== 2) throw new Error("changed")`, "", ""},
		{"C-27 silent", `a.ack(); a.ack(); batch.ackAll(); b.ack(); batch.ackAll()`, "", ""},
		{"C-13", `a.ack(); throw new Error("x")`, "b@0", ""},
		{"C-14", `batch.ackAll(); throw new Error("x")`, "", ""},
		{"C-15", `a.ack(); ctx.waitUntil(Promise.reject(new Error("x")))`, "b@0", ""},
		{"C-16", `a.ack(); batch.retryAll()`, "b@0", ""},
		{"C-17", `a.ack(); a.retry()`, "", W("retry", "ack")},
		{"C-18", `a.retry(); a.ack()`, "a@0", W("ack", "retry")},
		{"C-19", `a.retry(); batch.ackAll()`, "a@0", ""},
		{"C-20", `batch.ackAll(); a.retry()`, "", W("retry", "ackAll")},
		{"C-21", `batch.ackAll(); batch.retryAll()`, "",
			"warn: Received a call to retryAll() after ackAll() was already called. Calling retryAll() after " +
				"calling ackAll() has no effect."},
		{"C-22", `batch.retryAll(); batch.ackAll()`, "a@0 b@0",
			"warn: Received a call to ackAll() after retryAll() was already called. Calling ackAll() after calling " +
				"retryAll() has no effect."},
		{"C-23", `batch.retryAll(); a.ack()`, "a@0 b@0", W("ack", "retryAll")},
		{"C-24", `batch.retryAll({ delaySeconds: 1 }); a.retry({ delaySeconds: 3 })`, "b@1 a@3", ""},
		{"C-25", `a.retry({ delaySeconds: 3 }); batch.retryAll({ delaySeconds: 1 })`, "b@1 a@3", ""},
		{"C-26", `a.retry({ delaySeconds: 3 }); throw new Error("x")`, "b@0 a@3", ""},
		{"C-28", `a.retry({ delaySeconds: 2 }); a.retry()`, "a@0", ""},
		{"C-28", `batch.retryAll({ delaySeconds: 2 }); batch.retryAll()`, "a@2 b@2", ""},
		{"C-29 a negative delay is none", `a.retry({ delaySeconds: -1 }); batch.retryAll({ delaySeconds: -7 })`,
			"a@0 b@0", ""},
		{"C-29 more than a day", `a.retry({ delaySeconds: 86401 })`, "a@86401", ""},
		{"C-29 converted as P-29", `a.retry({ delaySeconds: 1.5 }); b.retry({ delaySeconds: "abc" })`, "b@0 a@1", ""},
		{"C-29 NaN", `batch.retryAll({ delaySeconds: NaN })`, "a@0 b@0", ""},
		{"BE-14, X-2", `a.ack(); batch.retryAll({ delaySeconds: 5 })`, "b@5", ""},
		{"C-11", `ctx.waitUntil((async () => { await new Promise((r) => setTimeout(r, 5)); ` +
			`a.retry({ delaySeconds: 1 }) })())`, "a@1", ""},
	} {
		t.Run(c.fact, func(t *testing.T) {
			b := newBench(t, setup{
				producers: []Producer{{Binding: "Q", Queue: "q"}},
				consumers: []queues.ConsumerConfig{
					consumer("q", func(c *queues.ConsumerConfig) { c.MaxBatchTimeout = 0 }),
				},
				source: strings.Replace(script("consumer_again.js"), "HANDLER", c.js, 1)})
			b.get("/send")
			b.clock.Advance(t.Context(), 25*time.Hour)
			if got := b.get("/"); got != c.want {
				t.Errorf("%s\n got %q\nwant %q", c.js, got, c.want)
			}
			if got := messageID.ReplaceAllString(b.warnings(), "ID"); got != c.warning {
				t.Errorf("%s: C-27 warning %q, want %q", c.js, got, c.warning)
			}
		})
	}
}

// W is a warning about a message, of which ID stands for the id (C-27).
func W(called, before string) string {
	return strings.NewReplacer("CALLED", called, "BEFORE", before).Replace(
		"warn: Received a call to CALLED() on message ID after BEFORE() was already called. Calling CALLED() on a " +
			"message after calling BEFORE() has no effect.",
	)
}

var messageID = regexp.MustCompile(`\b[0-9a-f]{32}\b`)

// C-10: with the flag only the handler counts.
func TestNoWaitForWaitUntil(t *testing.T) {
	b := newBench(
		t,
		setup{
			flags:     []string{"queue_consumer_no_wait_for_wait_until"},
			producers: []Producer{{Binding: "Q", Queue: "q"}},
			consumers: []queues.ConsumerConfig{consumer("q", nil)},
			source: `
		let n = 0;
		export default {
			async fetch(r, env) { if (r.url.endsWith("send")) await env.Q.send(1); return new Response(String(n)); },
			queue(batch, env, ctx) { n++; ctx.waitUntil(Promise.reject(new Error("late"))); },
		};`,
		},
	)
	b.get("/send")
	b.settle()
	if got := b.get("/"); got != "1" {
		t.Errorf("delivered %s times", got)
	}
}

// C-10: a batch lasts as long as what it waits for.
func TestBatchWaits(t *testing.T) {
	b := newBench(
		t,
		setup{
			producers: []Producer{{Binding: "Q", Queue: "q"}},
			consumers: []queues.ConsumerConfig{consumer("q", nil)},
			source: `
		export default {
			async fetch(r, env) { await env.Q.send(1); return new Response("sent"); },
			queue(batch, env, ctx) { ctx.waitUntil(new Promise((r) => setTimeout(r, 2000))); },
		};`,
		},
	)
	var took []time.Duration
	cancel, err := b.broker.Observe(func(a queues.Activity) {
		if a.Kind == queues.ActivityBatch {
			took = append(took, a.Duration)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	b.get("/")
	b.settle()
	cancel()
	if len(took) != 1 || took[0] != 2*time.Second {
		t.Errorf("batches took %v", took)
	}
}

// C-1: the class form has env and ctx on this, and gets all three arguments.
func TestQueueOfClass(t *testing.T) {
	b := newBench(
		t,
		setup{
			producers: []Producer{{Binding: "Q", Queue: "q"}},
			consumers: []queues.ConsumerConfig{consumer("q", nil)},
			source:    script("consumer_queue_of_class.js"),
		},
	)
	b.get("/")
	b.settle()
	if got, want := b.get("/"), `["x",3,true,true,"function"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// C-12: no handler, or one that is no function, fails the batch with its text; D-7, D-8: it is delivered max_retries+1
// times, then it is in the dead letter queue.
func TestMissingHandler(t *testing.T) {
	for _, handler := range []string{"", "queue: 5,"} {
		b := newBench(
			t,
			setup{
				producers: []Producer{{Binding: "Q", Queue: "q"}},
				consumers: []queues.ConsumerConfig{
					consumer("q", func(c *queues.ConsumerConfig) { c.MaxRetries, c.DeadLetterQueue = 2, "dead" }),
				},
				source: `export default { ` + handler +
					` async fetch(r, env) { return Response.json(r.url.endsWith("send") ? await env.Q.send(1) : ` +
					`await env.Q.metrics()); } };`,
			},
		)
		b.get("/send")
		b.settle()
		if got := b.get("/"); got != `{"backlogCount":0,"backlogBytes":0}` {
			t.Error(got)
		}
		if w := b.warnings(); strings.Count(
			w,
			"Received a QueueEvent but we lack a handler for QueueEvents. Did you remember to export a queue() "+
				"function?",
		) != 1 {
			t.Errorf("%q: the warning must come once: %s", handler, w)
		}
		dead, err := b.broker.DeadLetters(t.Context(), "dead", queues.DeadLetterFilter{})
		if err != nil || len(dead) != 1 ||
			dead[0].DeadLetter.Error != "Error: Handler does not export a queue() function." ||
			dead[0].DeadLetter.Attempts != 3 {
			t.Errorf("%q: dead letters %+v, %v", handler, dead, err)
		}
	}
}

// C-8: the service-worker format: the event has what a batch has; a rejected waitUntil fails the batch, whatever the
// flags. C-12: without a listener the batch fails.
func TestQueueEvent(t *testing.T) {
	send := func(b *bench) {
		t.Helper()
		if _, err := b.broker.Send(t.Context(), "q", []queues.Outgoing{{Body: []byte(`"m"`),
			ContentType: queues.ContentJSON}}, queues.SendOptions{}); err != nil {
			t.Fatal(err)
		}
		b.settle()
	}
	retried := func(c *queues.ConsumerConfig) { c.MaxRetries, c.DeadLetterQueue = 1, "dead" }
	const answer = `addEventListener("fetch", (e) => e.respondWith(new Response(seen.join("|"))));`
	b := newBench(
		t,
		setup{
			flags:     []string{"queue_consumer_no_wait_for_wait_until"},
			consumers: []queues.ConsumerConfig{consumer("q", retried)},
			source:    script("consumer_queue_event.js") + answer,
		},
	)
	send(b)
	row := func(attempts int) string {
		return fmt.Sprintf(
			`[object QueueEvent],queue,q,1,m,%d,{"backlogCount":0,"backlogBytes":0},function,function`,
			attempts,
		)
	}
	if got, want := b.get("/"), row(1)+"|"+row(2); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	b = newBench(
		t,
		setup{consumers: []queues.ConsumerConfig{consumer("q", retried)}, source: `let seen = [];` + answer},
	)
	send(b)
	dead, err := b.broker.DeadLetters(t.Context(), "dead", queues.DeadLetterFilter{})
	if err != nil || len(dead) != 1 ||
		dead[0].DeadLetter.Error != "Error: No event listener registered for queue messages." {
		t.Errorf("dead letters %+v, %v", dead, err)
	}
}

// P-15, P-16, P-17, P-19, P-21, X-6: what arrives.
func TestBodiesArrive(t *testing.T) {
	b := newBench(
		t,
		setup{
			producers: []Producer{{Binding: "Q", Queue: "q"}},
			consumers: []queues.ConsumerConfig{consumer("q", nil)},
			source:    script("consumer_bodies_arrive.js"),
		},
	)
	if got := b.get("/send"); got != "sent" {
		t.Fatal(got)
	}
	b.settle()
	if got, want := b.get("/"), `héllo|true|2,3|{"d":"1970-01-01T00:00:00.000Z","n":null,"m":{}}|true`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// D-15: a delivery that never ends is given up after 15 minutes and counts as a failure.
func TestWallTime(t *testing.T) {
	b := newBench(
		t,
		setup{
			producers: []Producer{{Binding: "Q", Queue: "q"}},
			consumers: []queues.ConsumerConfig{
				consumer("q", func(c *queues.ConsumerConfig) { c.MaxRetries = 0; c.DeadLetterQueue = "dlq" }),
			},
			source: `export default {
			async fetch(r, env) { await env.Q.send(1); return new Response("sent"); },
			async queue() { await new Promise((r) => setTimeout(r, 3600000)); } };`,
		},
	)
	start := b.clock.Now()
	b.get("/send")
	b.clock.Advance(t.Context(), 16*time.Minute)
	dead, err := b.broker.DeadLetters(t.Context(), "dlq", queues.DeadLetterFilter{})
	if err != nil || len(dead) != 1 || dead[0].DeadLetter.Reason != queues.ReasonWallTime {
		t.Fatalf("%+v, %v at %v", dead, err, b.clock.Now().Sub(start))
	}
}
