package bundle

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// apartCases are projects that log what runs. refused ones can't be built as two scripts.
var apartCases = []struct {
	name    string
	files   map[string]string
	refused bool
}{
	{name: "names, namespaces and defaults", files: map[string]string{
		"index.js": `import { a, b as c } from "es"; import * as z from "es"; import d, { e } from "es/more"; ` +
			`log(a, c, z.b, z.a, d, e); export default a + c`,
		"node_modules/es/index.js": `log("es"); export const a = 1; export function b() { return 2 }`,
		"node_modules/es/more.js": `import { a } from "./index.js"; log("more"); export default a; ` +
			`export let e = "e"`,
		"node_modules/es/package.json": `{"type": "module"}`,
	}},
	{name: "the order of users and packages", files: map[string]string{
		"index.js": `import "./one.js"; import { p } from "p"; import "./two.js"; import { q } from "q"; ` +
			`log("index", p, q); ` +
			`export default 1`,
		"one.js":                  `import { r } from "r"; log("one", r); globalThis.one = true`,
		"two.js":                  `import { q } from "q"; import { p } from "p"; log("two", p, q)`,
		"node_modules/p/index.js": `import { r } from "r"; log("p", r, globalThis.one); export const p = "p"`,
		"node_modules/q/index.js": `log("q"); export const q = "q"`,
		"node_modules/r/index.js": `log("r", globalThis.one); export const r = "r"`,
	}},
	{name: "cycles among the user's files", files: map[string]string{
		"index.js": `import { a } from "./a.js"; log(a()); export default 1`,
		"a.js": `import { b } from "./b.js"; import { p } from "p"; log("a", p); ` +
			`export function a() { return "a" + b() }`,
		"b.js": `import { a } from "./a.js"; import { q } from "q"; log("b", q, typeof a); ` +
			`export function b() { return q + a.name }`,
		"node_modules/p/index.js": `log("p"); export const p = "p"`,
		"node_modules/q/index.js": `import { p } from "p"; log("q", p); export const q = "q"`,
	}},
	{name: "cycles among packages", files: map[string]string{
		"index.js": `import { p } from "p"; import { q } from "q"; log(p(), q()); export default 1`,
		"node_modules/p/index.js": `import { q } from "q"; log("p", typeof q); ` +
			`export function p() { return "p" + q.name }`,
		"node_modules/q/index.js": `import { p } from "p"; log("q", typeof p); ` +
			`export function q() { return "q" + p.name }`,
	}},
	{name: "CommonJS as it is seen from a module and from what may be none", files: map[string]string{
		"index.js": `import a, { x } from "c"; import { inner } from "./inner.mjs"; import * as all from "c"; ` +
			`log(JSON.stringify(a), x, inner, all.x); export default 1`,
		"inner.mjs": `import a, { x } from "c"; export const inner = JSON.stringify(a) + x`,
		"node_modules/c/index.js": `log("c"); Object.defineProperty(exports, "__esModule", { value: true }); ` +
			`exports.default = "default"; exports.x = "x"`,
	}},
	{name: "imports for their effects", files: map[string]string{
		"index.js": `import "fx"; import "./mid.js"; import "fx/other.js"; ` +
			`log("index"); export default 1`,
		"mid.js":                       `log("mid")`,
		"node_modules/fx/index.js":     `log("fx")`,
		"node_modules/fx/other.js":     `log("other")`,
		"node_modules/fx/package.json": `{"name": "fx"}`,
	}},
	{name: "packages without effects", files: map[string]string{
		"index.js": `import { used } from "pure"; import { not } from "pure/not.js"; ` +
			`log(used); export default 1`,
		"node_modules/pure/index.js":     `export { used } from "./used.js"; export { other } from "./other.js"`,
		"node_modules/pure/used.js":      `log("used"); export const used = 1`,
		"node_modules/pure/other.js":     `log("other"); export const other = 2`,
		"node_modules/pure/not.js":       `log("not"); export const not = 2`,
		"node_modules/pure/package.json": `{"sideEffects": false}`,
	}},
	{name: "exported again", files: map[string]string{
		"index.js": `import { b } from "./b.js"; export { b }; export { a as x } from "p"; ` +
			`export { default } from "p"`,
		"b.js":                    `export { a as b } from "p"`,
		"node_modules/p/index.js": `export const a = "a"; export default function () { return "d" }`,
	}},
	{name: "names that are words", files: map[string]string{
		"index.js": `import { delete as del, "a b" as ab, await as wait, static as st } from "w"; ` +
			`log(del, ab, wait, st); ` +
			`export default 1`,
		"node_modules/w/index.js": `const a = 1, b = 2, c = 3, d = 4; ` +
			`export { a as delete, b as "a b", c as await, d as static }`,
	}},
	{name: "enums and what else is assigned at the top", files: map[string]string{
		"index.js": `import { E, later, C } from "e"; log(E.A, later, C.name, new C().x); export default 1`,
		"node_modules/e/index.js": `export var E; (function (E) { E[E["A"] = 0] = "A" })(E || (E = {})); ` +
			`export let later; ` +
			`later = 5; later++; export let C = class C { x = 1; later = 2 }; C = Object.assign(C, {})`,
	}},
	{name: "names of globals", files: map[string]string{
		"index.js":                `import { Map as M, log as l } from "g"; log(M, l, typeof Map); export default 1`,
		"node_modules/g/index.js": `const Map = "own"; export { Map }; export const log = "log"`,
	}},
	{name: "TypeScript", files: map[string]string{
		"index.ts": `import type { T } from "t"; import { f, type U } from "t"; import { g } from "./g"; ` +
			`const x: U = f(1); log(x, g); export default x`,
		"g.ts":                    `import { f } from "t"; export enum G { A = 1 } export const g = f(G.A)`,
		"node_modules/t/index.js": `log("t"); export function f(x) { return x + 1 }`,
	}},
	{name: "top-level await of the user", files: map[string]string{
		"index.js": `import "./first.js"; import { p } from "p"; log("index", p); export default 1`,
		"first.js": `await null; log("first")`, "node_modules/p/index.js": `log("p"); export const p = 1`,
	}},
	{name: "imports of packages in packages", files: map[string]string{
		"index.js": `import { load } from "p"; load().then(log); export default 1`,
		"node_modules/p/index.js": `export const load = async () => (await import("./lazy.js")).lazy; ` +
			`export const old = () => require("./old.js")`,
		"node_modules/p/lazy.js": `log("lazy"); export const lazy = 1`,
		"node_modules/p/old.js":  `module.exports = 1`,
	}},
	{name: "a file is imported later", refused: true, files: map[string]string{
		"index.js": `import { p } from "p"; export const later = () => import("./later.js"); log(p); ` +
			`export default 1`,
		"later.js": `import { q } from "q"; log(q)`, "node_modules/p/index.js": `export const p = 1`,
		"node_modules/q/index.js": `export const q = 1`,
	}},
	{name: "a package is imported later", refused: true, files: map[string]string{
		"index.js":                `export const later = () => import("p"); export default 1`,
		"node_modules/p/index.js": `export const p = 1`,
	}},
	{name: "a package is required", refused: true, files: map[string]string{
		"index.js": `const { p } = require("p"); log(p); ` +
			`export default 1`, "node_modules/p/index.js": `exports.p = 1`,
	}},
	{name: "a namespace is a value", refused: true, files: map[string]string{
		"index.js":                `import * as p from "p"; log(Object.keys(p)); export default 1`,
		"node_modules/p/index.js": `export const p = 1, q = 2`,
	}},
	{name: "everything is exported again", refused: true, files: map[string]string{
		"index.js": `export * from "p"; export * as p from "p"; ` +
			`export default 1`, "node_modules/p/index.js": `export const p = 1`,
	}},
	{name: "a package exports what changes", refused: true, files: map[string]string{
		"index.js":                `import { count, up } from "p"; log(count); up(); log(count); export default 1`,
		"node_modules/p/index.js": `export let count = 0; export const up = () => { count++ }`,
	}},
	{name: "a package exports what a pattern changes", refused: true, files: map[string]string{
		"index.js":                `import { a, set } from "p"; set(5); log(a); export default 1`,
		"node_modules/p/index.js": `export let a = 0; export function set(v) { [a] = [v] }`,
	}},
	{name: "a package exports what a pattern of an object changes", refused: true, files: map[string]string{
		"index.js":                `import { a, set } from "p"; set(5); log(a); export default 1`,
		"node_modules/p/index.js": `export let a = 0; export function set(v) { ({ x: a } = { x: v }) }`,
	}},
	{name: "a package exports what a loop changes", refused: true, files: map[string]string{
		"index.js":                `import { a, set } from "p"; set(5); log(a); export default 1`,
		"node_modules/p/index.js": `export let a = 0; export function set(v) { for (a of [v]); }`,
	}},
	{name: "CommonJS that changes what it exports", files: map[string]string{
		"index.js": `import d, { count, up } from "c"; import { seen } from "./seen.mjs"; import * as all from "c"; ` +
			`log(count, d.count); up(); log(count, all.count, seen(), d.count); ` +
			`const later = () => { up(); return count }; export default later()`,
		"seen.mjs":                `import { count } from "c"; export function seen() { return count }`,
		"node_modules/c/index.js": `exports.count = 0; exports.up = () => { exports.count++ }`,
	}},
	{name: "all uses of what CommonJS exports", files: map[string]string{
		"index.js": `import { self, "a b" as ab, Made, tag } from "c"; ` +
			"log(self() === undefined, ab, new Made().x, tag`t`); " +
			`class More extends Made {} log(new More().x, { ab }.ab, typeof ab, [...ab]); export default 1`,
		"node_modules/c/index.js": `exports["a b"] = "ab"; ` +
			`exports.self = function () { "use strict"; return this }; exports.Made = class { x = 1 }; ` +
			"exports.tag = (t) => t[0]",
	}},
	{name: "CommonJS that another package gives away", files: map[string]string{
		"index.js":                    `import { count, up } from "p"; up(); log(count); export default 1`,
		"node_modules/p/index.mjs":    `export * from "c"; export { up } from "c"; export { count } from "c"`,
		"node_modules/p/package.json": `{"module": "index.mjs", "main": "index.mjs"}`,
		"node_modules/c/index.js":     `exports.count = 0; exports.up = () => { exports.count++ }`,
	}},
	{name: "CommonJS is exported again", refused: true, files: map[string]string{
		"index.js":                `export { count, up } from "c"; export default 1`,
		"node_modules/c/index.js": `exports.count = 0; exports.up = () => { exports.count++ }`,
	}},
	{name: "CommonJS is exported again by a file", files: map[string]string{
		"index.js":                `import { count, up } from "./again.js"; up(); log(count); export default 1`,
		"again.js":                `export { count, up } from "c"`,
		"node_modules/c/index.js": `exports.count = 0; exports.up = () => { exports.count++ }`,
	}},
	{name: "a package awaits", refused: true, files: map[string]string{
		"index.js": `import { p } from "p"; log(p); ` +
			`export default 1`, "node_modules/p/index.js": `export const p = await 1`,
	}},
	{name: "a package imports the project", refused: true, files: map[string]string{
		"index.js": `import { p } from "p"; import { x } from "./x.js"; log(p, x); export default 1`,
		"x.js":     `log("x"); export const x = {}`, "node_modules/p/index.js": `export { x as p } from "../../x.js"`,
	}},
	{name: "no package", files: map[string]string{
		"index.js": `import { a } from "./a.js"; log(a); export default 1`, "a.js": `export const a = 1`,
	}},
}

