package gojainternals

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dop251/goja"
)

// waitingCalls note in r what happens, in its order, where functions wait.
var waitingCalls = []string{
	`const f = async (a) => { for (const x of a) for (const y in { p: x, q: x }) r.push(x, y, await x, await y) };
		f([1, 2]).then(() => r.push("end")); f(["a"])`,
	`const f = async (n) => { try { r.push(await n); await Promise.reject(n) } catch (e) { r.push("caught", e);
		await 0; return "caught" } finally { r.push("finally"); await 1; r.push("finally after") } };
		f(1).then((v) => r.push(v)); f(2).then((v) => r.push(v))`,
	`const f = async (n) => { await n; await n; if (n) [n - 1].forEach(f); await n; r.push(n); await n };
		[3].forEach(f); f(2)`,
	`const f = async (n) => { await 0; await 1; const list = await Promise.all([1, 2].map(async (x) =>
		{ await x; await f2(x); return x * n })); r.push(...list) }; const f2 = async (x) => { await x };
		[1, 2].forEach(f)`,
	`class P extends Promise { then(a, b) { r.push("then"); return super.then(a, b) } }
		(async () => { await 0; r.push(await new P((yes) => yes("sub"))); r.push(await P.resolve(1)) })();
		Promise.resolve().then(() => r.push("1")).then(() => r.push("2")).then(() => r.push("3"))
		.then(() => r.push("4"))`,
	`(async () => { await 0; r.push(await { then(yes) { r.push("asked"); yes("thenable") } });
		try { await { get then() { throw "getter" } } } catch (e) { r.push(e) } r.push(await { then: 1 }.then) })();
		Promise.resolve().then(() => r.push("1")).then(() => r.push("2")).then(() => r.push("3"))`,
	`const own = Promise.resolve(7); own.constructor = Object; (async () => { await 0; r.push(await own) })();
		Promise.resolve().then(() => r.push("1")).then(() => r.push("2")).then(() => r.push("3"))`,
	`let yes; const p = new Promise((y) => yes = y); for (const n of [1, 2, 3]) (async () => { r.push(n, await p) })();
		p.then((v) => r.push("then", v)); (async () => { await 0; await 0; yes("late") })()`,
	`let no; const p = new Promise((_, n) => no = n); for (const n of [1, 2]) (async () => { try { await p }
		catch (e) { r.push(n, e) } })(); p.catch((v) => r.push("catch", v)); Promise.resolve().then(() => no("no"))`,
	`(async () => { const [a, ...b] = await (async () => [1, 2, 3])(); r.push(a, ...b, ...(await f(9)));
		r.push("-" + await 1 + await f(2), (await f(1)) + (await f(2)), { x: await 3, ...(await { y: 4 }) }) })();
		async function f(x) { await x; return [x] }`,
	`const o = { get p() { return f() } }; const f = async () => { await 0; return this === undefined };
		(async function () { r.push(await o.p, this, arguments.length, await arguments[0]) }).call("s", 5)`,
	`const stack = async () => { await 0; await 0; throw Error("e") }; const outer = async () => { await 0;
		try { await stack() } catch (e) { r.push(e.stack) } };
		(async () => { await outer(); r.push(Error("s").stack); [1].forEach(async () => { await 0; await 0;
		r.push(Error("n").stack) }) })()`,
	`label: for (const x of [1]) { (async () => { while (true) { switch (await x) { case 1: r.push("one"); await 2;
		return r.push("done") } } })() } for (let i = 0; i < 3; i++) (async () => { await i; r.push(() => i) })()`,
	`let held; const f = async (n) => { if (n === 0) return held; await n; return f(n - 1) };
		held = f(0).then(() => "x"); f(3).then((v) => r.push(v));
		const gone = async () => { await new Promise(() => {}) };
		gone(); gone(); (async () => ({ a: await f(1) }))().then((v) => r.push(v.a))`,
}

// A function that waits is goja's own to all that can see it.
func TestWaits(t *testing.T) { compareCalls(t, waitingCalls) }

