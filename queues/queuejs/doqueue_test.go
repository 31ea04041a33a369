package queuejs

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// lane is a Worker with one do-queue class whose handlers log what they see; options and handlers vary.
func lane(handlers, options string) string {
	return strings.NewReplacer("HANDLERS", handlers, "OPTIONS", options).Replace(script("doqueue_lane.js"))
}

func runLane(t *testing.T, handlers, options, items string) string {
	t.Helper()
	b := newBench(t, setup{source: lane(handlers, options)})
	if got := b.get("/send?items=" + items); strings.HasPrefix(got, "error") {
		t.Fatal(got)
	}
	b.settle()
	return b.get("/")
}

const noJitter = `{ retryJitter: 0, maxBatchSize: 1 }`

func TestLanes(t *testing.T) {
	for _, c := range []struct{ fact, handlers, options, items, want string }{
		{"DQ-5 order within a lane", `queue(b) { for (const m of b.messages) log.push(m.body.n) }`, noJitter,
			"1/k,2/k,3/k", "1 2 3"},
		{"DQ-7 id, attempts, timestamp", `queue(b) { const m = b.messages[0]; ` +
			`log.push(/^[0-9a-f]{8}-[0-9a-f]{4}-/.test(m.id), m.attempts, m.timestamp instanceof Date) }`, noJitter,
			"1", "true 1 true"},
		{"DQ-16, DQ-19 back-off, four deliveries, DQ-22 then gone", `queue(b) { log.push(at()); throw new Error("x") }`,
			noJitter, "1", "0 1 3 7"},
		{"DQ-16 cap", `queue(b) { log.push(at()); throw new Error("x") }`,
			`{ retryJitter: 0, maxRetries: 5, retryBaseDelayMs: 10000, retryMaxDelayMs: 30000 }`, "1",
			"0 10 30 60 90 120"},
		{"DQ-15 own delay", `queue(b) { log.push(at()); ` +
			`if (b.messages[0].attempts < 3) b.messages[0].retry({ delaySeconds: 5 }) }`, noJitter, "1", "0 5 10"},
		{"DQ-17 head of line", `queue(b) { const m = b.messages[0]; log.push(m.body.n + "@" + at()); ` +
			`if (m.body.n === "1" && m.attempts === 1) m.retry() }`, noJitter, "1/k,2/k", "1@0 1@1 2@1"},
		{"DQ-5 lanes do not block each other",
			`queue(b) { const m = b.messages[0]; log.push(m.body.n + "@" + at()); ` +
				`if (m.body.n === "1" && m.attempts === 1) m.retry() }`, noJitter, "1/k,2/l", "1@0 2@0 1@1"},
		{"DQ-12 acked stays acked", `queue(b) { log.push(b.messages.map((m) => m.body.n).join("+")); ` +
			`b.messages[0].ack(); if (b.messages[0].attempts === 1 && b.messages.length > 1) throw new Error("x") }`,
			`{ retryJitter: 0 }`, "1/k,2/k,3/k", "*"},
		{"DQ-13 ackAll settles the rest", `async queue(b) { await slow(); ` +
			`log.push(b.messages.map((m) => m.body.n).join("+")); if (b.messages.length > 1) { b.messages[1].retry();` +
			` b.ackAll() } }`, `{ retryJitter: 0 }`, "1/k,2/k,3/k", "1 2+3 3"},
		{"DQ-13 retryAll settles the rest, with its delay",
			`async queue(b) { await slow(); log.push(b.messages.map((m) => m.body.n + "@" + at()).join("+")); ` +
				`if (b.messages.length > 1) { b.messages[1].ack(); b.retryAll({ delaySeconds: 4 }) } }`,
			`{ retryJitter: 0 }`, "1/k,2/k,3/k", "1@0 2@0+3@0 2@4"},
		{"X-10, DQ-14 first settlement wins",
			`queue(b) { log.push(at()); if (b.messages[0].attempts === 1) { b.retryAll({ delaySeconds: 2 }); ` +
				`b.messages[0].retry({ delaySeconds: 9 }); b.messages[0].ack() } }`, noJitter, "1", "0 2"},
		{"DQ-12 waitUntil", `queue(b, env, ctx) { log.push(at()); ` +
			`if (b.messages[0].attempts === 1) ctx.waitUntil(Promise.reject(new Error("x"))) }`, noJitter, "1", "0 1"},
		{"DQ-20 dead letter", `queue() { throw new Error("bad") }, deadLetter(m, e, ` +
			`env) { log.push("dead:" + m.body.n + ":" + e.message + "@" + at() + (typeof env === "object" ? "" : "no ` +
			`env")) }`, noJitter, "1/k,2/k", "dead:1:bad@7 dead:2:bad@14"},
		{"DQ-20 the error is the handler's", `queue(b) { if (b.messages[0].body.n === "1") null.x; ` +
			`const e = new Error("card"); e.name = "PaymentError"; throw e }, deadLetter(m, e) { log.push(m.body.n, ` +
			`m.attempts, e instanceof TypeError, e instanceof Error, e.name, e.message.includes("null"), ` +
			`e.stack.includes("queue")) }`, `{ retryJitter: 0, maxRetries: 0, maxBatchSize: 1 }`, "1/k,2/k",
			"1 1 true true TypeError true true 2 1 false true PaymentError false true"},
		{"DQ-20 without an error", `queue(b) { b.retryAll() }, deadLetter(m, e) { log.push(e.name + "=" + e.message) }`,
			`{ retryJitter: 0, maxRetries: 0 }`, "1", "Error=Retries_exhausted:_retry"},
		{"DQ-21 hand-off is tried again", `queue() { log.push("q"); throw new Error("bad") }, deadLetter(m, ` +
			`e) { log.push("d@" + at()); if (log.filter((l) => l[0] === "d").length < 3) throw new Error("later") }`,
			`{ retryJitter: 0, maxRetries: 0 }`, "1", "q d@0 d@1 d@3"},
	} {
		t.Run(c.fact, func(t *testing.T) {
			got := runLane(t, c.handlers, c.options, c.items)
			want := strings.ReplaceAll(c.want, "_", " ")
			if want != "*" && got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if want == "*" && strings.Count(got, "1") != 1 {
				t.Errorf("an acked message came again: %s", got)
			}
		})
	}
}