// TestApartRunsAlike: two scripts run the same code in the same order as one.
func TestApartRunsAlike(t *testing.T) {
	for _, c := range apartCases {
		t.Run(c.name, func(t *testing.T) {
			var logged [2][]string
			var values [2]string
			var exports [2][]string
			for i, apart := range []bool{false, true} {
				b := build(t, c.files, func(o *Options) { o.Apart = apart })
				if want := apart && !c.refused && c.name != "no package"; (b.Packages != nil) != want {
					t.Errorf("apart %v: packages %v", apart, b.Packages != nil)
				}
				if b.Packages != nil {
					if strings.Contains(b.Source, "node_modules") {
						t.Errorf("the scripts are not apart:\n%s\n%s", b.Source, b.Packages.Source)
					}
				}
				h, err := start(t, b, nil)
				if err != nil {
					t.Fatalf("%v\n%s", err, b.Source)
				}
				logged[i], exports[i] = h.logged, b.Exports
				for _, name := range b.Exports {
					values[i] += settle(h.get(t, name)) + "\n"
				}
			}
			if !slices.Equal(logged[0], logged[1]) || !slices.Equal(exports[0], exports[1]) || values[0] != values[1] {
				t.Errorf("one script: %q %q %q\ntwo scripts: %q %q %q", logged[0], exports[0], values[0],
					logged[1], exports[1], values[1])
			}
		})
	}
}

