package objectjs

import (
	"strings"
	"testing"
	"time"
)

const bookmarkObject = prelude + `
let born = 0;
export class B extends DurableObject {
	n = ++born;
	async add(k) { this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS t (a)"); this.ctx.storage.sql.exec("INSERT INTO t VALUES (?)", k); await this.ctx.storage.put(k, 1) }
	async read() { return [[...(await this.ctx.storage.list()).keys()].join("+"), this.ctx.storage.sql.exec("SELECT group_concat(a, '+') AS x FROM t").one().x, await this.ctx.storage.getAlarm() === null ? "no alarm" : "alarm"].join(" ") }
	mark() { return this.ctx.storage.getCurrentBookmark() }
	at(t) { return this.ctx.storage.getBookmarkForTime(t) }
	async back(b, k) { const undo = await this.ctx.storage.onNextSessionRestoreBookmark(b); if (k) await this.ctx.storage.put(k, 1); return undo }
	async both() { const s = this.ctx.storage; s.put("before", 1); const b = s.getCurrentBookmark(); s.put("after", 1); return b }
	born() { return this.n }
	abort() { this.ctx.abort("restoring") }
	wake(ms) { return this.ctx.storage.setAlarm(Date.now() + ms) }
	alarm() { this.ctx.storage.put("rang", 1) }
}
export class K extends DurableObject { async run() { const s = this.ctx.storage; return [await caught(() => s.getCurrentBookmark()), await caught(() => s.getBookmarkForTime(Date.now())), await caught(() => s.onNextSessionRestoreBookmark("x"))].join("\n") } }
const o = (env) => env.B.getByName("a");
let marks = {};
const tests = {
	kv: (env) => env.K.getByName("a").run(),
	errors: async (env) => [await caught(() => o(env).at("x")), await caught(() => o(env).at()), await caught(() => o(env).at(new Date(NaN))), await caught(() => o(env).back("nonsense")), await caught(() => o(env).at(Date.now() + 1e6)), await caught(() => o(env).at(Date.now() - 31 * 86400e3))].join("\n"),
	round: async (env) => {
		await o(env).add("a"); const one = await o(env).mark(); const t = Date.now(); await sleep(5000);
		await o(env).add("b"); await o(env).wake(3600e3); const two = await o(env).mark(); await sleep(5000);
		const was = await o(env).born();
		const undo = await o(env).back(one, "late"); const still = await o(env).read();
		await caught(() => o(env).abort()); const back = await o(env).read(); const reborn = await o(env).born() > was;
		await o(env).back(undo); await caught(() => o(env).abort()); const undone = await o(env).read();
		await o(env).back(await o(env).at(t + 2000)); await caught(() => o(env).abort()); const timed = await o(env).read();
		return [/^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/.test(one), one < two, two < undo, still, back, reborn, undone, timed].join("|");
	},
	turn: async (env) => { marks.both = await o(env).both(); await o(env).add("x"); await o(env).back(marks.both); await caught(() => o(env).abort()); return (await o(env).read()).split(" ")[0] },
	later: async (env) => { const b = await o(env).mark(); await o(env).add("gone"); await o(env).back(b); return "asked" },
	idle: async (env) => { const b = await o(env).mark(); await o(env).add("z"); await o(env).back(b); await sleep(11000); return (await o(env).read()).includes("z") },
	read: (env) => o(env).read(),
};
`

// SQL18 with the point-in-time recovery of production: SQL, keys and the alarm go back together when the object begins
// anew; the undo bookmark is of the end of the session; a time leads back, too. Objects without SQLite have none of it.
func TestBookmarks(t *testing.T) {
	b := newBench(t)
	c := config{classes: []string{"B"}, kv: []string{"K"}}
	w := b.start(c, bookmarkObject)
	const refused = "Error: This Durable Object's storage back-end does not implement point-in-time recovery. remote"
	for _, f := range [][2]string{
		{"round", "true|true|true|a+b+late a+b alarm|a a no alarm|true|a+b+late a+b alarm|a a no alarm"},
		{"turn", "a+after+before"},
		{"idle", "false"},
		{"later", "asked"},
	} {
		b.expect(w, "/"+f[0], f[1])
	}
	if got := b.get(w, "/kv"); strings.Count(got+"\n", strings.TrimSuffix(refused, " remote")+"\n") != 3 {
		t.Error(got)
	}
	got := strings.Split(b.get(w, "/errors"), "\n")
	for i, want := range []string{
		"TypeError: Failed to execute 'getBookmarkForTime' on 'DurableObjectStorage': parameter 1 is not of type 'date'.",
		"TypeError: Failed to execute 'getBookmarkForTime' on 'DurableObjectStorage': parameter 1 is not of type 'date'.",
		"TypeError: The value cannot be converted because it is not a valid Date.",
		`Error: bookmark "nonsense": expected 8-8-8-32 lower-case hexadecimal digits, as getCurrentBookmark() gives them`,
		"Error: getBookmarkForTime() cannot tell of a time in the future.",
		"Error: getBookmarkForTime() can go back 30 days at most.",
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("error %d: %v, want %s", i, got, want)
			break
		}
	}
	b.close()
	// What was asked for happens after a restart, too.
	again := newBenchAt(t, b.root, Options{})
	w = again.start(c, bookmarkObject)
	if got := again.get(w, "/read"); strings.Contains(got, "gone") || !strings.HasPrefix(got, "a+") {
		t.Error(got)
	}
}

// An alarm that comes back with an old state rings; one that goes with the new state does not.
func TestBookmarkRestoresAlarm(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"B"}}, strings.Replace(bookmarkObject, "read: (env)", `
	set: async (env) => { await o(env).add("a"); await o(env).wake(60e3); const m = await o(env).mark(); await o(env).add("b"); await sleep(61e3); const rang = (await o(env).read()).includes("rang"); await o(env).back(m); await caught(() => o(env).abort()); const state = await o(env).read(); await sleep(1e3); return [rang, state, await o(env).read()].join("|") },
	read: (env)`, 1))
	b.expect(w, "/set", "true|a a alarm|a+rang a no alarm")
}

// Without history bookmarks are as in the reference (SQL18).
func TestNoHistory(t *testing.T) {
	b := newBenchAt(t, t.TempDir(), Options{HistoryKeep: -time.Second})
	w := b.start(config{classes: []string{"B"}}, strings.Replace(bookmarkObject, "read: (env)", `
	old: async (env) => [await o(env).mark(), await o(env).mark(), await caught(() => o(env).at(1)), await caught(() => o(env).back("x"))].join("\n"),
	read: (env)`, 1))
	b.expect(w, "/old", "00000000-00000000-00000000-00000000000000000000000000000000\n00000000-00000001-00000000-00000000000000000000000000000000\n"+
		"Error: This Durable Object's storage back-end does not implement point-in-time recovery. remote\nError: This Durable Object's storage back-end does not implement point-in-time recovery. remote")
}
