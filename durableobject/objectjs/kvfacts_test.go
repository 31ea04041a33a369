package objectjs

import (
	"testing"

	"eddy/durableobject/storage"
)

const kvObject = `
class Base extends DurableObject { async run(name) { return await cases[name](this.ctx.storage, this.ctx, this) } }
export class S extends Base { alarm() {} }
export class K extends Base { alarm() {} }
const keys = async (s, o) => [...(await s.list(o)).keys()].join();
const tests = new Proxy({}, { get: (_, n) => async (env) => {
	const [name, cls] = n.split(".");
	return env[cls ?? "S"].getByName(n).run(name);
} });
const cases = {
	async kv2(s) { const out = []; await s.put({ a: 1, b: 2 }); out.push(await s.get("a"), await s.delete("a"), await keys(s), await s.transaction((t) => t.get("b")), s.transactionSync(() => "sync")); await s.setAlarm(Date.now() + 1e6); out.push(await s.getAlarm() > 0); await s.deleteAlarm(); await s.deleteAll(); out.push(await keys(s)); return out.join("|") },
	async kv2refused(s) { return [await caught(() => s.sql.exec("SELECT 1")), await caught(() => s.sql.databaseSize), typeof s.sql, typeof s.kv, await caught(() => s.kv.get("a")), await caught(() => s.kv.put("a", 1)), await caught(() => s.kv.delete("a")), await caught(() => s.kv.list())].map((t) => t.slice(0, 60)).join("\n") },
	async kv3(s) { await s.put("5", "five"); await s.put("null", "nul"); await s.put("", "empty"); return [await s.get(5), await s.get(null), await s.get(""), [...await s.get(["null", "5", "5", "none"])].join(";"), (await s.get([])).size].join("|") },
	async kv5(s) { await s.put(Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true }, hidden: { value: 1 } })); await s.put({ a: undefined, [Symbol("q")]: 1, z: 0 }); await s.put(new Map([["m", 1]])); return [await keys(s), await caught(() => s.put({ a: 1 }, "options"))].join("|") },
	async kv8(s) { await s.put({ a: 1, b: 2, null: 3 }); return [await keys(s, { limit: 1.5 }), await keys(s, { limit: "2" }), await keys(s, null), await keys(s, { nonsense: 1, prefix: undefined }), await keys(s, { start: null })].join("|") },
	async kv9(s) { await s.put({ a: 1, b: 2 }); const l = s.list(); s.delete("a"); const v = { x: 1 }; s.put("v", v); v.x = 2; const one = await s.get("v"), two = await s.get("v"); return [[...(await l).keys()].join(), one.x, one !== two, await keys(s)].join("|") },
	async kv10(s) {
		const out = []; const keep = async (v, f) => { await s.put("v", v); out.push(f(await s.get("v"))) }; const no = async (v) => out.push(await caught(() => s.put("v", v)));
		await keep({ get g() { return 7 } }, (v) => v.g); await no({ get g() { throw new RangeError("in getter") } });
		class P { x = 1; m() {} get g() { return 2 } } await keep(new P(), (v) => JSON.stringify(v) + (v.constructor === Object));
		const e = new TypeError("msg", { cause: 5 }); e.extra = 1; await keep(e, (v) => [v.name, v.message, v.cause, "extra" in v, v instanceof TypeError].join());
		await keep(new DOMException("d", "AbortError"), (v) => v.name + v.code); await keep(new Headers({ a: "b" }), (v) => v.get("a")); await keep(new Request("http://x/", { method: "PUT" }), (v) => v.method + v.url);
		await no(new Proxy({}, {})); await no((function* () {})()); await no(new Response("x")); await no(new URL("http://x/")); return out.join("\n") },
	async kv13(s) { const o = { allowConcurrency: true, allowUnconfirmed: true, noCache: true }; const out = []; await s.put("a", 1, o); await s.put({ b: 2 }, o); out.push(await s.get("a", o), (await s.get(["a", "b"], o)).size, (await s.list(o)).size, await s.delete("a", o), await s.delete(["b"], o)); await s.setAlarm(Date.now() + 1e6, o); out.push(await s.getAlarm(o) > 0); await s.deleteAlarm(o); await s.deleteAll(o); return out.join() },
	async kv14list(s) { const kv = s.kv; const empty = kv.list(); kv.put("a", 1); kv.put("b", 2); const out = [JSON.stringify([...empty])]; const first = kv.list(); kv.delete("a"); kv.put("c", 3); out.push(JSON.stringify([...first]));
		const gone = kv.list(); await s.deleteAll(); out.push(await caught(() => gone.next().value), await caught(() => gone.next())); kv.put("x", 1); const old = kv.list(); const now = kv.list(); out.push(await caught(() => old.next()), JSON.stringify([...now])); return out.join("|") },
	async kv3symbol(s) { const out = []; for (const f of [() => s.put(Symbol("a"), 1), () => s.get(Symbol("a")), () => s.get([Symbol("a")]), () => s.delete(Symbol("a")), () => s.list({ prefix: Symbol("a") })]) out.push(await caught(f)); return [...new Set(out), (await s.list()).size].join("|") },
	async kv13types(s) { const out = []; for (const f of [() => s.get("a", 5), () => s.put("a", 1, "x"), () => s.delete("a", 5), () => s.deleteAll(5), () => s.getAlarm(5), () => s.setAlarm(4e12, 5), () => s.deleteAlarm("x"), () => s.get("a", null)]) out.push((await caught(f)).replace(/.*is not of type /, "")); return out.join() },
	async kv14(s) { const kv = s.kv; kv.put("a", 1); kv.put("b", 2); await s.put("c", 3); const l = kv.list({ reverse: true, limit: 2 }); const list = [typeof l.next, Array.isArray(l), JSON.stringify([...l])]; kv.put("a,b", "joined"); return [...list, kv.get(["a", "b"]), await s.get("a"), kv.get("c"), kv.delete("zz")].join("|") },
	async kv15(s) { await s.put("a", 1); s.sql.exec("CREATE TABLE t (x)"); s.sql.exec("INSERT INTO t VALUES (zeroblob(20000))"); await s.setAlarm(Date.now() + 1e6); const cursor = s.sql.exec("SELECT 1 UNION SELECT 2"); const big = s.sql.databaseSize; await s.deleteAll(); const out = [big > 20000, s.sql.databaseSize, s.sql.exec("SELECT count(*) n FROM sqlite_master").one().n, await s.getAlarm() !== null, await caught(() => cursor.toArray())]; s.deleteAll(); s.put("after", 1); out.push(await keys(s)); return out.join("|") },
	async kv16(s, ctx, o) { const log = []; const other = Promise.all([s.put("a", 1).then(() => log.push("put")), s.sync().then(() => log.push("sync"))]); await other; return log.join() },
	async many(s) { const o = {}; for (let i = 0; i < 200; i++) o["k" + String(i).padStart(3, 0)] = i; const list = Object.keys(o); return [await caught(() => s.put(o)), await caught(async () => (await s.get(list)).size), await caught(() => s.delete(list)), await caught(() => s.transaction(async (t) => { for (const k of list) await t.put(k, 1); return "all" }))].join("\n") },
	async keys(s) { return [await caught(() => s.put("k".repeat(2049), 1)), await caught(() => s.get("é".repeat(1025))), await caught(() => s.delete("k".repeat(2049))), await caught(() => s.put("k".repeat(2048), 1))].join("\n") },
	async values(s) { return [await caught(() => s.put("v", "x".repeat(131072))), await caught(() => s.put({ a: 1, v: "x".repeat(131072) })), await s.get("a"), await caught(() => s.put("v", "x".repeat(131000)))].join("\n") },
	async rows(s) { return [await caught(() => s.put("v", "x".repeat(2_300_000))), await caught(() => s.put({ a: 1, v: "x".repeat(2_300_000) })), await s.get("a"), await caught(() => s.put("v", "x".repeat(2_000_000)))].join("\n") },
	async tx3(s) { s.sql.exec("CREATE TABLE t (x)"); const e = await caught(() => s.transaction(async (t) => { await t.put("t", 1); await s.put("s", 1); s.sql.exec("INSERT INTO t VALUES (1)"); throw new Error("back") })); await s.transaction(async () => { await s.put("outer", 1); await caught(() => s.transaction(async () => { await s.put("inner", 1); throw new Error("x") })) }); return [e, await keys(s), s.sql.exec("SELECT count(*) n FROM t").one().n].join("|") },
	async tx6(s) { const out = []; out.push(await caught(() => s.transactionSync(() => { s.put("async", 1); s.kv.put("kv", 1); throw new Error("back") })), await keys(s)); s.transactionSync(() => { s.kv.put("o", 1); try { s.transactionSync(() => { s.kv.put("i", 1); throw 1 }) } catch {} }); out.push(await keys(s)); const p = s.transactionSync(async () => { s.kv.put("before", 1); await null; s.kv.put("later", 1); throw new Error("late") }); out.push(await caught(p), await keys(s)); return out.join("|") },
	async tx8(s) { let runs = 0; const add = (ms) => s.transaction(async (t) => { runs++; const v = (await t.get("n")) ?? 0; await sleep(ms); await t.put("n", v + 1) }); await Promise.all([add(5), add(1), s.put("n", 10), add(3)]); return runs + " " + await s.get("n") },
};
`

