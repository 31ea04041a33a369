package objectjs

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A program of TestSerial: groups of calls that one driver makes at the same time, each a list of operations on one
// object.
type serialProgram struct {
	groups []*serialGroup
	// alarm is what every alarm handler does.
	alarm []*serialOp
}

type serialGroup struct {
	calls []*serialCall
	// pause is how long the driver waits afterwards, in ms.
	pause int
}

// serialCall is one method, called once, by the driver or by another call.
type serialCall struct {
	id, object int
	// http calls it by fetch, otherwise by RPC.
	http bool
	ops  []*serialOp
}

// serialOp is one operation; body and call are set for those that have one.
type serialOp struct {
	kind string
	key  int
	n    int
	wait bool // the promise is awaited
	body []*serialOp
	call *serialCall
}

const serialObjects = 4

// serialGenerator makes programs. Calls go only from an object to one with a higher number: no deadlocks.
type serialGenerator struct {
	rng  *rand.Rand
	next int // number of the next call, and of values
}

func (g *serialGenerator) program() *serialProgram {
	p := &serialProgram{alarm: g.ops(3, serialAlarmOps, 0, 2)}
	for range 1 + g.rng.IntN(3) {
		gr := &serialGroup{pause: []int{0, 0, 1, 30, 11000}[g.rng.IntN(5)]}
		for range 1 + g.rng.IntN(4) {
			gr.calls = append(gr.calls, g.call(g.rng.IntN(serialObjects)))
		}
		p.groups = append(p.groups, gr)
	}
	return p
}

func (g *serialGenerator) call(object int) *serialCall {
	g.next++
	id := g.next
	return &serialCall{id: id, object: object, http: g.rng.IntN(3) == 0, ops: g.ops(6, serialCallOps, object, 0)}
}

// The operations of a call, of a transaction's or section's body, of transactionSync and of an alarm handler, with
// weights.
var (
	serialSyncOps  = []string{"put", "put", "kvput", "kvget", "delete", "sql", "sqlread", "alarm", "noalarm", "mem"}
	serialAlarmOps = []string{"put", "get", "list", "sleep", "micro", "sql", "at", "mem", "sync"}
	serialBodyOps  = append([]string{"get", "get", "list", "sqlread", "micro", "sleep", "sleep", "at", "call", "txn",
		"tsync", "block"}, serialSyncOps...)
	serialCallOps = append([]string{"sync", "sleep", "call", "txn", "txn", "tsync", "block", "throw", "abort", "break",
		"crash", "crash"}, serialBodyOps...)
)

func (g *serialGenerator) ops(most int, kinds []string, object, depth int) []*serialOp {
	var out []*serialOp
	for range g.rng.IntN(most + 1) {
		kind := kinds[g.rng.IntN(len(kinds))]
		if depth > 1 && (kind == "txn" || kind == "tsync" || kind == "block" || kind == "call") ||
			kind == "call" && object == serialObjects-1 {
			kind = "put"
		}
		g.next++
		op := &serialOp{kind: kind, key: g.rng.IntN(3), n: g.next, wait: g.rng.IntN(2) == 0}
		switch kind {
		case "txn":
			op.key = g.rng.IntN(3) // commit, throw, rollback
			op.body = g.ops(4, serialBodyOps, object, depth+1)
		case "tsync":
			op.key = g.rng.IntN(2) // commit, throw
			op.body = g.ops(3, serialSyncOps, object, 2)
			for _, o := range op.body {
				o.wait = false
			}
		case "block":
			op.body = g.ops(3, serialBodyOps, object, depth+1)
		case "call":
			op.call = g.call(object + 1 + g.rng.IntN(serialObjects-object-1))
		case "sleep":
			op.key = []int{0, 1, 2, 5}[g.rng.IntN(4)]
		case "alarm":
			op.key = []int{0, 1, 3, 10}[g.rng.IntN(4)]
		}
		out = append(out, op)
		if kind == "throw" || kind == "abort" || kind == "break" {
			break
		}
	}
	return out
}

// calls are all calls of the program, nested ones too.
func (p *serialProgram) calls() []*serialCall {
	var out []*serialCall
	var inOps func(ops []*serialOp)
	inCall := func(c *serialCall) { out = append(out, c); inOps(c.ops) }
	inOps = func(ops []*serialOp) {
		for _, o := range ops {
			inOps(o.body)
			if o.call != nil {
				inCall(o.call)
			}
		}
	}
	for _, g := range p.groups {
		for _, c := range g.calls {
			inCall(c)
		}
	}
	return out
}

