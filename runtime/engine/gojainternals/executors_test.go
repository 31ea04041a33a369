package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// executors note in r what happens, in its order, where promises are made of executors and settled by others.
var executors = []string{
	`const ticks = () => { let p = Promise.resolve(); for (let i = 0; i < 9; i++) p = p.then(() => r.push("t" + i)) };
		ticks(); const seen = (p, name) => p.then((v) => r.push(name, v), (e) => r.push(name + " fails", String(e)));
		seen(new Promise((y) => y(1)), "a"); seen(new Promise((y, n) => n("x")), "b");
		seen(new Promise((y, n) => { y(2); y(3); n(4); throw 5 }), "c"); seen(new Promise(() => { throw 6 }), "d");
		seen(new Promise((y) => y(Promise.resolve(7))), "e"); seen(new Promise((y) => y(Promise.reject(8))), "f");
		seen(new Promise((y) => y({ then(a, b) { r.push("then"); a(9); b(10); throw 11 } })), "g");
		seen(new Promise((y) => y({ get then() { throw "getter" } })), "h"); seen(new Promise((y) => y()), "i");
		let s; const self = new Promise((y) => s = y); s(self); seen(self, "j");
		seen(new Promise((y, n) => n(Promise.resolve(1))), "k"); seen(new Promise((y) => y(new Promise((y) =>
		y(new Promise((y) => y("deep")))))), "l"); seen((async () => Promise.resolve("m"))(), "m")`,
	`let y, n; const p = new Promise((a, b) => { y = a; n = b; r.push(typeof a, a.name, a.length, b.length,
		a === b) });
		r.push(p instanceof Promise, Object.keys(p), y(1), n(2), y.call(5, 6), [1, 2].map(y), y.apply(null, [1]));
		try { new y() } catch (e) { r.push(e.name) } r.push(y instanceof Function, "prototype" in y);
		p.then((v) => r.push(v)); setLater = y; r.push(typeof new Proxy(y, {}), y.bind(null).name, y.bind().length)`,
	`for (const bad of [undefined, null, 5, {}, "f"]) try { new Promise(bad) } catch (e) { r.push(e.name, e.message) }
		try { Promise(() => {}) } catch (e) { r.push(e.name) } try { new Promise() } catch (e) { r.push(e.name) }
		r.push(new Promise((...a) => r.push(a.length, this === undefined)) instanceof Promise);
		new Promise(function () { r.push(typeof this, arguments.length, new.target === undefined) });
		const proxied = new Promise(new Proxy((y) => y("proxy"), {})); proxied.then((v) => r.push(v));
		new Promise(((y) => y("bound")).bind(1)).then((v) => r.push(v))`,
	`class P extends Promise { constructor(f) { super(f); r.push("made") } }
		const p = new P((y) => { r.push(typeof y); y(1) }); r.push(p instanceof P, p.constructor === P);
		p.then((v) => r.push(v)); new Promise((y) => y(p)).then((v) => r.push("of derived", v));
		r.push(Reflect.construct(Promise, [(y) => y(2)], P) instanceof P,
		Reflect.construct(Promise, [(y) => y(3)]) instanceof Promise, Reflect.construct(Promise, [() => {}], Object)
		instanceof Promise)`,
	`const then = Promise.prototype.then, own = Promise.resolve(1); own.then = function (a) { r.push("own"); a(2) };
		new Promise((y) => y(own)).then((v) => r.push(v)); const other = Promise.resolve(3);
		Promise.prototype.then = function (...a) { r.push("patched"); return then.apply(this, a) };
		const patched = new Promise((y) => y(other)); Promise.prototype.then = then; then.call(patched,
		(v) => r.push(v));
		const late = Promise.resolve(4); const follows = new Promise((y) => y(late));
		late.constructor = { [Symbol.species]: class extends Promise { constructor(f) { r.push("species");
		super(f) } } };
		follows.then((v) => r.push(v)); const broken = Promise.resolve(5), never = new Promise((y) => y(broken));
		broken.constructor = 5; never.catch((e) => r.push(e.name)); const b = Promise.resolve(6);
		Object.defineProperty(b, "then", { get() { r.push("got"); return then } });
		new Promise((y) => y(b)).then((v) => r.push(v)); const z = Promise.resolve(7); Object.setPrototypeOf(z, {});
		new Promise((y) => y(z)).then((v) => r.push(v === z))`,
	`(async () => { const e = new Error("stack"); try { await new Promise((y,
		n) => n(e)) } catch (x) { r.push(x === e) }
		r.push(new Error("in").stack); await new Promise((y) => y(Promise.resolve()));
		new Promise(function make() { r.push(new Error("executor").stack) }) })()`,
	`const chain = (p, name) => p.then((v) => r.push(name, v), (e) => r.push(name + " fails", String(e)));
		let p = Promise.resolve(); for (let i = 0; i < 9; i++) p = p.then(() => r.push("t" + i));
		chain(Promise.resolve(1).finally((...a) => { r.push(a.length); return 2 }), "a");
		chain(Promise.reject(3).finally(() => 4), "b"); chain(Promise.resolve(5).finally(() => { throw 6 }), "c");
		chain(Promise.resolve(7).finally(() => Promise.reject(8)), "d");
		chain(Promise.reject(9).finally(() => Promise.resolve(10)), "e");
		chain(Promise.resolve(11).finally(() => ({ then(a) { r.push("then"); a(12) } })), "f");
		chain(Promise.resolve(13).finally(), "g"); chain(Promise.resolve(14).finally(5), "h");
		chain(Promise.reject(15).finally({}), "i"); chain(Promise.resolve(16).finally(function () {
		r.push(typeof this) }), "j"); try { Promise.prototype.finally.call(1) } catch (e) { r.push(e.name) }
		try { Promise.prototype.finally.call({ then(a, b) { r.push(typeof a, a.length, b.name, a === b) } }, () => 1) }
		catch (e) { r.push(e.name) }`,
	`class P extends Promise { then(...a) { r.push("then", typeof a[0], a[0] && a[0].length, a[0] && a[0].name);
		return super.then(...a) } }
		const p = P.resolve(1).finally(() => P.resolve(2)); r.push(p instanceof P); p.then((v) => r.push(v));
		Promise.resolve(3).finally(() => { const q = Promise.resolve(4); q.then = function (f, ...rest) {
		r.push(f.name, f.length, rest.length, f()); return 5 }; return q }).then((v) => r.push(v));
		Promise.resolve(6).finally(() => { const q = Promise.resolve(7); q.then = 8; return q })
		.then((v) => r.push(v), (e) => r.push(e.name));
		Promise.resolve(6).finally(() => { const q = Promise.resolve(7);
		q.then = undefined; return q }).then((v) => r.push(v), (e) => r.push(e.name, e.message));
		const own = Promise.resolve(9); own.then = (a, b) => { r.push(a.length, b.length, a === b); return "own" };
		r.push(own.finally(() => {})); own.constructor = P; r.push(own.finally(() => {}));
		const s = Promise.resolve(10); s.constructor = P; r.push(s.finally(() => 1) instanceof P)`,
	`const finish = Promise.prototype.finally, resolve = Promise.resolve; Promise.resolve = () => { r.push("asked") };
		resolve.call(Promise, 1).finally(() => 2).then((v) => r.push(v)); Promise.resolve = resolve;
		Promise.prototype.finally = function (f) { r.push("patched"); return finish.call(this, f) };
		Promise.resolve(3).finally(() => {}).then((v) => r.push(v)); Promise.prototype.finally = finish`,
}

