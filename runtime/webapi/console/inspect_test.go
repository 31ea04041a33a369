package console

import (
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/host"
	"eddy/runtime/engine/webidl"
	"eddy/runtime/webapi/url"
	"eddy/runtime/webapi/webapitest"
)

// show evaluates an expression and inspects its value.
func show(t testing.TB, r *webapitest.Runner, expr string, o Options) string {
	t.Helper()
	var out string
	r.On(func() {
		v, err := r.Loop.Runtime().RunString("(" + expr + ")")
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			return
		}
		if thrown := r.Host.Realm.Try(func() { out = Inspect(r.Host, v, o) }); thrown != nil {
			out = "throws " + thrown.String()
		}
	})
	return out
}

// The texts are those of Node 20's util.inspect, except that symbols as keys stand without brackets and that a Proxy
// is shown as one, as on the platform.
func TestInspect(t *testing.T) {
	r := webapitest.New(t, url.Install, Install)
	for _, c := range []struct{ expr, want string }{
		{`-0`, "-0"},
		{`10n`, "10n"},
		{`"a'b"`, `"a'b"`},
		{`'a"b\'c'`, "`a\"b'c`"},
		{`"\n\x00\u0080\ud800\\"`, `'\n\x00\x80\ud800\\'`},
		{`Symbol("x")`, "Symbol(x)"},
		{`{a: 1, 'b-c': 2, [Symbol('s')]: 3}`, "{ a: 1, 'b-c': 2, Symbol(s): 3 }"},
		{`[1, , 3]`, "[ 1, <1 empty item>, 3 ]"},
		{`Array(200)`, "[ <200 empty items> ]"},
		{`Object.assign([], {[2 ** 31]: 1})`, "[ <2147483648 empty items>, 1 ]"},
		{`Object.assign([1, 2], {x: 1})`, "[ 1, 2, x: 1 ]"},
		{`{a: {b: {c: {d: 1}}}}`, "{ a: { b: { c: [Object] } } }"},
		{`{a: [[[[1]]]]}`, "{ a: [ [ [Array] ] ] }"},
		{`{a: "x".repeat(30), b: "y".repeat(31)}`,
			"{\n  a: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',\n  b: 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'\n}"},
		{`new Map([[1, 2], ["a", {b: 1}]])`, "Map(2) { 1 => 2, 'a' => { b: 1 } }"},
		{`new Set([1, "a"])`, "Set(2) { 1, 'a' }"},
		{`new Uint8Array([1, 2])`, "Uint8Array(2) [ 1, 2 ]"},
		{`new Uint8Array([1, 255]).buffer`, "ArrayBuffer { [Uint8Contents]: <01 ff>, byteLength: 2 }"},
		{`new (class Foo { constructor() { this.a = 1 } })`, "Foo { a: 1 }"},
		{`new (class Foo extends Map {})([[1, 2]])`, "Foo(1) [Map] { 1 => 2 }"},
		{`Object.assign(Object.create(null), {a: 1})`, "[Object: null prototype] { a: 1 }"},
		{`{get a() { return 1 }, set b(x) {}, get c() { return 1 }, set c(x) {}}`,
			"{ a: [Getter], b: [Setter], c: [Getter/Setter] }"},
		{`[function foo() {}, () => {}, class A {}, class B extends Array {}, async function af() {}, ` +
			`function* g() {}]`,
			"[\n  [Function: foo],\n  [Function (anonymous)],\n  [class A],\n  [class B extends Array],\n  " +
				"[AsyncFunction: af],\n  [GeneratorFunction: g]\n]"},
		{`[/a/g, new Date(0), new Date(NaN)]`, "[ /a/g, 1970-01-01T00:00:00.000Z, Invalid Date ]"},
		{`[Promise.resolve(4), new Promise(() => {})]`, "[ Promise { 4 }, Promise { <pending> } ]"},
		{`new Proxy({a: 1}, {get() { throw 1 }})`, "Proxy({ a: 1 })"},
		{`[Object(Symbol("q")), Object.assign(Object(Symbol()), { a: 1 })]`,
			"[ [Symbol: Symbol(q)], [Symbol: Symbol()] { a: 1 } ]"},
		{`[new Number(3), new String("abc"), new Boolean(false), Object(1n)]`,
			"[ [Number: 3], [String: 'abc'], [Boolean: false], [BigInt: 1n] ]"},
		{`(() => { const a = {b: {}}; a.b.a = a; a.b.b = a.b; return a })()`,
			"<ref *1> { b: <ref *2> { a: [Circular *1], b: [Circular *2] } }"},
		{`new (class Foo { get [Symbol.toStringTag]() { return "bar" } })`, "Foo [bar] {}"},
		{`[new WeakMap, new WeakSet]`, "[ WeakMap { <items unknown> }, WeakSet { <items unknown> } ]"},
		{`new URL("http://a/b?c")`, "URL {\n  origin: 'http://a',\n  href: 'http://a/b?c',\n  protocol: 'http:',\n  " +
			"username: '',\n  password: '',\n  host: 'a',\n  hostname: 'a',\n  port: '',\n  pathname: '/b',\n  " +
			"search: '?c',\n  hash: '',\n  searchParams: URLSearchParams(1) { 'c' => '' }\n}"},
		{`{[Symbol.for('nodejs.util.inspect.custom')](depth, o) { return "<" + depth + typeof o.stylize + ">" }}`,
			"<2function>"},
		{`Object.assign(Object.create({}), {e: Object.assign(new Error("x"), {stack: undefined})})`,
			"{ e: [Error: x] }"},
	} {
		if got := show(t, r, c.expr, Defaults()); got != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", c.expr, got, c.want)
		}
	}
}