// serialLists calls f with every list of operations, for shrinking.
func (p *serialProgram) lists(f func(list *[]*serialOp)) {
	var walk func(list *[]*serialOp)
	walk = func(list *[]*serialOp) {
		f(list)
		for _, o := range *list {
			walk(&o.body)
			if o.call != nil {
				walk(&o.call.ops)
			}
		}
	}
	for _, g := range p.groups {
		for _, c := range g.calls {
			walk(&c.ops)
		}
	}
	walk(&p.alarm)
}

func objectExpr(n int) string { return fmt.Sprintf("o(this.env, %d)", n) }

func (c *serialCall) expr() string {
	if c.http {
		return fmt.Sprintf("%s.fetch('http://x/c%d').then((r) => r.text())", objectExpr(c.object), c.id)
	}
	return fmt.Sprintf("%s.c%d()", objectExpr(c.object), c.id)
}

// source is the program as a Worker. Everything that happens is written into one history: the objects share an isolate,
// so its order is the order of execution.
func (p *serialProgram) source() string {
	var b strings.Builder
	b.WriteString(`
import { DurableObject } from "cloudflare:workers";
const H = []; let born = 0, alarms = 0;
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const out = (p) => p.then((v) => v ?? "none", (e) => e.message);
const o = (env, n) => (n % 2 ? env.B : env.A).getByName("o" + n);
const T0 = Date.now();
class Base extends DurableObject {
	mem = 0; #born = ++born;
	constructor(ctx, env) { super(ctx, env); this.L("", "born") }
	L(task, kind, ...args) { H.push({ at: Date.now() - T0, object: Number(this.ctx.id.name?.slice(1) ??
		names[this.ctx.id]), inst: this.#born, task, kind, args: args.map(String) }) }
	table() { this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS t (n)") }
	fetch(request) { return this[new URL(request.url).pathname.slice(1)]().then((v) => new Response(v)) }
`)
	for _, c := range p.calls() {
		fmt.Fprintf(&b, "\tasync c%d() {\n\t\tconst s = this.ctx.storage, T = \"c%d\"; this.L(T, \"start\");\n", c.id,
			c.id)
		writeOps(&b, c.ops, 2)
		b.WriteString("\t\tthis.L(T, \"end\"); return \"ok\";\n\t}\n")
	}
	b.WriteString("\tasync alarm(info) {\n\t\tconst s = this.ctx.storage, T = \"a\" + ++alarms; this.L(T, " +
		"\"alarmed\", info.scheduledTime - T0);\n")
	writeOps(&b, p.alarm, 2)
	b.WriteString("\t\tthis.L(T, \"end\");\n\t}\n}\nexport class A extends Base {}\nexport class B extends Base {}\n" +
		"const names = {};\n")
	b.WriteString("export default { async fetch(request, env) {\n" +
		"\tif (request.url.endsWith(\"hist\")) return Response.json(H);\n")
	fmt.Fprintf(&b, "\tfor (let n = 0; n < %d; n++) names[(n %% 2 ? env.B : env.A).idFromName(\"o\" + n)] = n;\n",
		serialObjects)
	b.WriteString("\tconst D = (kind, ...args) => H.push({ at: Date.now() - T0, object: -1, inst: 0, task: " +
		"\"driver\", kind, args });\n\tconst run = (id, f) => { D(\"issue\", id); return out(f()).then((r) => " +
		"D(\"done\", id, r)) };\n")
	for _, g := range p.groups {
		b.WriteString("\tawait Promise.all([\n")
		for _, c := range g.calls {
			fmt.Fprintf(&b, "\t\trun(\"c%d\", () => %s),\n", c.id, strings.ReplaceAll(c.expr(), "this.env", "env"))
		}
		b.WriteString("\t]);\n")
		if g.pause > 0 {
			fmt.Fprintf(&b, "\tawait sleep(%d);\n", g.pause)
		}
	}
	b.WriteString("\tD(\"finished\");\n\treturn new Response(\"ok\");\n} };\n")
	return b.String()
}