// What the platform promises about keys and values, for classes with SQLite and without:
// KV2, KV3, KV5, KV8, KV9, KV10, KV13, KV14, KV15, KV16, TX3, TX6, TX8.
func TestKVFacts(t *testing.T) {
	same := [][2]string{
		{"kv2", "1|true|b|2|sync|true|"},
		{"kv3", "five|nul|empty|5,five;null,nul|0"},
		{"kv5", "own,z|TypeError: put() may only be called with a single key-value pair and optional options as put(key, value, options) or with multiple key-value pairs and optional options as put(entries, options)"},
		{"kv8", "a|a,b|a,b,null|a,b,null|null"},
		{"kv9", "a,b|1|true|b,v"},
		{"kv10", "7\nRangeError: in getter\n{\"x\":1}true\nTypeError,msg,5,false,true\nAbortError20\nb\nPUThttp://x/\nDataCloneError: #<Object> could not be cloned.\nDataCloneError: [object Generator] could not be cloned.\nDataCloneError: ReadableStream can only be serialized for RPC.\nDataCloneError: Could not serialize object of type \"URL\". This type does not support serialization."},
		{"kv13", "1,2,2,true,1,true"},
		{"kv3symbol", "TypeError: Cannot convert a Symbol value to a string|0"},
		{"kv13types", "'GetOptions'.,'PutOptions'.,'PutOptions'.,'PutOptions'.,'GetAlarmOptions'.,'SetAlarmOptions'.,'SetAlarmOptions'.,no error: undefined"},
		{"kv16", "put,sync"},
	}
	want := [][2]string{
		{"kv2refused.K", "Error: SQL is not enabled for this Durable Object class. To \nError: SQL is not enabled for this Durable Object class. To \nobject\nobject\nError: The storage.kv (synchronous KV) API is only available\nError: The storage.kv (synchronous KV) API is only available\nError: The storage.kv (synchronous KV) API is only available\nError: The storage.kv (synchronous KV) API is only available"}, // SQL17, KV14
		{"kv14", "function|false|[[\"c\",3],[\"b\",2]]|joined|1|3|false"},
		{"kv14list", "[]|[[\"a\",1],[\"b\",2],[\"c\",3]]|Error: SQLite query was canceled because the database was deleted.|Error: SQLite query was canceled because the database was deleted.|Error: kv.list() iterator was invalidated because a new call to kv.list() was started. Only one kv.list() iterator can exist at a time.|[[\"x\",1]]"},
		{"kv15", "true|4096|0|false|Error: SQLite query was canceled because the database was deleted.|after"},
		{"tx3", "Error: back|outer|0"},
		{"tx6", "Error: back||o|Error: late|before,later,o"},
		{"tx8", "3 13"}, // nothing conflicts, and no closure runs twice
	}
	for _, f := range same {
		want = append(want, f, [2]string{f[0] + ".K", f[1]})
	}
	facts(t, config{classes: []string{"S"}, kv: []string{"K"}}, kvObject, want)
}

