package queuejs

import (
	"fmt"
	"testing"
	"time"

	"eddy/queues"
)

type producerCase struct{ fact, js, want string }

func runProducer(t *testing.T, date string, list []producerCase) {
	t.Helper()
	exprs := make([]string, len(list))
	for i, c := range list {
		exprs[i] = c.js
	}
	b := newBench(
		t,
		setup{
			source: cases(exprs),
			date:   date,
			producers: []Producer{
				{Binding: "Q", Queue: "q"},
				{Binding: "D", Queue: "d", Delay: queues.DelaySeconds(2)},
			},
		},
	)
	for i, c := range list {
		if got := b.get(fmt.Sprintf("/?run=%d", i)); got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.fact, c.js, got, c.want)
		}
	}
}

// A batch is read by the iterator that it has, whatever a script has made of it, and a body is JSON.stringify's.
func TestSendBatchIterates(t *testing.T) {
	const sizes = `const size = async (list) => {
		await env.Q.sendBatch(list);
		return (await env.Q.metrics()).backlogCount;
	}; `
	runProducer(t, "2026-04-01", []producerCase{
		{"P-1", sizes + `return size([{ body: 1 }, { body: 2 }])`, "2"},
		{"P-1", sizes + `const list = [{ body: 1 }]; list[Symbol.iterator] = function* () { for (let i = 0; i < 3; i++)
			yield { body: i } }; return size(list)`, "5"},
		{"P-1", sizes + `return size(new Set([{ body: 1 }]))`, "6"},
		{"P-1", sizes + `class L extends Array { *[Symbol.iterator]() { yield { body: 1 } } }
			return size(new L(7))`, "7"},
		{"P-1", sizes + `const list = [{ get body() { list.length = 0; return 1 } }, { body: 2 }];
			return size(list)`, "9"},
		{"P-1", sizes + `try { await size([{ body: 1 }, , { body: 2 }]) } catch (e) { return e.message }`,
			"Cannot initialize N7workerd3api11WorkerQueue18MessageSendRequestE with required members from an " +
				"undefined or null value."},
		{"P-1", sizes + `const list = [{ body: 1 }]; Object.defineProperty(list, 0, { get: () => ({ body: 3 }) });
			return size(list)`, "10"},
		{"P-1", sizes + `const steps = Object.getPrototypeOf([][Symbol.iterator]()), next = steps.next; let n = 0;
			steps.next = function () { n++; return next.call(this) };
			try { return [await size([{ body: 1 }]), n].join() } finally { steps.next = next }`, "11,2"},
		{"P-1", `await env.Q.send({ toJSON: () => [1] }); await env.Q.send({ u: undefined, d: new Date(0) });
			return (await env.Q.metrics()).backlogBytes`, fmt.Sprint(11 + len(`[1]{"d":"1970-01-01T00:00:00.000Z"}`))},
	})
}