func writeOps(b *strings.Builder, ops []*serialOp, depth int) {
	for _, o := range ops {
		b.WriteString(strings.Repeat("\t", depth))
		await := ""
		if o.wait {
			await = "await "
		}
		log := func(args string) string { return "this.L(T, " + args + ");" }
		section := func(head, end, tail string) {
			b.WriteString(head + "\n")
			writeOps(b, o.body, depth+1)
			b.WriteString(strings.Repeat("\t", depth+1) + end + "\n" + strings.Repeat("\t", depth) + tail)
		}
		switch o.kind {
		case "put":
			fmt.Fprintf(b, `{ const p = s.put("k%d", %d); %s %sp }`, o.key, o.n,
				log(fmt.Sprintf(`"put", "k%d", %d`, o.key, o.n)), await)
		case "kvput":
			fmt.Fprintf(b, `s.kv.put("k%d", %d); %s`, o.key, o.n, log(fmt.Sprintf(`"put", "k%d", %d`, o.key, o.n)))
		case "get":
			fmt.Fprintf(b, `%s`, log(fmt.Sprintf(`"got", "k%d", await s.get("k%d")`, o.key, o.key)))
		case "kvget":
			fmt.Fprintf(b, `%s`, log(fmt.Sprintf(`"got", "k%d", s.kv.get("k%d")`, o.key, o.key)))
		case "delete":
			fmt.Fprintf(b, `s.delete("k%d"); %s`, o.key, log(fmt.Sprintf(`"delete", "k%d"`, o.key)))
		case "list":
			b.WriteString(log(`"listed", [...await s.list()].join()`))
		case "sql":
			fmt.Fprintf(b, `this.table(); s.sql.exec("INSERT INTO t VALUES (?)", %d); %s`, o.n,
				log(fmt.Sprintf(`"sql", %d`, o.n)))
		case "sqlread":
			b.WriteString(`this.table(); ` +
				log(`"rows", s.sql.exec("SELECT n FROM t ORDER BY rowid").toArray().map((r) => r.n).join()`))
		case "alarm":
			fmt.Fprintf(b, `{ const at = Date.now() + %d, p = s.setAlarm(at); %s %sp }`, o.key, log(`"alarm", at - T0`),
				await)
		case "noalarm":
			fmt.Fprintf(b, `s.deleteAlarm(); %s`, log(`"alarm", ""`))
		case "at":
			b.WriteString(`{ const at = await s.getAlarm(); ` + log(`"at", at === null ? "" : at - T0`) + ` }`)
		case "mem":
			b.WriteString(log(`"mem", ++this.mem`))
		case "micro":
			b.WriteString("await null; " + log(`"micro"`))
		case "sleep":
			fmt.Fprintf(b, `%s await sleep(%d); %s`, log(`"yield"`), o.key, log(`"on"`))
		case "sync":
			b.WriteString(log(`"yield"`) + " await s.sync(); " + log(`"on"`))
		case "call":
			fmt.Fprintf(b, `%s { const r = await out(%s); %s }`, log(fmt.Sprintf(`"yield", "c%d"`, o.call.id)),
				o.call.expr(), log(fmt.Sprintf(`"on", "c%d", r`, o.call.id)))
		case "txn":
			end := []string{log(`"commit"`), log(`"rollback"`) + ` throw new Error("txn");`,
				log(`"rollback"`) + ` tx.rollback();`}[o.key]
			section(log(`"enter"`)+` { const r = await out(s.transaction(async (tx) => { `+log(`"begin"`),
				end+" return \"in\" }));", log(`"left", r`)+" }")
		case "tsync":
			end := []string{log(`"commit"`), log(`"rollback"`) + ` throw new Error("tsync");`}[o.key]
			section(`try { s.transactionSync(() => { `+log(`"savepoint"`), end+" }) } catch {}", log(`"left", ""`))
		case "block":
			section(log(`"enter"`)+` await this.ctx.blockConcurrencyWhile(async () => { `+log(`"lock"`),
				log(`"unlock"`)+" });", log(`"left", ""`))
		case "break":
			fmt.Fprintf(b, `%s await this.ctx.blockConcurrencyWhile(async () => { %s throw new Error("broken %d") });`,
				log(`"enter"`), log(fmt.Sprintf(`"reset", "broken %d"`, o.n)), o.n)
		case "throw":
			fmt.Fprintf(b, `%s throw new Error("thrown %d");`, log(fmt.Sprintf(`"throw", "thrown %d"`, o.n)), o.n)
		case "abort":
			fmt.Fprintf(b, `%s this.ctx.abort("abort %d");`, log(fmt.Sprintf(`"reset", "abort %d"`, o.n)), o.n)
		case "crash":
			b.WriteString(log(`"crash", this.env.CRASH()`))
		default:
			panic("no such operation: " + o.kind)
		}
		b.WriteString("\n")
	}
}
