package gojainternals

import (
	"fmt"
	"testing"

	"github.com/dop251/goja"
)

// asyncCalls note in r what happens, in its order.
var asyncCalls = []string{
	`const one = async (i) => i, two = async (i) => (await one(i)) + 1; (async () =>
			{ r.push(await two(1), await two(2)) })();
		r.push("first"); Promise.resolve().then(() => r.push("turn")).then(() => r.push("turn"))`,
	`class C { constructor() { this.n = 4 } async m(a, ...b) { r.push(this.n, a, b, arguments.length); await 0;
		return [this.n, new.target, super.toString === Object.prototype.toString] } }
		new C().m(1, 2, 3).then((v) => r.push(...v)); new C().m().then((v) => r.push(...v))`,
	`async function f(a, b) { r.push(typeof this, a, b, arguments.length); return this } f.call("s", 1).then((v) =>
		r.push(typeof v)); f(1, 2, 3); const g = f; g(); [1, 2].forEach(f)`,
	`async function a() { throw Error("a") } async function b() { try { await a() } catch (e)
			{ r.push(e.message); throw e }
		finally { r.push("finally") } } b().catch((e) => r.push(e === e, e.message)); (async (x = y) =>
			{})().catch((e) =>
		r.push(e.name))`,
	`const p = Promise.resolve(5); (async () => p)().then((v) => r.push(v)); p.then(() =>
			r.push("1")).then(() => r.push("2"))
		.then(() => r.push("3")).then(() => r.push("4"))`,
	`(async () => ({ then(a, b) { r.push(typeof a, a.name, a.length, typeof b, b.length);
			a("thenable"); b(1); a(2) } }))()
		.then((v) => r.push(v)); (async () => ({ get then() { throw Error("getter") } }))().catch((e) =>
			r.push(e.message));
		(async () => ({ then() { throw "thrown" } }))().catch((e) => r.push(e)); (async () =>
			({ then: 1 }))().then((v) =>
		r.push(v.then))`,
	`let p; const f = async () => { await 0; return p }; p = f(); p.catch((e) => r.push(e.name, e.message))`,
	`const p = (async () => {})(); r.push(p instanceof Promise, p.constructor === Promise, Object.keys(p),
		Object.getPrototypeOf(p) === Promise.prototype, Object.prototype.toString.call(p)); p.x = 1;
			r.push(p.x, Object.keys(p));
		Object.freeze(p); p.then((v) => r.push(v))`,
	`Promise.prototype.constructor = class {}; (async () => { r.push(await (async () => 1)(), await 2) })()`,
	`const f = async (n) => { if (n) { await f(n - 1); r.push(n) } }; f(40); r.push("begun")`,
	`const f = async () => { await Promise.all([1, 2, 3].map(async (x) => { await 0; r.push(x) })); return "all" };
		f().then((v) => r.push(v)); function* g() { yield f(); } for (const x of g()) r.push(typeof x)`,
	`const deep = async () => { throw Error("e") }; const outer = async () => { await 0;
			const v = deep(); r.push("went on");
		try { await v } catch (e) { r.push(e.stack) } }; const start = async () => { await outer() }; start()`,
	`const inner = async () => Error("e").stack; const outer = async () => { await 0;
			r.push(await inner(), Error("o").stack) };
		const start = async () => { await outer(); r.push(Error("s").stack) }; start()`,
	`function f() { return new.target } function G() { this.p = (async () => new.target)();
			this.q = (async function () {
		return new.target })() } const g = new G; g.p.then((v) => r.push(v === G)); g.q.then((v) => r.push(v))`,
	`(async () => { for (const x of [1, 2]) { for (const y of [3, 4]) { if (y === await (async () => 4)()) break;
		r.push(x, y) } } label: try { await (async () => { throw 1 })() } catch { r.push("caught"); break label }
		r.push(await ((a) => async (b) => a + b)(1)(2)) })()`,
	`const many = async (...list) => list.length; (async () => { r.push(await many(...Array(3000)),
			await many()) })()`,
	`null_: { try { null.f() } catch (e) { r.push(e.message) } try { (void 0)() } catch (e) { r.push(e.message) } }
		try { const o = {}; o.f() } catch (e) { r.push(e.message) } try { const C = class {}; C()
			} catch (e) { r.push(e.message) }`,
}

// A call of an async function is goja's own to all that can see it.
func TestAsyncCalls(t *testing.T) { compareCalls(t, asyncCalls) }

// prepared does to a program what a Worker's has done to it, with goja's own ways of waiting unless quick.
func prepared(l *Layout, rt *goja.Runtime, p *goja.Program, quick bool) {
	l.BoundDepth(p, &Depths{Calls: 1e5, Native: 1e5})
	if quick {
		l.QuickThen(rt)
		l.QuickAlls(rt)
		l.Quicken(p)
		l.AwaitObjects(p)
	}
}

func compareCalls(t *testing.T, sources []string) {
	t.Helper()
	for _, source := range sources {
		show := func(quick bool) string {
			l, rt := layout(t), goja.New()
			p, err := goja.Compile("async.js", "const r = [];(() => {"+source+"})(); r", false)
			if err != nil {
				t.Fatalf("%s: %v", source, err)
			}
			prepared(l, rt, p, quick)
			v, err := rt.RunProgram(p)
			if err != nil {
				return err.Error()
			}
			render, _ := goja.AssertFunction(object(t, rt, `((v) => v.map((x) =>
			typeof x === "object" ? JSON.stringify(x) :
				String(x)).join("\n"))`))
			if v, err = render(goja.Undefined(), v); err != nil {
				t.Fatalf("%s: %v", source, err)
			}
			return v.String()
		}
		if got, want := show(true), show(false); got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
}

// An interrupt within an async function ends what goja's own ends, and the runtime goes on.
func TestAsyncCallInterrupted(t *testing.T) {
	for _, source := range []string{"(async () => { stop(); for (;;); })()",
		"(async () => { await 0; (async () => { stop(); for (;;); })() })()"} {
		show := func(quick bool) string {
			l, rt := layout(t), goja.New()
			if err := rt.Set("stop", func() { rt.Interrupt("enough") }); err != nil {
				t.Fatal(err)
			}
			p, err := goja.Compile("async.js", source, true)
			if err != nil {
				t.Fatal(err)
			}
			l.BoundDepth(p, &Depths{Calls: 1e5, Native: 1e5})
			if quick {
				l.Quicken(p)
			}
			ended := "nothing"
			func() {
				defer func() {
					if x := recover(); x != nil {
						ended = fmt.Sprintf("a panic: %v", x)
					}
				}()
				if _, err := rt.RunProgram(p); err != nil {
					ended = err.Error()
				}
			}()
			rt.ClearInterrupt()
			v, err := rt.RunString("1 + 1")
			return fmt.Sprint(ended, v, err)
		}
		if got, want := show(true), show(false); got != want {
			t.Errorf("%s\n got %s\nwant %s", source, got, want)
		}
	}
}
