package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/bundle"
	"eddy/runtime/engine/ecma"
)

// TestOriginalText: Function.prototype.toString gives async generators and `for await` as they were written, though the
// bundler has lowered them (ECMA-262, 20.2.3.5). puppeteer sends such texts to a browser. White space is the bundler's.
func TestOriginalText(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"async function* g(a, b) { yield a; }", ""},
		{"async function* () { yield* other(1); }", ""},
		{"async function* g({ a }, b = await0) { yield a; }", ""},
		{"async function* g() { yield arguments[0]; }", ""},
		{"async function* g(list) { for await (const x of list) { yield x.y; } }", ""},
		{"async function* g() { const v = (await a).b + await f(1); return v; }",
			"async function* g() { const v = (await a).b + (await f(1)); return v; }"},
		{"async function* g() { await (a || b); yield await this.x; }",
			"async function* g() { await (a || b); yield await this.x; }"},
		{"async function f(list) { for await (const { a, b: [c] } of list) { use(a, c); } }", ""},
		{"async function f(list) { let x; for await (x of list()) { use(x); } }", ""},
		{"async function f(list) { for await ([a.b] of list) { use(a); } }", ""},
		{"async function f(l) { all: for await (const x of l) { for await (var y of x) { continue all; } } }", ""},
		{"async (list) => { for await (const x of list) use(x); }",
			"async (list) => { for await (const x of list) { use(x); } }"},
		{"() => async function* () { await 1; }", ""},
		{"function f() { return { async *m(a) { yield a; }, async *[k]() { await k; } }; }", ""},
		{"class { static async *s() { yield super.s(); } async *#p() { await 1; } async *\"q r\"() { } }", ""},
		{"async function* g() { const t = `\n  ${await 1}`; }", ""},
		{"async function* g() { async function* h() { yield await 1; } yield* h(); }", ""},
		{"function* g() { yield* other(); }", ""},
		{"async function f() { for (const x of [1]) await x; }", ""},
		{"function f() { return 1; }", ""},
	} {
		dir := t.TempDir()
		code := "globalThis.text = String(" + c.source + ");\n" +
			"globalThis.all = async function* () { for await (const x of text) yield* x; await 1 };"
		if err := os.WriteFile(filepath.Join(dir, "index.js"), []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := bundle.Build(bundle.Options{Dir: dir, Entry: "index.js"})
		if err != nil {
			t.Fatal(c.source, err)
		}
		rt := goja.New()
		if _, err := ecma.Install(rt, ecma.Options{}); err != nil {
			t.Fatal(err)
		}
		program, err := ecma.Compile("index.js", b.Source, true)
		if err != nil {
			t.Fatal(c.source, err)
		}
		main, err := rt.RunProgram(program)
		if err != nil {
			t.Fatal(c.source, err)
		}
		call, _ := goja.AssertFunction(main)
		none := rt.ToValue(func(goja.FunctionCall) goja.Value { return nil })
		if _, err := call(nil, none, none, none, none, none); err != nil {
			t.Fatal(c.source, err)
		}
		got := strings.Join(strings.Fields(rt.Get("text").String()), " ")
		want := c.want
		if want == "" {
			want = c.source
		}
		if want = strings.Join(strings.Fields(want), " "); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
}
