package gojainternals

import (
	"testing"
	"unsafe"

	"github.com/dop251/goja"
)

// What new gives is what goja's own gives, for what ours calls and for what it leaves to goja.
func TestConstructors(t *testing.T) {
	const classes = `class A { constructor(a, b) { this.a = a; this.b = b } get sum() { return this.a + this.b }
		m() { return [this.a, new.target] } }
		class B extends A { constructor(a) { super(a, 2); this.c = new A(a, 3) } }
		class C { f = [1]; #p = 2; constructor(x) { this.x = x } p() { return this.#p } }
		class D {} class E extends D {}
		function F(x) { this.x = x; this.n = arguments.length }
		F.prototype.get = function () { return this.x }
		for (let i = 0; i < 3; i++) { new A(1); new B(1); new C(1); new D; new E; new F }
		`
	showSame(t, []string{
		classes + `[new A(1, 2), new A, new A(1, 2, 3), new A(1, 2).sum, new A(5).m(), new A(1) instanceof A]`,
		classes + `[new B(1), new B(1).c.sum, new B(4) instanceof A, new C(3), new C(3).p(), new D,
			new E instanceof D]`,
		classes + `[new F(1, 2, 3), new F, new F(7).get(), Object.getPrototypeOf(new F) === F.prototype]`,
		classes + `F.prototype = { other: 1 }; const r = [new F(1).other]; F.prototype = null; r.push(
			Object.getPrototypeOf(new F(1)) === Object.prototype); F.prototype = 5; r.push(new F(2)); r`,
		classes + `Object.defineProperty(F, "prototype", { value: A.prototype, writable: false });
			[new F(2) instanceof A, Object.getOwnPropertyNames(new F(3))]`,
		classes + `try { A.prototype = {} } catch (e) { String(e) } [new A(1) instanceof A]`,
		classes + `try { A() } catch (e) { String(e) }`, classes + `try { new (() => {}) } catch (e) { String(e) }`,
		classes + `try { new ({ m() {} }).m } catch (e) { String(e) }`,
		classes + `try { new (async function () {}) } catch (e) { String(e) }`,
		`[1, "s", null, undefined, { own: 1 }, [2]].map((v) => { function G() { this.mine = 1; return v }
			new G; const r = [new G]; G.prototype.x = 1; r.push(new G().x, new G); return r })`,
		`[5, undefined, { o: 1 }, null].map((v) => { class G { constructor() { this.mine = 1;
			return v } } return new G })`,
		`class A {} [5, undefined, { o: 1 }].map((v) => { class G extends A { constructor() { super(); this.mine = 1;
			return v } } try { return new G } catch (e) { return String(e) } })`,
		`class A { constructor() { this.mine = 1; return () => this } } new A()().mine`,
		`function T() { return [new.target === T, (() => new.target === T)(), (() => new.target === T)(...[1])] }
			new T; new T; [new T(), T()]`,
		`class T { constructor() { this.t = new.target.name; this.u = (() => new.target.name)() } }
			class U extends T {} new T; [new T, new U, Reflect.construct(T, [], U)]`,
		`function T(a) { "use strict"; this.a = a; eval("this.b = a; this.c = new.target === T") } new T(1); new T(2)`,
		`function T(a) { arguments[0] = 5; this.a = a; this.l = [...arguments] } new T(1); [new T(1, 2), new T]`,
		`function T(a = 7, ...rest) { this.a = a; this.rest = rest; this.f = () => this.a + a } new T;
			[new T(1, 2, 3), new T, new T(9).f()]`,
		`function T(n) { this.n = n; this.next = n ? new T(n - 1) : null } new T(0); new T(30)`,
		`let depth = 0; function T() { depth++; try { if (depth < 50) new T; else throw new Error("deep") }
			finally { depth-- } } T.prototype; try { new T } catch (e) { [String(e), depth] }`,
		`function T(v) { try { if (v) throw v; return 5 } catch (e) { this.e = e; return 6 } finally { this.f = 1 } }
			new T; [new T(1), new T(0), new T({})]`,
		`function T(v) { for (const x of [1, 2, v]) { if (x === v) return; this["x" + x] = x } } new T; new T(3)`,
		`function T() { this.a = [1, 2, 3].map((x) => new S(x).y) } function S(x) { this.y = x * 2 } new S;
			new T; new T`,
		`function T() { this.x = 1 } const r = [new T, new T]; r[0].y = 2; Object.freeze(r[1]); r[1].x = 5;
			r.concat(new T)`,
		`function T() { Object.defineProperty(this, "x", { get() { return 4 } }); this.y = this.x } new T;
			const o = new T; [o.x, o.y, Object.keys(o)]`,
		`function T() { this.x = 1 } Object.defineProperty(T.prototype, "x", { set(v) { this.was = v } });
			new T; new T`,
		`function T() { this.x = 1 } const P = new Proxy(T, { construct(f, a, t) { return { made: a.length } } });
			new T; [new P(1, 2), new (T.bind(null, 1)), Reflect.construct(T, [])]`,
		`function* g() { function T() { this.x = 1 } new T; yield new T; yield new T } [...g()]`,
		`function T() { this.x = 1; return this } new T; const o = { T }; [new o.T, new o["T"](), new (o.T)]`,
		`function T(...a) { this.a = a } new T; const l = [1, 2]; [new T(...l), new T(...l, 3), new T(1, ...l)]`,
		`function T() { if (!(this instanceof T)) return new T; this.x = 1 } T(); new T; [T(), new T]`,
		`function T() { if (!new.target) return new T; this.x = 1 } T(); new T; [T(), new T, T.call({ y: 1 })]`,
		`class N { static #n = 0; constructor() { this.n = N.#n++ } } new N; [new N, new N]`,
		`var T = function () { this.t = typeof this; this.s = (function () { return this === undefined })() };
			new T; new T`,
		`function T(){ this.a = 1 } T.prototype.constructor = Array; new T; [new T().constructor === Array]`,
		`class A { constructor(x) { this.x = x } } class B extends A { constructor(x) { const f = () => super(x); f();
			this.y = () => this.x } } class C extends A { constructor() { if (C.skip) return; super(2) } }
			class D extends B { f = this.x; constructor() { super(3) } } new C; const r = [new B(1).y(), new C, new D];
			C.skip = true; try { new C } catch (e) { r.push(String(e)) } r`,
		`class A {} class B extends A { constructor() { super(); super() } } class C extends A { constructor() {
			return (() => super()) } } class D extends A { constructor(v) { try { super() } finally { return v } } }
			const r = []; for (const f of [() => new B, () => typeof new C, () => new D({ v: 1 }), () => new D(5),
			() => new D])
			try { r.push(f()) } catch (e) { r.push(String(e)) } r`,
		`class A extends Array { constructor(n) { super(n); this.more = 1 } } class E extends Error { constructor(m) {
			super(m); this.name = "E" } } class N extends null { constructor() { return Object.create(N.prototype) } }
			[new A(3).length, new A(2).more, String(new E("x")), new E("y") instanceof E, new N() instanceof N]`,
		"class A {}\nclass B extends A {\n constructor(v) {\n  if (v) {\n   super();\n   return v }\n" +
			" } }\nconst r = [];\n" +
			"function make(v) {\n\n  return new B(v) }\nfor (const v of [0, 1, {}]) try { make(v) } catch (e) {\n" +
			" r.push(e.stack, String(e)) } r",
		`class A {} class B extends A { constructor() {} } const r = []; for (const o of [5, null, class {}]) {
			const kept = Object; globalThis.Object = o; try { new B } catch (e) { r.push(String(e)) } finally {
			globalThis.Object = kept } } r`,
		// stacks: what was called from where
		"function T(x) {\n this.x = x;\n if (x > 2)\n  throw new Error('no') }\nfunction make(x) {\n\n" +
			" return new T(x) }\n" +
			"make(1);\n try { make(2);\n make(3) } catch (e) { e.stack }",
		"class A {\n constructor(f) {\n  this.v = f() } }\nclass B extends A {\n constructor(f) {\n super(f) } }\n" +
			"new A(() => 1); const r = [];\nfor (const C of [A, B]) try {\n new C(() => { null.x }) } catch (e) {\n" +
			" r.push(e.stack, String(e)) } r",
		"function S() { this.s = new Error('here').stack }\nfunction T() {\n this.t = new S;\n" +
			" this.u = [1].map(() =>\n" +
			" new S) }\nnew S; new T; new T",
	})
}