// TestApartAgain: later builds keep the script of the packages as long as it stays what it is, and see what changes.
func TestApartAgain(t *testing.T) {
	dir := project(t, map[string]string{
		"index.js":                `import { p } from "p"; log(p); export default 1`,
		"node_modules/p/index.js": `log("p"); export const p = 1, q = 2`,
		"node_modules/r/index.js": `log("r"); export const r = 3`,
	})
	age(t, dir)
	b, err := New(Options{Dir: dir, Entry: "index.js", Apart: true})
	if err != nil {
		t.Fatal(err)
	}
	var last *Packages
	for _, step := range []struct {
		file, text string
		kept       bool
		want       string
	}{
		{"index.js", `import { p } from "p"; log("a", p); export default 1`, false, "p,a 1"},
		{"index.js", `import { p } from "p"; log("b", p); export default 1`, true, "p,b 1"},
		{"x.js", `log("x", 1)`, true, "p,b 1"},
		{"index.js", `import "./x.js"; import { p } from "p"; log("c", p); export default 1`, true, "x 1,p,c 1"},
		{"index.js", `import { p, q } from "p"; log("d", p, q); export default 1`, false, "p,d 1 2"},
		{"index.js", `import { p } from "p"; log("e", p); export default 1`, true, "p,e 1"},
		{"index.js", `import { r } from "r"; import { p } from "p"; log(r, p); export default 1`, false, "r,p,3 1"},
		{"index.js", `import { p } from "p"; import { r } from "r"; log(r, p); export default 1`, false, "p,r,3 1"},
		{"index.js", `import { p } from "p"; import { r } from "r"; log(p); export default 1`, true, "p,r,1"},
		{"node_modules/p/index.js", `log("P"); export const p = 4`, false, "P,r,4"},
		{"index.js", `import * as all from "p"; log(all.p); export default 1`, false, "P,4"},
		{"index.js", `import * as all from "p"; log(all.p, typeof all.none); ` +
			`export default 1`, false, "P,4 undefined"},
		{"index.js", `log("none"); export default 1`, false, "none"},
		{"index.js", `import { p } from "p"; log(p); export default 1`, false, "P,4"},
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(step.file)), step.text)
		if step.file != "index.js" {
			age(t, filepath.Join(dir, filepath.FromSlash(filepath.Dir(step.file))))
		}
		made, err := b.Build()
		if err != nil {
			t.Fatal(step.text, err)
		}
		if kept := made.Packages != nil && made.Packages == last; kept != step.kept {
			t.Errorf("%s: kept %v", step.text, kept)
		}
		last = made.Packages
		h, err := start(t, made, nil)
		if err != nil {
			t.Fatal(step.text, err)
		}
		if got := strings.Join(h.logged, ","); got != step.want {
			t.Errorf("%s: logs %s, expected %s", step.text, got, step.want)
		}
		whole, err := Build(Options{Dir: dir, Entry: "index.js"})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(whole.Inputs, made.Inputs) {
			t.Errorf("%s: inputs %q, expected %q", step.text, made.Inputs, whole.Inputs)
		}
	}
}

