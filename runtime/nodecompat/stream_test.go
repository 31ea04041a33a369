package nodecompat

import "testing"

func TestStreams(t *testing.T) {
	const s = `const { Readable, Writable, Transform, PassThrough, Duplex, compose, promises } = require("stream"); ` +
		`const { text } = require("stream/consumers"); const got = [];`
	cases{
		{s + `const r = Readable.from(["a", "b"]); r.on("data", (d) => got.push(d)).on("end", ` +
			`() => got.push("end")).on("close", () => got.push("close")); await promises.finished(r); ` +
			`await scheduler.wait(1); return got`, "a,b,end,close"},
		{s + `await promises.pipeline(Readable.from(["x", "y"]), new Transform({ ` +
			`transform(c, e, cb) { cb(null, String(c).toUpperCase()) } }), ` +
			`new Writable({ write(c, e, cb) { got.push(c.toString()); setTimeout(cb, 5) } })); return got`, "X,Y"},
		{s + `const w = new Writable({ highWaterMark: 3, write(c, e, cb) { setTimeout(cb, 1) } }); ` +
			`got.push(w.write("abcd"), w.writableNeedDrain); await new Promise((d) => w.once("drain", d)); w.end(); ` +
			`await promises.finished(w); return [...got, w.writableFinished]`, "false,true,true"},
		{s + `const w = new Writable({ write(c, e, cb) { cb(new Error("full")) } }); ` +
			`w.on("error", (e) => got.push(e.message)).on("close", () => got.push("close")); w.write("a"); ` +
			`await scheduler.wait(1); return [...got, w.destroyed]`, "full,close,true"},
		{s + `const w = new Writable({ write(c, e, cb) { cb() } }); w.on("error", (e) => got.push(e.code)); w.end(); ` +
			`w.write("late"); await scheduler.wait(1); return got`, "ERR_STREAM_WRITE_AFTER_END"},
		{s + `const w = new Writable({ writev(cs, cb) { got.push(cs.length); cb() } }); w.cork(); w.write("a"); ` +
			`w.write("b"); w.uncork(); w.end(); await promises.finished(w); return got`, "2"},
		{s + `const r = new Readable({ read() { this.destroy(new Error("gone")) } }); return text(r)`,
			"throws Error: gone"},
		{s + `const r = new Readable({ read() {} }); r.push("abcdef"); r.push(null); r.setEncoding("utf8"); ` +
			`await new Promise((d) => r.once("readable", d)); return [r.read(2), r.read(3), r.read(9), ` +
			`r.read()].map(String)`, "ab,cde,f,null"},
		{s + `return Readable.from([1, 2, 3, 4]).filter((x) => x % 2).map(async (x) => x * 10).toArray()`, "10,30"},
		{s + `return Readable.from([1, 2, 3]).reduce((a, b) => a + b)`, "6"},
		{s + `try { await promises.pipeline(Readable.from(["a"]), ` +
			`new Transform({ transform(c, e, cb) { cb(new Error("broken")) } }), new PassThrough()) } catch (e) { ` +
			`return e.message }`, "broken"},
		{s + `const c = compose(new Transform({ transform(c, e, cb) { cb(null, c + "!") } }), new PassThrough()); ` +
			`c.end("hey"); return text(c)`, "hey!"},
		{s + `return new Response(Readable.toWeb(Readable.from([Buffer.from("to "), Buffer.from("web")], ` +
			`{ objectMode: false }))).text()`, "to web"},
		{s + `return text(Readable.fromWeb(new Response("from web").body))`, "from web"},
		{s + `const it = Readable.from(["p", "q"])[Symbol.asyncIterator](); const a = await it.next(); ` +
			`await it.return(); return [a.value, it.stream.destroyed]`, "p,true"},
		{s + `const d = new Duplex({ read() { this.push("r"); this.push(null) }, ` +
			`write(c, e, cb) { got.push(String(c)); cb() } }); d.end("w"); ` +
			`return [await text(d), ...got, d instanceof Writable, d instanceof Readable]`, "r,w,true,true"},
		{s + `const c = new AbortController(); const p = promises.pipeline(new Readable({ read() {} }), ` +
			`new PassThrough(), { signal: c.signal }); c.abort(); return p`,
			"throws AbortError: The operation was aborted"},
		{s + `class C extends Readable { _construct(cb) { got.push("made"); setTimeout(cb, 1) } _read() { ` +
			`this.push(null) } } await text(new C()); return got`, "made"},
	}.run(t)
}