// What a constructor calls without new has no new.target, and the constructor keeps its own. As in Node.
func TestTargetsOfCalls(t *testing.T) {
	l, rt := layout(t), goja.New()
	p, err := goja.Compile("", `const r = [], o = { m() { return typeof new.target } };
		function g() { return typeof new.target }
		class A { constructor(...l) { const own = () => new.target.name;
			r.push(g(), g(...l), o.m(), o.m(...l), g.call(1), [1].map(g)[0], own(), own(...l), new.target.name) } }
		class B extends A { constructor() { super(1, 2); r.push(g(), g(...[1]), new.target.name, (() => g())()) } }
		new A(1, 2); new B; r.join()`, false)
	if err != nil {
		t.Fatal(err)
	}
	l.Quicken(p)
	l.Twins(rt) // call is one
	v, err := rt.RunProgram(p)
	if err != nil {
		t.Fatal(err)
	}
	const calls = "undefined,undefined,undefined,undefined,undefined,undefined,"
	if want := calls + "A,A,A," + calls + "B,B,B,undefined,undefined,B,undefined"; v.String() != want {
		t.Errorf("got  %s\nwant %s", v, want)
	}
}

// A call of a constructor leaves the machine as it was, whichever way it ends.
func TestConstructorsLeaveNothing(t *testing.T) {
	l, rt := layout(t), goja.New()
	p, err := goja.Compile("", `function T(n) { this.n = n; if (n > 5) throw n; if (n > 3) return { n } }
		new T(0); var s = 0; for (let i = 0; i < 10; i++) try { s += new T(i).n } catch (e) { s += e * 100 } s`, false)
	if err != nil {
		t.Fatal(err)
	}
	l.Quicken(p)
	vm := l.vm(rt)
	before := *(*int)(unsafe.Add(vm, l.machine.sp))
	for range 3 {
		v, err := rt.RunProgram(p)
		if err != nil || v.ToInteger() != 3015 {
			t.Fatalf("got %v, %v", v, err)
		}
		if calls := (*[]callMirror)(unsafe.Add(vm, l.machine.calls)); len(*calls) != 0 {
			t.Fatalf("%d calls are left", len(*calls))
		}
		if now := *(*int)(unsafe.Add(vm, l.machine.sp)); now != before {
			t.Fatalf("the stack has %d values, expected %d", now, before)
		}
	}
}

func BenchmarkConstructors(b *testing.B) {
	for _, c := range []struct{ name, source string }{
		{"class", `class A { constructor(a, b) { this.a = a; this.b = b } } (() => { let s = 0;
			for (let i = 0; i < 1000; i++) s += new A(i, 2).a; return s })`},
		{"function", `function A(a) { this.a = a } (() => { let s = 0;
			for (let i = 0; i < 1000; i++) s += new A(i).a; return s })`},
	} {
		for _, quick := range []bool{false, true} {
			name := c.name + map[bool]string{false: "/goja", true: "/ours"}[quick]
			b.Run(name, func(b *testing.B) {
				l, rt := layout(b), goja.New()
				timed(b, l, rt, c.source, quick)
			})
		}
	}
}
