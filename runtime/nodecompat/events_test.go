package nodecompat

import "testing"

func TestEventEmitter(t *testing.T) {
	const e = `const E = require("events"); const e = new E(); const got = [];`
	cases{
		{e + `e.on("a", (x) => got.push(x)); e.once("a", (x) => got.push("once" + x)); ` +
			`e.prependListener("a", () => got.push("first")); e.emit("a", 1); e.emit("a", 2); ` +
			`return [...got, e.listenerCount("a"), e.eventNames()]`, "first,1,once1,first,2,2,a"},
		{e + `return e.emit("none")`, "false"},
		{e + `e.emit("error", new Error("lost"))`, "throws Error: lost"},
		{e + `try { e.emit("error", { a: 1 }) } catch (x) { return x.code + x.message }`,
			"ERR_UNHANDLED_ERRORUnhandled error. ({ a: 1 })"},
		{e + `e.on(E.errorMonitor, (x) => got.push("seen" + x.message)); ` +
			`try { e.emit("error", new Error("m")) } catch {} return got`, "seenm"},
		{e + `e.on("newListener", (n) => got.push("+" + n)); e.on("removeListener", (n) => got.push("-" + n)); ` +
			`const f = () => {}; e.on("z", f); e.off("z", f); return got`, "+removeListener,+z,-z"},
		{e + `e.on("a", 1)`,
			`throws TypeError: The "listener" argument must be of type function. Received type number (1)`},
		{e + `setTimeout(() => e.emit("go", 1, 2), 3); return E.once(e, "go")`, "1,2"},
		{e + `setTimeout(() => e.emit("error", new Error("no")), 3); return E.once(e, "go")`, "throws Error: no"},
		{e + `const c = new AbortController(); setTimeout(() => c.abort(), 1); ` +
			`return E.once(e, "go", { signal: c.signal })`, "throws AbortError: The operation was aborted"},
		{e + `setTimeout(() => { e.emit("v", 1); e.emit("v", 2) }, 1); const it = E.on(e, "v"); ` +
			`const a = await it.next(), b = await it.next(); await it.return(); ` +
			`return [a.value, b.value, e.listenerCount("v")]`, "1,2,0"},
		{`const E = require("events"); const e = new E({ captureRejections: true }); ` +
			`e.on("x", async () => { throw new Error("async") }); e.emit("x"); ` +
			`return (await E.once(e, "error").catch((x) => [x]))[0].message`, "async"},
		{`const E = require("events"); const t = new EventTarget(); const f = () => {}; t.addEventListener("q", f); ` +
			`return E.getEventListeners(t, "q")[0] === f`, "true"},
		{`const E = require("events"); function Old() { E.call(this) } require("util").inherits(Old, E); ` +
			`const o = new Old(); let n = 0; o.on("a", () => n++); o.emit("a"); ` +
			`return [n, o instanceof E, Old.super_ === E]`, "1,true,true"},
	}.run(t)
}