// KV15: below 2026-02-24 the alarm outlives deleteAll.
func TestDeleteAllKeepsAlarm(t *testing.T) {
	facts(t, config{classes: []string{"S"}, kv: []string{"K"}, date: "2026-02-23"}, kvObject, [][2]string{
		{"kv15", "true|8192|1|true|Error: SQLite query was canceled because the database was deleted.|after"},
	})
}

// KV12: production's limits hold for classes without SQLite, and only for them; lifted, those of KV11 are left.
func TestKVLimits(t *testing.T) {
	const tooBig = "Error: string or blob too big: SQLITE_TOOBIG"
	free := [][2]string{
		{"many", "no error: undefined\nno error: 200\nno error: 200\nno error: all"},
		{"keys", "no error: undefined\nno error: undefined\nno error: true\nno error: undefined"},
		{"values", "no error: undefined\nno error: undefined\n1\nno error: undefined"},
		{"rows", tooBig + "\n" + tooBig + "\n\nno error: undefined"},
	}
	const key = "RangeError: Keys cannot be larger than 2048 bytes. A key of size "
	limited := [][2]string{
		{"many.K", "RangeError: Maximum number of pairs is 128.\nRangeError: Maximum number of keys is 128.\nRangeError: Maximum number of keys is 128.\nno error: all"},
		{"keys.K", key + "2049 was provided.\n" + key + "2050 was provided.\n" + key + "2049 was provided.\nno error: undefined"},
		{"values.K", "RangeError: Values cannot be larger than 131072 bytes. A value of size 131078 was provided.\nRangeError: Values cannot be larger than 131072 bytes. A value of size 131078 was provided.\n\nno error: undefined"},
	}
	for _, c := range []struct {
		limits storage.Limits
		want   [][2]string
	}{{storage.KVBackedLimits, append(limited, free...)}, {storage.Limits{}, append([][2]string{{"many.K", free[0][1]}, {"keys.K", free[1][1]}, {"values.K", free[2][1]}, {"rows.K", free[3][1]}}, free...)}} {
		b := newBenchAt(t, t.TempDir(), Options{Limits: c.limits})
		w := b.start(config{classes: []string{"S"}, kv: []string{"K"}}, prelude+kvObject)
		for _, f := range c.want {
			b.expect(w, "/"+f[0], f[1])
		}
	}
}