// TestApartAdopts: a build that comes to the packages of another process knows what of them is live.
func TestApartAdopts(t *testing.T) {
	dir := project(t, map[string]string{
		"index.js":                `import { count, up } from "c"; up(); log(count); export default 1`,
		"node_modules/c/index.js": `exports.count = 0; exports.up = () => { exports.count++ }`,
	})
	o := Options{Dir: dir, Entry: "index.js", Apart: true}
	first, err := Build(o)
	if err != nil {
		t.Fatal(err)
	}
	kept := &Packages{Source: first.Packages.Source, Map: first.Packages.Map}
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	b.Adopt(&Bundle{Packages: kept})
	for range 2 {
		made, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if made.Packages != kept || made.Source != first.Source {
			t.Errorf("packages kept: %v, script:\n%s", made.Packages == kept, made.Source)
		}
		h, err := start(t, made, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(h.logged, ","); got != "1" {
			t.Errorf("logs %s, expected 1", got)
		}
	}
}

// TestApartMistakes: what is wrong is told as if there were one script.
func TestApartMistakes(t *testing.T) {
	files := map[string]string{
		"index.js":                `import { p } from "p"; log(p); export default 1`,
		"node_modules/p/index.js": `export const p = 1`,
	}
	for _, text := range []string{
		`import { p, none } from "p"; log(p, none); export default 1`, `import { p } from "absent"; export default p`,
		`import { p } from "p"; export default p +`, `import { p } from "p"; import { x } from "node:none"; ` +
			`export default x`,
		`import { p } from "p/absent.js"; export default p`,
	} {
		var told [2]string
		dir := project(t, files)
		age(t, dir)
		for i, apart := range []bool{false, true} {
			b, err := New(Options{Dir: dir, Entry: "index.js", Apart: apart})
			if err != nil {
				t.Fatal(err)
			}
			for _, code := range []string{files["index.js"], text, files["index.js"], text} {
				if err := os.WriteFile(filepath.Join(dir, "index.js"), []byte(code), 0o666); err != nil {
					t.Fatal(err)
				}
				made, err := b.Build()
				if (err != nil) != (code == text) {
					t.Errorf("%s: %v", code, err)
				}
				if err != nil {
					told[i] += err.Error() + strings.Join(b.Watch().Missing, ",")
				} else if apart && made.Packages == nil {
					t.Errorf("after %s: one script", text)
				}
			}
		}
		if told[0] != told[1] {
			t.Errorf("%s:\n%s\nexpected\n%s", text, told[1], told[0])
		}
	}
}

// TestApartPlaces: positions of both scripts lead to the files they stem from.
func TestApartPlaces(t *testing.T) {
	b := build(t, map[string]string{
		"index.js":                "import { p } from \"p\";\nconst user = 1;\nlog(p, user);\nexport default 1",
		"node_modules/p/index.js": "\nexport const p = 1;\nlog(p)",
	}, func(o *Options) { o.Apart = true })
	for text, want := range map[string]string{
		"var user": "index.js:2", "var p =": "index.js:2", "log(p, user)": "index.js:3",
	} {
		source := b.Source
		if text == "var p =" {
			source = b.Packages.Source
		}
		at := strings.Index(source, text)
		if at < 0 {
			t.Fatalf("no %q in\n%s", text, source)
		}
		line := strings.Count(source[:at], "\n") + 1
		p, ok := b.Map.Lookup(line, at-strings.LastIndexByte(source[:at], '\n')+4)
		if got := filepath.Base(p.File) + ":" + string(rune('0'+p.Line)); !ok || got != want ||
			strings.Contains(p.File, "node_modules") != (text == "var p =") {
			t.Errorf("%s is at %s:%d", text, p.File, p.Line)
		}
	}
}
