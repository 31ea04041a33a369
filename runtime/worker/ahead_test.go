package worker

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eddy/runtime/bundle"
	"eddy/runtime/engine/host"
)

// aheadProject builds a project of files again and again, its packages apart.
type aheadProject struct {
	dir     string
	builder *bundle.Builder
}

func newAheadProject(t *testing.T, files map[string]string) *aheadProject {
	t.Helper()
	p := &aheadProject{dir: t.TempDir()}
	p.write(t, files)
	var err error
	p.builder, err = bundle.New(bundle.Options{Dir: p.dir, Entry: filepath.Join(p.dir, "index.js"), Apart: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.builder.Close)
	return p
}

func (p *aheadProject) write(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(p.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (p *aheadProject) build(t *testing.T) *bundle.Bundle {
	t.Helper()
	b, err := p.builder.Build()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ordered are packages and files that note in which order they run.
var ordered = map[string]string{
	"node_modules/log/index.js": `export const log = []`,
	"node_modules/p/index.js":   `import { log } from "log"; log.push("p"); export const p = "p"`,
	"node_modules/q/index.js": `import { log } from "log"; log.push("q" + globalThis.side); ` +
		`exports.q = () => { throw new TypeError("thrown in q") }`,
	"side.js": `import { log } from "log"; log.push("side"); globalThis.side = 1`,
	"index.js": `import { log } from "log"; import { p } from "p"; import "./side.js"; import { q } from "q"; ` +
		`log.push("index" + Date.now()); ` +
		`export default { fetch(r) { if (r.url.endsWith("/q")) q(); return new Response("one " + log) } }`,
}

// TestAheadRunsAlike: what is started ahead of an edit runs as what is started after it.
func TestAheadRunsAlike(t *testing.T) {
	files := maps.Clone(ordered)
	files["node_modules/q/index.mjs"] = strings.Replace(files["node_modules/q/index.js"], "exports.q =",
		"export const q =", 1)
	files["node_modules/q/package.json"] = `{"main": "index.mjs"}`
	delete(files, "node_modules/q/index.js")
	p := newAheadProject(t, files)
	flags, _ := ResolveFlags("2026-04-01", nil)
	o := Options{Name: "test", Flags: flags, Script: &Script{Bundle: p.build(t)}}
	a, err := StartAhead(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, map[string]string{"index.js": strings.Replace(files["index.js"], "one ", "two ", 1)})
	edited := p.build(t)
	if !a.Fits(edited) || a.units != 3 {
		t.Fatalf("%d units, fits %v", a.units, a.Fits(edited))
	}
	script := &Script{Bundle: edited}
	late, err := a.Start(t.Context(), script)
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	o.Script = script
	plain, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	var stacks []string
	for _, w := range []*Worker{late, plain} {
		if _, body, err := get(t, w, "http://localhost/"); err != nil || body != "two p,side,q1,index0" {
			t.Error(body, err)
		}
		var ex *Exception
		if _, _, err := get(t, w, "http://localhost/q"); !errors.As(err, &ex) {
			t.Fatal(err)
		}
		stacks = append(stacks, ex.Stack)
	}
	if stacks[0] != stacks[1] || !strings.Contains(stacks[0], "q/index.mjs:1:") {
		t.Errorf("stacks:\n%s\n%s", stacks[0], stacks[1])
	}
}

// TestAheadFitsNot: a user's file that comes before a package by an edit must run before it.
func TestAheadFitsNot(t *testing.T) {
	p := newAheadProject(t, map[string]string{
		"node_modules/p/index.js": `export const p = globalThis.side`, "side.js": `export function side() {}`,
		"index.js": `import { side } from "./side.js"; import { p } from "p"; ` +
			`export default { fetch: () => new Response(p + side) }`,
	})
	flags, _ := ResolveFlags("2026-04-01", nil)
	a, err := StartAhead(t.Context(), Options{Name: "test", Flags: flags, Script: &Script{Bundle: p.build(t)}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	p.write(t, map[string]string{"side.js": `export function side() {} globalThis.side = 1`})
	if edited := p.build(t); edited.Packages != a.packages || a.Fits(edited) {
		t.Error("what must run before the packages would run behind them")
	}
}

// TestNotAhead: packages whose top level somebody hears of, or that leave work behind, run with the user's script only.
func TestNotAhead(t *testing.T) {
	for name, code := range map[string]string{
		"console":    `console.log("p"); export const p = 1`,
		"microtask":  `export let p = []; Promise.resolve().then(() => p.push(1))`,
		"rejection":  `Promise.reject(new Error("p")); export const p = 1`,
		"throws":     `throw new Error("p"); export const p = 1`,
		"disallowed": `setTimeout(() => {}, 1); export const p = 1`,
	} {
		t.Run(name, func(t *testing.T) {
			p := newAheadProject(t, map[string]string{"node_modules/p/index.js": code,
				"index.js": `import { p } from "p"; export default { fetch: () => new Response("" + p) }`})
			flags, _ := ResolveFlags("2026-04-01", nil)
			heard := false
			o := Options{Name: "test", Flags: flags, Script: &Script{Bundle: p.build(t)},
				Log: func(host.ConsoleLine) { heard = true }, Rejected: func(*Exception) { heard = true }}
			if _, err := StartAhead(t.Context(), o); !errors.Is(err, ErrNotAhead) {
				t.Errorf("%v, want %v", err, ErrNotAhead)
			}
			if heard {
				t.Error("it was told")
			}
		})
	}
}
