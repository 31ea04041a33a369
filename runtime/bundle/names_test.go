package bundle

import (
	"strings"
	"testing"
)

// TestNames checks that functions keep their names, and that no helper call remains where the engine knows the name.
func TestNames(t *testing.T) {
	tests := []struct {
		name, code, want string
		calls            int // __name calls that remain in the user's part
	}{
		{"declarations", `function f(){} class C {} async function g(){} function* h(){} export default [f.name, ` +
			`C.name, g.name, h.name].join()`, "f,C,g,h", 0},
		{"values", `const a = () => 1, b = function(){}, c = class {}, d = async x => x; let e; e = () => 2; ` +
			`export default [a.name, b.name, c.name, d.name, e.name].join()`, "a,b,c,d,e", 0},
		{"properties", `const o = { p: () => 1, q: function(){}, r(){}, s: class {}, "t-u": () => 2, "": () => 3 }; ` +
			`export default [o.p.name, o.q.name, o.r.name, o.s.name, o["t-u"].name, o[""].name].join()`,
			"p,q,r,s,t-u,", 0},
		{"fields and defaults", `class A { f = () => 1; static g = function(){}; get = () => 3 } const { ` +
			`x = () => 2 } = {}; export default [new A().f.name, A.g.name, new A().get.name, x.name].join()`,
			"f,g,get,x", 0},
		{"named expressions", `const call = (f) => f.name; const o = {}; o.x = function inner(){}; ` +
			`export default [call(function named(){}), call(class K {}), o.x.name, ` +
			`(() => { return function ret(){} })().name].join()`, "named,K,inner,ret", -1},
		{"nested", `const outer = () => { const mid = () => { function deep(){} return deep }; ` +
			`return [mid.name, mid().name] }; export default [outer.name, ...outer()].join()`, "outer,mid,deep", 0},
		{"anonymous", `const call = (f) => f.name === ""; export default [call(() => 1), call(function(){}), ` +
			`call(class {})].join()`, "true,true,true", -1},
		{"invoked", `export default [(function iife(){ return iife.name })(), (() => 1)()].join()`, "iife,1", -1},
		{"static member called name", `class S { static name = "own" } const T = class { ` +
			`static name(){ return "fn" } }; export default S.name + T.name()`, "ownfn", -1},
		{"self-reference", `class R { static make(){ return new R() } } export default R.make().constructor.name`, "R",
			-1},
		{"subclass", `class A {} const B = class extends A { static { this.ready = true } }; ` +
			`class D extends (class E {}) {} export default [B.name, B.ready, D.name, ` +
			`Object.getPrototypeOf(D).name].join()`, "B,true,D,E", -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := build(t, map[string]string{"index.js": test.code})
			h, err := start(t, b, nil)
			if err != nil {
				t.Fatalf("%v\n%s", err, b.Source)
			}
			if got := settle(h.get(t, "default")); got != test.want {
				t.Errorf("got %q, want %q\n%s", got, test.want, b.Source)
			}
			if n := strings.Count(b.Source, "__name("); test.calls >= 0 && n != test.calls {
				t.Errorf("%d calls of __name remain, want %d\n%s", n, test.calls, b.Source)
			}
		})
	}
}

// TestNamesRenamed covers what the helper is for: two files with the same name.
func TestNamesRenamed(t *testing.T) {
	got := run(t, map[string]string{
		"index.js": `import { E as A, f as fa } from "./a"; import { E as B, f as fb } from "./b"; ` +
			`export default [A.name, B.name, fa.name, fb.name, new B().constructor.name].join()`,
		"a.js": `export class E extends Error {} export const f = () => 1;`,
		"b.js": `export class E extends Error {} export function f() {}`,
	})
	if want := "E,E,f,f,E"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An anonymous default class of a file index is called after the folder, as with wrangler dev, whose own entry lies in
// another folder than the user's.
func TestNamesAnonymous(t *testing.T) {
	const class = `export default class { static text() { return "x" } }`
	for file, want := range map[string]string{
		"src/index.js": "src_default", "src/worker.js": "worker_default", "index.js": "index_default",
	} {
		b := build(t, map[string]string{file: class}, func(o *Options) { o.Entry = file })
		if !strings.Contains(b.Source, "var "+want+" = class") {
			t.Errorf("%s: no class %s in\n%s", file, want, b.Source)
		}
	}
}
