package objectjs

import (
	"strings"
	"testing"
	"time"
)

const lifeObject = prelude + `
let born = 0; const modes = {};
globalThis.seen = [];
export class L extends DurableObject {
	constructor(ctx, env) { super(ctx, env); this.n = ++born; this.calls = 0; ctx.blockConcurrencyWhile(async () => { await sleep(5); this.ready = true }) }
	who() { return this.n + (this.ready ? "r" : "-") + ++this.calls }
	timer(ms) { setTimeout(() => {}, ms) }
	wait(ms) { this.ctx.waitUntil(sleep(ms)) }
	failWait() { this.ctx.waitUntil(Promise.reject(new Error("waited"))); return "fine" }
	badTimer() { setTimeout(() => { throw new Error("timer") }, 1); return "fine" }
	get mode() { return modes[this.ctx.id] }
	set mode(m) { modes[this.ctx.id] = m }
	async set(ms, mode) { this.mode = mode; await this.ctx.storage.setAlarm(Date.now() + ms) }
	async alarm(info) {
		seen.push(this.mode + " " + info.retryCount + " " + info.isRetry + " " + (await this.ctx.storage.getAlarm()));
		if (this.mode === "throw") throw new Error("alarm threw");
		if (this.mode === "again" && info.retryCount === 0) { this.mode = "done"; await this.ctx.storage.setAlarm(Date.now() + 1000); throw new Error("after set") }
		if (this.mode === "abort") { seen.push("aborting"); this.ctx.abort("in alarm") }
	}
	at() { return this.ctx.storage.getAlarm() }
	name() { return this.ctx.id.name }
	async slow(tag) { seen.push("in " + tag); await sleep(10); seen.push("out " + tag); return tag }
	async locked(tag) { return this.ctx.blockConcurrencyWhile(async () => { seen.push("lock " + tag); await sleep(10); seen.push("unlock " + tag); return tag }) }
	async txn(tag) { return this.ctx.storage.transaction(async () => { seen.push("begin " + tag); await sleep(10); seen.push("end " + tag) }) }
	async readWait() { const v = (await this.ctx.storage.get("c")) ?? 0; await sleep(1); await this.ctx.storage.put("c", v + 1); return v + 1 }
	broken() { this.ctx.storage.sql.exec("CREATE TABLE p (id INTEGER PRIMARY KEY)"); this.ctx.storage.sql.exec("CREATE TABLE c (p REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED)"); this.ctx.storage.sql.exec("INSERT INTO c VALUES (5)"); return "never" }
}
const l = (env, n = "a") => env.L.getByName(n);
const take = () => { const s = seen.join("|"); seen = []; return s };
const tests = {
	who: (env) => l(env).who(),
	idle: async (env) => { const out = [await l(env, "i").who()]; await sleep(9000); out.push(await l(env, "i").who()); await sleep(11000); out.push(await l(env, "i").who()); return out.join() },
	kept: async (env) => { const out = []; for (const f of ["timer", "wait"]) { const a = await l(env, f).who(); await l(env, f)[f](13000); await sleep(12000); const b = await l(env, f).who(); out.push(a[0] === b[0]) } return out.join() },
	errors: async (env) => { const out = [await l(env).failWait(), await l(env).badTimer()]; await sleep(5); return out.join() + await l(env).who() },
	alarmDone: async (env) => { take(); await l(env, "d").set(500, "done"); const at = (await l(env, "d").at()) > Date.now(); await sleep(600); return [at, take(), await l(env, "d").at()].join() },
	alarmThrow: async (env) => { take(); await l(env, "t").set(100, "throw"); await sleep(1000); const between = (await l(env, "t").at()) !== null; await sleep(150000); return between + "\n" + take() + "\n" + (await l(env, "t").at()) },
	alarmAgain: async (env) => { take(); await l(env, "g").set(100, "again"); await sleep(5000); return take() },
	alarmAbort: async (env) => { take(); await l(env, "x").set(100, "abort"); await sleep(3000); return take() },
	gates: async (env) => { take(); const s = l(env, "o"); await s.who(); take(); await Promise.all([s.slow(1), s.slow(2)]); const a = take(); await Promise.all([s.locked(1), s.slow(2), s.locked(3)]); const b = take(); await Promise.all([s.txn(1), s.txn(2), s.slow(3)]); return [a, b, take()].join("\n") },
	race: async (env) => { const s = l(env, "race"); return (await Promise.all([s.readWait(), s.readWait(), s.readWait()])).join() },
	constraint: async (env) => { const s = l(env, "fk"); return [await caught(() => s.broken()), await caught(() => s.who())].join("\n") },
};
`

