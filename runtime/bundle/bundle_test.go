package bundle

import (
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/google/go-cmp/cmp"
)

func virtual(modules ...VirtualModule) func(*Options) {
	return func(o *Options) { o.Virtual = append(o.Virtual, modules...) }
}

func TestBuildTypeScript(t *testing.T) {
	b := build(t, map[string]string{
		"index.ts": script("typescript.ts"),
		"greet.ts": `export const greet = (who: string): string => "hello " + who;`,
	}, virtual(VirtualModule{Name: "cloudflare:workers"}))
	h, err := start(t, b, func(h *host) {
		v, err := h.rt.RunString("(class DurableObject {})")
		if err != nil {
			t.Fatal(err)
		}
		h.modules["cloudflare:workers"] = map[string]any{"DurableObject": v}
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Source)
	}
	if diff := cmp.Diff([]string{"Room", "count", "default", "increment"}, b.Exports); diff != "" {
		t.Error(diff)
	}
	if _, err := h.rt.RunString("1"); err != nil {
		t.Fatal(err)
	}
	call(t, h, h.get(t, "increment"))
	if got := h.get(t, "count").String(); got != "1" {
		t.Errorf("count = %s after increment, want 1: exports are not live", got)
	}
	if got := call(t, h, h.get(t, "default").ToObject(h.rt).Get("fetch")); got != "hello room1" {
		t.Errorf("fetch = %q", got)
	}
}