func TestProducerArguments(t *testing.T) {
	runProducer(t, "2026-04-01", []producerCase{
		{
			"P-1",
			`return [Object.prototype.toString.call(env.Q), Reflect.ownKeys(env.Q).length, ` +
				`Object.getOwnPropertyNames(Object.getPrototypeOf(env.Q)).sort().join(), env.Q.send.length, ` +
				`env.Q.sendBatch.length, env.Q.metrics.length].join(" ")`,
			"[object WorkerQueue] 0 constructor,metrics,send,sendBatch 0 0 0",
		},
		{
			"P-1",
			`const { send } = env.Q; await send(1)`,
			"TypeError: Illegal invocation: function called with incorrect `this` reference. See " +
				"https://developers.cloudflare.com/workers/observability/errors/#illegal-invocation-errors for " +
				"details.",
		},
		{"P-2", `const p = env.Q.send(); await p.catch(() => {}); return p instanceof Promise`, "true"},
		{"P-3", `return await env.Q.send({ a: 1 })`, `{"metadata":{"metrics":{"backlogCount":0,"backlogBytes":0}}}`},
		{
			"P-4",
			`const m = await env.Q.metrics(); return [m.backlogCount, m.backlogBytes, ` +
				`m.oldestMessageTimestamp instanceof Date].join()`,
			"1,7,true",
		},
		{"P-7", `await env.Q.send(undefined)`, "TypeError: Message body cannot be undefined"},
		{"P-7", `await env.Q.sendBatch([{}])`, "TypeError: Message body cannot be undefined"},
		{"P-7", `await env.Q.send(null); return "ok"`, "ok"},
		{
			"P-8",
			`await env.Q.send()`,
			"TypeError: Failed to execute 'send' on 'WorkerQueue': parameter 1 is not of type 'Value'.",
		},
		{
			"P-8",
			`await env.Q.send(1, "x")`,
			"TypeError: Failed to execute 'send' on 'WorkerQueue': parameter 2 is not of type 'SendOptions'.",
		},
		{"P-8", `await env.Q.send(1, null); await env.Q.send(1, { unknown: 1 }); return "ok"`, "ok"},
		{
			"P-9",
			`await env.Q.sendBatch()`,
			"TypeError: Failed to execute 'sendBatch' on 'WorkerQueue': parameter 1 is not of type 'Sequence'.",
		},
		{
			"P-9",
			`await env.Q.sendBatch("x")`,
			"TypeError: Failed to execute 'sendBatch' on 'WorkerQueue': parameter 1 is not of type 'Sequence'.",
		},
		{
			"P-9",
			`await env.Q.sendBatch({})`,
			"TypeError: Failed to execute 'sendBatch' on 'WorkerQueue': parameter 1 is not of type 'Sequence'.",
		},
		{
			"P-9",
			`await env.Q.sendBatch(new Set([{ body: 1 }])); ` +
				`await env.Q.sendBatch((function* () { yield { body: 2 } })()); return "ok"`,
			"ok",
		},
		{
			"P-9",
			`await env.Q.sendBatch((function* () { yield { body: 1 }; throw new RangeError("mine") })())`,
			"RangeError: mine",
		},
		{"P-10", `await env.Q.sendBatch([])`, "TypeError: sendBatch() requires at least one message"},
		{
			"P-10",
			`await env.Q.sendBatch(["x"])`,
			"TypeError: Incorrect type: the provided value is not of type 'MessageSendRequest'.",
		},
		{
			"P-10",
			`await env.Q.sendBatch([null])`,
			"TypeError: Cannot initialize N7workerd3api11WorkerQueue18MessageSendRequestE with required members " +
				"from an undefined or null value.",
		},
		{
			"P-11",
			`await env.Q.sendBatch([{ body: 1, options: { contentType: "xml", delaySeconds: -5 } }]); return "ignored"`,
			"ignored",
		},
		{
			"P-11",
			`await env.Q.sendBatch([{ body: 1, contentType: "xml" }])`,
			"TypeError: Unsupported queue message content type: xml",
		},
		{
			"P-13",
			`await env.Q.send(1, { contentType: "xml" })`,
			"TypeError: Unsupported queue message content type: xml",
		},
		{
			"P-13",
			`await env.Q.send(1, { contentType: null })`,
			"TypeError: Unsupported queue message content type: null",
		},
		{"P-13", `await env.Q.send("t", { contentType: "TEXT" }); return "ok"`, "ok"},
		{
			"P-15",
			`await env.Q.send({}, { contentType: "text" })`,
			`TypeError: Content Type "text" requires a value of type string, but received: object`,
		},
		{
			"P-15",
			`await env.Q.send(null, { contentType: "text" })`,
			`TypeError: Content Type "text" requires a value of type string, but received: object`,
		},
		{"P-15", `await env.Q.send("", { contentType: "text" }); return "ok"`, "ok"},
		{
			"P-16",
			`await env.Q.send(new ArrayBuffer(1), { contentType: "bytes" })`,
			`TypeError: Content Type "bytes" requires a value of type ArrayBufferView, but received: object`,
		},
		{
			"P-18",
			`const a = new Uint8Array(3); await env.Q.send(a, { contentType: "bytes" }); const b = new Uint8Array(3);` +
				` await env.Q.sendBatch([{ body: b, contentType: "bytes" }]); return [a.byteLength, ` +
				`b.byteLength].join()`,
			"0,3",
		},
		{"P-19", `await env.Q.send(1n)`, "TypeError: Do not know how to serialize a BigInt"},
		{"P-20", `await env.Q.send(() => 1)`, "Error: Unknown Internal Error (15000)"},
		{"P-21", `await env.Q.send(() => 1, { contentType: "v8" })`, "DataCloneError: () => 1 could not be cloned."},
		{
			"P-29",
			`await env.Q.send(1, { delaySeconds: 2 ** 40 })`,
			"TypeError: Value out of range. Must be between -2147483648 and 2147483647 (inclusive).",
		},
		{
			"P-29",
			`for (const d of [1.5, "1", null, NaN, Infinity, "abc"]) await env.Q.send(1, { delaySeconds: d }); ` +
				`return "ok"`,
			"ok",
		},
	})
}