// Short entries of long arrays stand in columns; numbers are aligned to the right.
func TestColumns(t *testing.T) {
	r := webapitest.New(t, Install)
	for _, c := range []struct{ expr, want string }{
		{`Array.from({length: 27}, (_, i) => i * i)`, "[\n    0,   1,   4,   9,  16,  25,  36,\n   49,  64,  81, " +
			"100, 121, 144, 169,\n  196, 225, 256, 289, 324, 361, 400,\n  441, 484, 529, 576, 625, 676\n]"},
		{`["a", "bb", "日本", "dddd", "e", "f", "g"]`, "[\n  'a',    'bb',\n  '日本', 'dddd',\n  'e',    'f',\n  'g'\n]"},
	} {
		if got := show(t, r, c.expr, Defaults()); got != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", c.expr, got, c.want)
		}
	}
	o := Defaults()
	o.MaxArrayLength = 3
	if got, want := show(t, r, "[1, 2, 3, 4, 5, 6]", o), "[ 1, 2, 3, ... 3 more items ]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOptions(t *testing.T) {
	r := webapitest.New(t, Install)
	for _, c := range []struct{ expr, options, want string }{
		{`{a: {b: {c: {}}}}`, `{depth: 0}`, "{ a: [Object] }"},
		{`{a: {b: {c: {d: {e: 1}}}}}`, `{depth: Infinity, breakLength: Infinity, compact: true}`,
			"{ a: { b: { c: { d: { e: 1 } } } } }"},
		{`{b: 1, a: 2}`, `{sorted: true}`, "{ a: 2, b: 1 }"},
		{`{b: 1, a: 2, c: 3}`, `{sorted: (x, y) => x < y ? 1 : -1}`, "{ c: 3, b: 1, a: 2 }"},
		{`Object.assign([1], {key: {a: "xxxxxxxxxxxxxxxxxxxx"}})`, `{compact: true, breakLength: 20}`,
			"[ 1,\n  key: { a:\n     'xxxxxxxxxxxxxxxxxxxx' } ]"}, // an array's own key is not parted from its value
		{`{a: 1, b: [2]}`, `{compact: false}`, "{\n  a: 1,\n  b: [\n    2\n  ]\n}"},
		{`{get a() { return {x: 1} }, get b() { throw new Error("no") }}`, `{getters: true}`,
			"{ a: [Getter] { x: 1 }, b: [Getter: <Inspection threw (no)>] }"},
		{`Object.defineProperty([1], "x", {value: 2})`, `{showHidden: true}`, "[ 1, [length]: 1, [x]: 2 ]"},
		{`new Proxy({a: 1}, {})`, `{showProxy: true}`, "Proxy [ { a: 1 }, {} ]"},
		{`[1234567.1234567, -12345n]`, `{numericSeparator: true}`, "[ 1_234_567.123_456_7, -12_345n ]"},
		{`"abcdef"`, `{maxStringLength: 2}`, "'ab'... 4 more characters"},
		{`[1, "a"]`, `{colors: true}`, "[ \x1b[33m1\x1b[39m, \x1b[32m'a'\x1b[39m ]"},
		{`{[Symbol.for('nodejs.util.inspect.custom')]() { throw 1 }}`, `{customInspect: false}`,
			"{\n  Symbol(nodejs.util.inspect.custom): [Function: [nodejs.util.inspect.custom]]\n}"},
	} {
		var o Options
		r.On(func() {
			v, err := r.Loop.Runtime().RunString("(" + c.options + ")")
			if err != nil {
				t.Fatal(err)
			}
			o = OptionsFrom(v.(*goja.Object))
		})
		if got := show(t, r, c.expr, o); got != c.want {
			t.Errorf("%s %s\n got: %s\nwant: %s", c.expr, c.options, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	r := webapitest.New(t, Install)
	set := `((e, stack) => { e.stack = stack; return e })`
	for _, c := range []struct{ expr, want string }{
		{set + `(new TypeError("x", {cause: 3}), "TypeError: x\n    at f (a.js:1:2)")`,
			"TypeError: x\n    at f (a.js:1:2) {\n  [cause]: 3\n}"},
		{`[` + set + `(new Error("x"), "Error: x\n    at f (a.js:1:2)")]`, "[\n  Error: x\n      at f (a.js:1:2)\n]"},
		{set + `(new (class MyErr extends Error {})("x"), "Error: x\n    at f")`, "MyErr [Error]: x\n    at f"},
		{set + `(Object.assign(new Error("x"), {code: "E", name: "Error"}), "Error: x\n    at f")`,
			"Error: x\n    at f {\n  code: 'E'\n}"},
		{set + `(new AggregateError([1], "x"), "AggregateError: x\n    at f")`,
			"AggregateError: x\n    at f {\n  [errors]: [ 1 ]\n}"},
		{set + `(new Error("a", {cause: ` + set + `(new Error("b"), ` +
			`"Error: b\n    at x\n    at 1\n    at 2\n    at 3\n    at 4")}), "Error: a\n    at y\n    at 1\n    at ` +
			`2\n    at 3\n    at 4")`,
			"Error: a\n    at y\n    at 1\n    ... 2 lines matching cause stack trace ...\n    at 4 {\n  [cause]: " +
				"Error: b\n      at x\n      at 1\n      at 2\n      at 3\n      at 4\n}"},
		{set + `(new DOMException("m", "AbortError"), "Error\n    at f")`, "DOMException [AbortError]: m\n    at f"},
	} {
		if got := show(t, r, c.expr, Defaults()); got != c.want {
			t.Errorf("%s\n got: %s\nwant: %s", c.expr, got, c.want)
		}
	}
}

// Objects that answer every name with a call to somewhere else are shown without asking them for anything.
func TestStubsAreNotAsked(t *testing.T) {
	r := webapitest.New(t, Install)
	asked := ""
	r.On(func() {
		rt, realm := r.Loop.Runtime(), r.Host.Realm
		class := realm.Define(webidl.Spec{Name: "Stub"})
		tail := rt.NewProxy(
			rt.NewObject(), &goja.ProxyTrapConfig{Get: func(target *goja.Object, name string, _ goja.Value) goja.Value {
				if v := target.Get(name); v != nil {
					return v
				}
				asked += name + " "
				return rt.Get("stub")
			}})
		_ = class.Prototype.SetPrototype(rt.ToValue(tail).(*goja.Object))
		f := rt.ToValue(func(goja.FunctionCall) goja.Value { asked += "called "; return nil }).(*goja.Object)
		_ = f.Delete("name")
		_ = f.SetPrototype(class.Prototype)
		realm.SetState(f, &struct{}{})
		_ = rt.Set("stub", f)
		_ = rt.Set("plainStub", class.Wrap(&struct{}{}))
	})
	for _, expr := range []string{"stub", "plainStub", "new Proxy(stub, {})"} {
		if got := show(t, r, expr, Defaults()); got != "Stub {}" {
			t.Errorf("%s: %s", expr, got)
		}
	}
	if got := show(t, r, "Object.defineProperty(() => {}, 'name', {get() { return this }})",
		Defaults()); got != "[Function (anonymous)]" {
		t.Errorf("a function named by itself: %s", got)
	}
	if asked != "" {
		t.Errorf("asked for %s", asked)
	}
}

// A value nested too deep for any stack ends in a note and not in a crash.
func TestDeepNesting(t *testing.T) {
	r := webapitest.New(t, Install)
	o := Defaults()
	o.Depth = Unlimited
	got := show(t, r, `(() => { let a = {}; for (let i = 0; i < 5000; i++) a = {a}; return a })()`, o)
	if len(got) == 0 || len(got) > 64<<20 {
		t.Errorf("%d bytes", len(got))
	}
}

func BenchmarkLog(b *testing.B) {
	lines := 0
	r := webapitest.New(b, Install, func(h *host.Host) { h.Log = func(host.ConsoleLine) { lines++ } })
	b.ReportAllocs()
	for b.Loop() {
		r.Expect(`for (let i = 0; i < 100; i++) console.log("request", {id: i, path: "/a/b", tags: ["x", "y"]})`,
			"undefined")
	}
}
