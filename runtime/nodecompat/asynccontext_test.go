package nodecompat

import "testing"

func TestAsyncLocalStorageFollowsWork(t *testing.T) {
	const als = `const { AsyncLocalStorage, AsyncResource } = require("async_hooks"); ` +
		`const als = new AsyncLocalStorage(); const seen = []; const see = () => seen.push(als.getStore());`
	cases{
		{als + `await als.run(1, async () => { see(); await null; see(); await scheduler.wait(5); see() }); see(); ` +
			`return seen.map(String)`, "1,1,1,undefined"},
		{als + `await als.run(2, ` +
			`() => new Promise((done) => { ` +
			`setTimeout(() => { see(); queueMicrotask(() => { see(); process.nextTick(() => { see(); done() }) }) }, ` +
			`1) })); return seen`, "2,2,2"},
		{als + `als.run(3, () => { als.exit(see); als.run(4, see); see() }); return seen.map(String)`, "undefined,4,3"},
		{als + `als.enterWith(5); see(); await null; see(); als.disable(); see(); return seen.map(String)`,
			"5,5,undefined"},
		{als + `const inside = als.run(6, () => AsyncLocalStorage.snapshot()); ` +
			`return als.run(7, () => [inside(() => als.getStore()), als.getStore()])`, "6,7"},
		{als + `const f = als.run(8, () => AsyncLocalStorage.bind(function () { return [this.x, als.getStore()] })); ` +
			`return f.call({ x: 1 })`, "1,8"},
		{als + `const r = als.run(9, () => new AsyncResource("R")); ` +
			`return [r.runInAsyncScope((a, b) => a + b + als.getStore(), null, 1, 2), ` +
			`r.bind(() => als.getStore())()]`, "12,9"},
		{als + `return new AsyncLocalStorage({ defaultValue: 10, name: "n" }).getStore() + ` +
			`new AsyncLocalStorage({ name: "n" }).name`, "10n"},
		{als + `als.run(1, 5)`,
			`throws TypeError: The "callback" argument must be of type function. Received type number (5)`},
		{als + `try { als.run(1, () => { throw new Error("out") }) } catch (e) { return e.message + als.getStore() }`,
			"outundefined"},
	}.run(t)
}

func TestDiagnosticsChannel(t *testing.T) {
	cases{
		{`const dc = require("diagnostics_channel"), got = []; const f = (m, n) => got.push(m, n); ` +
			`dc.subscribe("a", f); dc.channel("a").publish(1); dc.unsubscribe("a", f); dc.channel("a").publish(2); ` +
			`return [...got, dc.hasSubscribers("a")]`, "1,a,false"},
		{`const dc = require("diagnostics_channel"), got = []; const c = dc.tracingChannel("t"); ` +
			`c.subscribe({ start: (m) => got.push("start"), end: (m) => got.push("end" + m.result), ` +
			`error: (m) => got.push(m.error.message) }); c.traceSync(() => 5, {}); ` +
			`try { c.traceSync(() => { throw new Error("e") }, {}) } catch {} return got`,
			"start,end5,start,e,endundefined"},
		{`const dc = require("diagnostics_channel"), got = []; const c = dc.tracingChannel("p"); ` +
			`c.subscribe({ asyncEnd: (m) => got.push(m.result) }); await c.tracePromise(async () => 6, {}); ` +
			`return got`, "6"},
		{`const dc = require("diagnostics_channel"); const { AsyncLocalStorage } = require("async_hooks"); ` +
			`const als = new AsyncLocalStorage(); const c = dc.channel("s"); c.bindStore(als, (d) => d + 1); ` +
			`return c.runStores(1, () => als.getStore())`, "2"},
	}.run(t)
}