func TestLaneArguments(t *testing.T) {
	b := newBench(t, setup{source: script("doqueue_arguments.js")})
	want := strings.Join([]string{
		"TypeError: createDOQueue() requires an object with a queue(batch, env, ctx) function.",
		"RangeError: createDOQueue(): maxRetries must be a number of at least 0, got -1.",
		"TypeError: DOQueueProducer requires a queue name as its second argument.",
		"TypeError: Message body cannot be undefined",
		"TypeError: DOQueueProducer requires a Durable Object namespace binding (env.MY_QUEUE_DO) as its first " +
			"argument.",
	}, "\n")
	if got := b.get("/"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// DQ-1, DQ-3: what the module exports, and what it leaves out on purpose.
func TestDOQueueExports(t *testing.T) {
	b := newBench(t, setup{source: fmt.Sprintf(`
		import * as all from %q;
		const C = all.createDOQueue({ queue() {} });
		export default { fetch() { return Response.json([
			Object.keys(all).sort().join(), Object.getOwnPropertyNames(all.DOQueueProducer.prototype).join(), typeof C,
				C.prototype instanceof Object,
		]) } };`, DOQueueModule)})
	if got, want := b.get("/"), `["DOQueueProducer,createDOQueue","constructor,send","function",true]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// What the types declare as values is the same; the compiler's own word is in the suite with npm packages.
	var values []string
	for _, m := range regexp.MustCompile(`export (?:class|function) (\w+)`).FindAllStringSubmatch(DOQueueTypes, -1) {
		values = append(values, m[1])
	}
	if got := strings.Join(values, ","); got != "DOQueueProducer,createDOQueue" ||
		!strings.Contains(DOQueueTypes, fmt.Sprintf("declare module %q", DOQueueModule)) {
		t.Errorf("the types declare the values %s", got)
	}
}

// DQ-2: below 2024-04-03 there is no RPC, and the error says what to do.
func TestDOQueueNeedsRPC(t *testing.T) {
	source := script("doqueue_rpc.js")
	const refusal = DOQueueModule + ` calls Durable Objects by RPC: set compatibility_date to 2024-04-03 or later, ` +
		`or the compatibility flag "rpc".`
	for _, c := range []struct {
		date  string
		flags []string
		want  string
	}{{"2024-04-02", nil, refusal + "," + refusal}, {"2024-04-02", []string{"rpc"}, "fine,fine"},
		{"2024-04-03", nil, "fine,fine"}} {
		if got := newBench(t, setup{source: source, date: c.date, flags: c.flags}).get("/"); got != c.want {
			t.Errorf("%s %v: %s", c.date, c.flags, got)
		}
	}
}

// DQ-4: the lane is the name of the Durable Object that the package would use: the queue's name, or with a key
// queue:key.
func TestDOQueueLaneNames(t *testing.T) {
	b := newBench(t, setup{source: lane(`queue(b) { b.retryAll() }`, `{ maxRetries: 1000 }`)})
	b.get("/send?items=1,2/k,3/k,4/l")
	b.settle()
	lanes, err := b.broker.Lanes(t.Context(), "w-Lane/jobs", "", 10, false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range lanes {
		got = append(got, fmt.Sprint(l.Key, " ", l.Messages))
	}
	if want := "jobs 1,jobs:k 2,jobs:l 1"; strings.Join(got, ",") != want {
		t.Errorf("lanes %v, want %s", got, want)
	}
}