func TestServiceWorker(t *testing.T) {
	tests := []struct{ name, code string }{
		{"plain", `addEventListener("fetch", (e) => log("got " + e + (function(){ return this === undefined })()))`},
		{"imports", `import { v } from "./dep.js"; import text from "./a.txt"; ` +
			`self.addEventListener("fetch", (e) => log("got " + e + (v + text === "dA" ? "false" : "?")))`},
		{"exports without default",
			"export const unused = 1;\naddEventListener('fetch', (e) => log('got ' + e + false))"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := build(t, map[string]string{"index.js": test.code, "dep.js": `export const v = "d"`, "a.txt": "A"})
			if b.Format != FormatServiceWorker || len(b.Exports) != 0 {
				t.Errorf("format %q, exports %q", b.Format, b.Exports)
			}
			h, err := start(t, b, func(h *host) {
				const listen = `var listeners = {}, self = globalThis;
					function addEventListener(type, f) { listeners[type] = f }`
				if _, err := h.rt.RunString(listen); err != nil {
					t.Fatal(err)
				}
			})
			if err != nil {
				t.Fatalf("%v\n%s", err, b.Source)
			}
			if _, err := h.rt.RunString(`listeners.fetch("event ")`); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"got event false"}, h.logged); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFormatForced(t *testing.T) {
	b := build(t, map[string]string{"index.js": `globalThis.x = 1`}, func(o *Options) { o.Format = FormatModules })
	if b.Format != FormatModules {
		t.Errorf("format %q", b.Format)
	}
}

func TestExportsBeforeDeclaration(t *testing.T) {
	b := build(t, map[string]string{
		"index.js": `log(early()); export const late = 1; export default late; ` +
			`export function early() { return "hoisted" }`})
	var seen string
	h, err := start(t, b, func(h *host) {
		h.set("log", func(c goja.FunctionCall) goja.Value {
			seen = c.Argument(0).String()
			f, _ := goja.AssertFunction(h.exports.Get("early"))
			if v, err := f(goja.Undefined()); err != nil || !goja.IsUndefined(v) && v.String() == "" {
				t.Errorf("a function's export: %v, %v", v, err)
			}
			return goja.Undefined()
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen != "hoisted" || h.get(t, "late").String() != "1" {
		t.Errorf("seen %q, late %v", seen, h.get(t, "late"))
	}
}

// TestOptions checks that settings reach esbuild.
func TestOptions(t *testing.T) {
	files := map[string]string{
		"index.jsx": `import { where } from "cond"; import m from "main"; ` +
			`import aliased from "old"; const el = (t, p, ...k) => t + k.join(); const Frag = "F"; ` +
			`export default [where, m, aliased, FLAG, process.env.NODE_ENV, typeof DEEP.x, navigator.userAgent, ` +
			`<b>{"x"}</b>, <>y</>].join()`,
		"node_modules/cond/package.json": `{"exports":{"node":"./n.js","workerd":"./w.js","default":"./d.js"}}`,
		"node_modules/cond/w.js":         `export const where = "workerd"`,
		"node_modules/cond/n.js":         `export const where = "node"`,
		"node_modules/cond/d.js":         `export const where = "default"`,
		"node_modules/main/package.json": `{"main":"m.js","module":"e.js","browser":"b.js"}`,
		"node_modules/main/m.js":         `module.exports = "main"`,
		"node_modules/main/e.js":         `export default "module"`,
		"node_modules/main/b.js":         `export default "browser"`,
		"node_modules/new/index.js":      `export default "new"`,
	}
	set := func(o *Options) {
		o.Entry = "index.jsx"
		o.Alias = map[string]string{"old": "new"}
		o.Define = map[string]string{"FLAG": `"on"`, "DEEP": `{"x":1}`}
		o.JSXFactory, o.JSXFragment = "el", "Frag"
	}
	want := "workerd,browser,new,on,development,number,Cloudflare-Workers,bx,Fy"
	if got := run(t, files, set); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := run(t, files, set, func(o *Options) { o.Minify = true }); got != want {
		t.Errorf("minified: %q", got)
	}
	other := func(o *Options) { o.Conditions, o.NodeEnv = []string{"node"}, "production" }
	if got, want := run(t, files, set, other),
		"node,browser,new,on,production,number,Cloudflare-Workers,bx,Fy"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, o := range []Options{
		{}, {Dir: "relative", Entry: "a.js"}, {Dir: "/"}, {Dir: "/", Entry: "a.js", Format: "x"}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func TestKeepRegExp(t *testing.T) {
	b := build(t, map[string]string{"index.js": `export default /a/i`}, func(o *Options) { o.KeepRegExp = true })
	if strings.Contains(b.Source, regexpFunc+"(") {
		t.Errorf("the literal was changed\n%s", b.Source)
	}
}

// TestRegExpLiteralsReachHost lists what the host gets for literals in all kinds of places.
func TestRegExpLiteralsReachHost(t *testing.T) {
	b := build(t, map[string]string{"index.js": `
		const native = /^[a-z]+$/g, flag = /a/i, both = [/\p{L}/u, 4 / 2 / 1, "/no/i"], v = /[[a]&&[b]]/v;
		const f = (x) => x / /\bb/.source.length / 2;
		export default [f(1), "\u00e9", native, flag, both, v];`}, func(o *Options) {})
	var got []string
	for _, part := range strings.Split(b.Source, regexpFunc+"(")[1:] {
		call, _, _ := strings.Cut(part, `")`)
		got = append(got, call)
	}
	want := []string{`"a", "i`, `"\\p{L}", "u`, `"[[a]&&[b]]", "v`, `"\\bb", "`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkColdBuild(b *testing.B) {
	dir := project(b,
		map[string]string{
			"index.ts": `export default { async fetch(request: Request): Promise<Response> { ` +
				`return new Response("hello") } }`})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Build(Options{Dir: dir, Entry: "index.ts"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRebuild(b *testing.B) {
	dir := project(b, map[string]string{"index.ts": `import { v } from "./v"; export default { ` +
		`async fetch(request: Request): Promise<Response> { return new Response("hello" + v) } }`,
		"v.ts": "export const v = 1"})
	builder, err := New(Options{Dir: dir, Entry: "index.ts"})
	if err != nil {
		b.Fatal(err)
	}
	defer builder.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := builder.Build(); err != nil {
			b.Fatal(err)
		}
	}
}