// P-27, X-4: what production's broker refuses has its code and says why. P-33, X-3: a queue without any consumer checks
// what is sent to it, and keeps it.
func TestProducerLimits(t *testing.T) {
	runProducer(t, "2026-03-12", []producerCase{
		{
			"P-27",
			`await env.Q.send("x".repeat(127999))`,
			"Error: message length of 128001 bytes exceeds limit of 128000 (10204)",
		},
		{
			"P-27",
			`await env.Q.sendBatch(Array(101).fill({ body: 1 }))`,
			"Error: batch message count of 101 exceeds limit of 100 (10206)",
		},
		{
			"P-27",
			`await env.Q.sendBatch(Array(3).fill({ body: "x".repeat(99_998) }))`,
			"Error: batch size of 300000 bytes exceeds limit of 256000 (10205)",
		},
		{
			"P-27",
			`await env.Q.send(1, { delaySeconds: -5 })`,
			"Error: delay of -5 seconds is outside 0 to 86400 (10203)",
		},
		{
			"X-9",
			`await env.Q.send(1, { delaySeconds: 86400 }); await env.Q.send(1, { delaySeconds: 86401 })`,
			"Error: delay of 86401 seconds is outside 0 to 86400 (10203)",
		},
		{"P-33", `await env.Q.send("kept"); return (await env.Q.metrics()).backlogCount`, "2"}, // with the one above
		{"Z0-18", `return Object.keys(await env.Q.send(1)).join()`, "metadata"},
	})
}

// P-32: the binding's delivery_delay applies to sends that name none, as in the reference; the configuration warns that
// it does nothing in production.
func TestProducerDelay(t *testing.T) {
	b := newBench(t, setup{producers: []Producer{{Binding: "D", Queue: "d", Delay: queues.DelaySeconds(2)}},
		source: `export default { async fetch(r, env) { await env.D.send(1); await env.D.send(2, ` +
			`{ delaySeconds: 0 }); await env.D.sendBatch([{ body: 3 }]); return new Response(); } };`})
	b.get("/")
	for _, want := range []struct {
		after          time.Duration
		ready, delayed int
	}{{0, 1, 2}, {2 * time.Second, 3, 0}} {
		b.clock.Advance(t.Context(), want.after)
		q, err := b.broker.Queue(t.Context(), "d")
		if err != nil || q.Ready != want.ready || q.Delayed != want.delayed {
			t.Errorf("after %v: %d ready, %d delayed, %v", want.after, q.Ready, q.Delayed, err)
		}
	}
}

// P-35: many bindings, one queue; what a send in waitUntil runs into is nobody's error.
func TestProducersOfOneQueue(t *testing.T) {
	b := newBench(
		t,
		setup{
			producers: []Producer{{Binding: "Q", Queue: "q"}, {Binding: "R", Queue: "q"}, {Binding: "S", Queue: "s"}},
			source:    script("producer_producers_of_one_queue.js"),
		},
	)
	if got := b.get("/"); got != "[2,2,1]" {
		t.Error(got)
	}
}

// P-25, P-26: below the flag's date the old texts.
func TestProducerOldErrors(t *testing.T) {
	runProducer(t, "2026-03-01", []producerCase{
		{
			"P-26",
			`await env.Q.send("x".repeat(127999))`,
			"Error: Queue send failed: message length of 128001 bytes exceeds limit of 128000",
		},
		{
			"P-26",
			`await env.Q.sendBatch(Array(101).fill({ body: 1 }))`,
			"Error: Queue sendBatch failed: batch message count of 101 exceeds limit of 100",
		},
		{"P-20", `await env.Q.send(Symbol())`, "Error: Queue send failed: Internal Server Error"},
	})
}

// P-14: before 2024-03-18 bodies are v8 by default.
func TestProducerDefaultContentType(t *testing.T) {
	for date, want := range map[string]string{"2024-03-17": "true", "2024-03-18": "false"} {
		b := newBench(
			t,
			setup{
				date:      date,
				producers: []Producer{{Binding: "Q", Queue: "q"}},
				consumers: []queues.ConsumerConfig{consumer("q", nil)},
				source: `let seen; export default {
				async fetch(r, env) { if (r.url.endsWith("send")) await env.Q.send(new Map([[1, 2]]));
					return new Response(String(seen)); },
				queue(batch) { seen = batch.messages[0].body instanceof Map; } };`,
			},
		)
		b.get("/send")
		b.settle()
		if got := b.get("/"); got != want {
			t.Errorf("%s: Map arrives as Map: %s, want %s", date, got, want)
		}
	}
}