// The promises that are rejected, and then handled, are the same.
func TestWaitsRejected(t *testing.T) {
	source := `const f = async (n) => { await n; await n; throw n }; f(1); const p = f(2);
		(async () => { await 0; await 0; try { await p } catch {} })(); const q = Promise.reject(3);
		(async () => { await 0; await 0; await 0; await 0; try { await q } catch {} })();
		(async () => { await Promise.reject(4) })();
		Promise.reject(6).then(() => {}); p.then(() => {}).finally(() => {});
		Promise.resolve().then(() => { throw 7 });
		const u = Promise.reject(8); Promise.resolve().then(() => u.then(0, () => {})); (async () =>
		{ throw 5 })().catch(() => {})`
	told := func(quick bool) (list []string) {
		l, rt := layout(t), goja.New()
		rt.SetPromiseRejectionTracker(func(p *goja.Promise, op goja.PromiseRejectionOperation) {
			list = append(list, fmt.Sprint(p.Result(), op))
		})
		p := compile(t, source)
		prepared(l, rt, p, quick)
		if _, err := rt.RunProgram(p); err != nil {
			t.Fatal(err)
		}
		return list
	}
	if got, want := told(true), told(false); len(want) < 8 || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// contexts is a tracker whose contexts are numbers.
type contexts struct {
	now int
	log *[]string
}

func (c *contexts) Grab() any     { return c.now }
func (c *contexts) Resumed(v any) { c.now = v.(int); *c.log = append(*c.log, fmt.Sprint("in ", c.now)) }
func (c *contexts) Exited()       { *c.log = append(*c.log, "out"); c.now = 0 }

// What goes on after an await, and what Then calls, has the async context that was there before.
func TestWaitsInContext(t *testing.T) {
	told := func(quick bool) (log []string) {
		l, rt := layout(t), goja.New()
		c := &contexts{log: &log}
		rt.SetAsyncContextTracker(c)
		set(t, rt, "enter", func(n int) { c.now = n })
		set(t, rt, "note", func(what string) { log = append(log, fmt.Sprint(what, " ", c.now)) })
		set(t, rt, "then", func(p goja.Value) {
			note := func(call goja.FunctionCall) goja.Value {
				log = append(log, fmt.Sprint("then ", call.Argument(0), " ", c.now))
				return goja.Undefined()
			}
			if quick {
				l.Then(rt, p.(*goja.Object), note, note)
				return
			}
			then, _ := goja.AssertFunction(p.(*goja.Object).Get("then"))
			if _, err := then(p, rt.ToValue(note), rt.ToValue(note)); err != nil {
				t.Fatal(err)
			}
		})
		p := compile(t, `let yes; const p = new Promise((y) => yes = y);
			const f = async (n) => { enter(n); await n; note("a"); await p; note("b"); await p; note("c"); throw n };
			[1, 2].forEach((n) => { const q = f(n); enter(n + 10); then(q); then(p); then(Promise.resolve(n)) });
			enter(5); f(3).catch(() => note("catch")); then(Promise.reject(9));
			enter(6); (async () => { await 0; yes() })();
			enter(7); Promise.resolve().then(() => { note("d"); return p }).then(() => note("e"))
			.finally(() => note("f"));
			enter(8); p.then(() => note("g")).then(() => note("h"))`)
		prepared(l, rt, p, quick)
		if _, err := rt.RunProgram(p); err != nil {
			t.Fatal(err)
		}
		return log
	}
	if got, want := told(true), told(false); len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// The turns of promises, goja's own beside ours.
func BenchmarkTurns(b *testing.B) {
	for _, c := range []struct{ name, source string }{
		{"value", `const one = async (i) => i; const two = async (i) => (await one(i)) + 1;
			(async (n) => { let sum = 0; for (let i = 0; i < n; i++) sum += await two(i); done(sum) })`},
		{"object", `const one = async (i) => ({ i }); const two = async (i) => ({ i: (await one(i)).i + 1 });
			(async (n) => { let sum = 0; for (let i = 0; i < n; i++) sum += (await two(i)).i; done(sum) })`},
		{"nothing", `(async (n) => { for (let i = 0; i < n; i++) await i; done(n) })`},
		{"try", `const one = async (i) => { try { await i; return i } finally { i++ } };
			(async (n) => { for (let i = 0; i < n; i++) try { await one(i) } catch {} done(n) })`},
		{"loop", `const one = async (i) => i; const list = [1, 2, 3, 4];
			(async (n) => { for (let i = 0; i < n; i++) for (const x of list) await one(x); done(n) })`},
		{"all", `const one = async (i) => { await i; return i }; const list = [1, 2, 3, 4];
			(async (n) => { for (let i = 0; i < n; i++) await Promise.all(list.map(one)); done(n) })`},
		{"then", `(async (n) => { for (let i = 0; i < n; i++) await Promise.resolve(i).then((v) => v + 1);
			done(n) })`},
		{"new", `(async (n) => { for (let i = 0; i < n; i++) await new Promise((resolve) => resolve(i)); done(n) })`},
		{"throw", `const one = async (i) => { throw i };
			(async (n) => { for (let i = 0; i < n; i++) try { await one(i) } catch {} done(n) })`},
	} {
		for _, quick := range []bool{false, true} {
			name := c.name + "/goja"
			if quick {
				name = c.name + "/ours"
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				l, rt := layout(b), goja.New()
				ended := false
				set(b, rt, "done", func() { ended = true })
				p := compile(b, c.source)
				prepared(l, rt, p, quick)
				v, err := rt.RunProgram(p)
				if err != nil {
					b.Fatal(err)
				}
				run, _ := goja.AssertFunction(v)
				if _, err := run(goja.Undefined(), rt.ToValue(b.N)); err != nil || !ended {
					b.Fatal(err, ended)
				}
			})
		}
	}
}