// testdata/alarmname.txtar (CL15).
func TestAlarmKnowsTheName(t *testing.T) {
	root := t.TempDir()
	b := newBenchAt(t, root, Options{})
	b.play("alarmname", config{classes: []string{"L"}})
	b.clock.Pause()
	b.play("alarmname", config{classes: []string{"L"}}, "before the end")
	b.close()
	newBenchAt(t, root, Options{}).play("alarmname", config{classes: []string{"L"}}, "restarted")
}

// GT1 to GT11, CL3, SQL19, AL3 to AL6: what interleaves, what stays, what comes back.
func TestLifeFacts(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"L"}}, lifeObject)
	for _, f := range [][2]string{
		{"who", "1r1"},
		{"idle", "2r1,2r2,3r1"},
		{"kept", "true,true"},
		{"errors", "fine,fine1r1"},
		{"alarmDone", "true,done 0 false ,"},
		{"alarmThrow", "true\nthrow 0 false |throw 1 true |throw 2 true |throw 3 true |throw 4 true |throw 5 true |throw 6 true \nnull"},
		{"alarmAgain", "again 0 false |done 0 false "},
		{"alarmAbort", "abort 0 false |aborting|abort 1 true |aborting"},
		{"gates", "in 1|in 2|out 1|out 2\nlock 1|unlock 1|in 2|lock 3|unlock 3|out 2\nbegin 1|end 1|begin 2|end 2|in 3|out 3"},
		{"race", "1,1,1"},
		{"constraint", "Error: Durable Object was reset and rolled back to its last known good state because the application left the database in a state where constraints were violated: FOREIGN KEY constraint failed: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_FOREIGNKEY) durableObjectReset\nError: Durable Object was reset and rolled back to its last known good state because the application left the database in a state where constraints were violated: FOREIGN KEY constraint failed: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_FOREIGNKEY) durableObjectReset"},
	} {
		if f[0] == "errors" {
			// GT9: "a" idled away meanwhile; a fresh one counts from where births are.
			if got := b.get(w, "/errors"); !strings.HasPrefix(got, "fine,fine") {
				t.Error(got)
			}
			if n := b.notes(); !strings.Contains(n, "uncaught Error: waited") || !strings.Contains(n, "uncaught Error: timer") {
				t.Errorf("notes: %s", n)
			}
			continue
		}
		if got := b.get(w, "/"+f[0]); strings.ReplaceAll(got, " null", " ") != strings.ReplaceAll(f[1], " null", " ") {
			t.Errorf("%s\n got: %s\nwant: %s\nnotes %s", f[0], got, f[1], b.notes())
		}
	}
}

// AL7, ID14: an overdue alarm fires at start with its original time; --alarms=drop forgets it.
func TestAlarmsSurvive(t *testing.T) {
	src := prelude + `
export class L extends DurableObject {
	async set(ms) { await this.ctx.storage.setAlarm(Date.now() + ms) }
	async alarm(info) { await this.ctx.storage.put("fired", info.scheduledTime + " " + info.retryCount + " " + this.ctx.id.name) }
	async read() { return (await this.ctx.storage.get("fired")) ?? "not fired" }
}
const tests = { set: (env) => env.L.getByName("a").set(60000).then(() => "ok"), read: (env) => env.L.getByName("a").read() };
`
	b := newBench(t)
	b.clock.Pause() // or it would fire at once
	b.expect(b.start(config{classes: []string{"L"}}, src), "/set", "ok")
	b.close()
	for _, c := range []struct {
		mode AlarmMode
		want string
	}{{AlarmsHold, "not fired"}, {AlarmsFire, "1775001660000 0 a"}} {
		again := newBenchAt(t, b.root, Options{Alarms: c.mode})
		w := again.start(config{classes: []string{"L"}}, src)
		again.clock.Advance(t.Context(), 2*time.Hour)
		again.expect(w, "/read", c.want)
		again.close()
	}
	b = newBench(t)
	b.clock.Pause()
	b.expect(b.start(config{classes: []string{"L"}}, src), "/set", "ok")
	b.close()
	again := newBenchAt(t, b.root, Options{Alarms: AlarmsDrop})
	w := again.start(config{classes: []string{"L"}}, src)
	again.clock.Advance(t.Context(), 2*time.Hour)
	again.expect(w, "/read", "not fired")
}

// GT13: new code takes the namespace over: memory is gone, storage stays, calls in between wait.
func TestReload(t *testing.T) {
	src := func(v string) string {
		return prelude + `
export class L extends DurableObject { n = 0; async inc() { this.ctx.storage.put("s", (await this.ctx.storage.get("s") ?? 0) + 1); return "` + v + ` " + ++this.n + " " + await this.ctx.storage.get("s") } }
const tests = { inc: (env) => env.L.getByName("a").inc() };`
	}
	b := newBench(t)
	w := b.start(config{classes: []string{"L"}}, src("old"))
	b.expect(w, "/inc", "old 1 1")
	w = b.start(config{classes: []string{"L"}}, src("new"))
	b.expect(w, "/inc", "new 1 2")
}