// A promise of an executor, what it follows, and finally are goja's own to all that can see them.
func TestExecutors(t *testing.T) { compareCalls(t, executors) }

// Whatever a script does to the functions that settle a promise, it finds what goja's own have.
func TestResolversAreFunctions(t *testing.T) {
	for _, change := range []string{"", "f.extra = 1", "delete f.name", "delete f.length", "f.name = 1",
		`Object.defineProperty(f, "name", { value: "new" })`, "Object.freeze(f)", "Object.preventExtensions(f)",
		"Object.setPrototypeOf(f, null)", "f[Symbol.iterator] = 1", "f[0] = 1", "f.prototype = 5",
		`Reflect.set({}, "name", 1, f)`, "for (const k in f) r.push(k)", "Object.create(f).name = 3", "f.caller",
		"Object.assign(f, { a: 1, then: 2 })", "f.call(1, 2)"} {
		source := `const r = [], both = []; new Promise((a, b) => both.push(a, b)); for (const f of both) {
			try { r.push(String((() => { ` + change + ` })())) } catch (e) { r.push(e.name) }
			r.push(JSON.stringify(all(f)), String(f.name), String(f.length)) } r.join("\n")`
		show := func(quick bool) string {
			l, rt := layout(t), goja.New()
			p, err := goja.Compile("", everything+source, false)
			if err != nil {
				t.Fatalf("%s: %v", change, err)
			}
			prepared(l, rt, p, quick)
			v, err := rt.RunProgram(p)
			if err != nil {
				return err.Error()
			}
			return v.String()
		}
		if got, want := show(true), show(false); got != want {
			t.Errorf("%s\n got %s\nwant %s", change, got, want)
		}
	}
}

// The promise of a resolving function is known, also of ours, and of one that goja has made before.
func TestPromiseOfResolvers(t *testing.T) {
	l, rt := layout(t), goja.New()
	l.QuickThen(rt)
	l.QuickAlls(rt)
	v, err := rt.RunString("let a, b; const p = new Promise((y, n) => { a = y; b = n }); [p, a, b]")
	if err != nil {
		t.Fatal(err)
	}
	o := v.(*goja.Object)
	want := o.Get("0").Export().(*goja.Promise)
	for _, at := range []string{"1", "2"} {
		if got := l.PromiseOf(o.Get(at)); got != want {
			t.Errorf("function %s has %p, want %p", at, got, want)
		}
	}
	if p := l.data(o.Get("1").(*goja.Object)); (*nativeMirror)(p).baseObject.values == nil || !isLightNative(l.kind(
		o.Get("1").(*goja.Object))) {
		t.Error("new Promise is not ours")
	}
}
