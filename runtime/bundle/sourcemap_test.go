package bundle

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// TestMapThroughEdits throws at known places behind every kind of change that the rewriter makes, and looks the place
// up.
func TestMapThroughEdits(t *testing.T) {
	code := strings.Join([]string{
		"import { env } from 'cloudflare:workers';", // 1
		"import {",          // 2
		"  readFileSync",    // 3
		"} from 'node:fs';", // 4
		"const tag = (s: TemplateStringsArray, ...v: unknown[]) => s.join() + v.join();",                   // 5
		"export const places: Record<string, () => never> = {",                                             // 6
		"  plain() { throw new Error('x'); },",                                                             // 7
		"  afterRegExp() { if (/\\p{L}/.test('') || /a/i.test('b')) env; throw new Error('x'); },",         // 8
		"  inTemplate() { tag`a${1}",                                                                       // 9
		"    b${(() => { throw new Error('x'); })()}c`; throw 0; },",                                       // 10
		"  afterImport() { (() => import(String(env)), import.meta); throw new Error('x'); },",             // 11
		"  field() { class C { get = 1; set = (() => { throw new Error('x'); })(); } new C(); throw 0; },", // 12
		"};",                           // 13
		"export default readFileSync;", // 14
	}, "\n")
	b := build(t, map[string]string{"src/index.ts": code}, hostOptions, func(o *Options) { o.Entry = "src/index.ts" })
	h, err := start(t, b, fillHost)
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Source)
	}
	lines := strings.Split(code, "\n")
	places := h.get(t, "places").ToObject(h.rt)
	for name, line := range map[string]int{
		"plain": 7, "afterRegExp": 8, "inTemplate": 10, "afterImport": 11, "field": 12} {
		f, ok := goja.AssertFunction(places.Get(name))
		if !ok {
			t.Fatalf("no function %s", name)
		}
		_, err := f(goja.Undefined())
		exception, ok := err.(*goja.Exception)
		if !ok {
			t.Fatalf("%s: %v", name, err)
		}
		frame := exception.Stack()[0]
		p, ok := b.Map.Lookup(frame.Position().Line, frame.Position().Column)
		if !ok {
			t.Errorf("%s: %v is not in the map", name, frame.Position())
			continue
		}
		want := strings.Index(lines[line-1], "new Error") + 1
		if filepath.Base(p.File) != "index.ts" || p.Line != line || p.Column != want {
			t.Errorf("%s: %+v, want line %d, column %d", name, p, line, want)
		}
		if !strings.HasPrefix(p.URL(), "file:///") || !strings.HasSuffix(p.URL(), "/src/index.ts") {
			t.Errorf("URL %q", p.URL())
		}
		if text, ok := b.Map.SourceLine(p.File, p.Line); !ok || text != lines[line-1] {
			t.Errorf("source line %q", text)
		}
		frameText := strings.Split(b.Map.Frame(p), "\n")
		if strings.Index(frameText[0], "new Error") != strings.Index(frameText[1], "^") {
			t.Errorf("frame\n%s", strings.Join(frameText, "\n"))
		}
	}
	if _, ok := b.Map.Lookup(1, 1); ok {
		t.Error("the prologue has a place in the user's file")
	}
}

func TestMapNames(t *testing.T) {
	b := build(t, map[string]string{
		"index.js": "import { f as other } from './a'; function f() { return other() }; export default f",
		"a.js":     "export function f() { return 1 }",
	})
	at := strings.Index(b.Source, "function f2")
	if at < 0 {
		t.Fatalf("nothing was renamed\n%s", b.Source)
	}
	line := strings.Count(b.Source[:at], "\n") + 1
	column := at - strings.LastIndexByte(b.Source[:at], '\n') + len("function ")
	p, ok := b.Map.Lookup(line, column)
	if !ok || p.Name != "f" || p.Line != 1 {
		t.Errorf("got %+v", p)
	}
}

func TestDecodeMap(t *testing.T) {
	tests := []struct {
		name, mappings string
		ok             bool
	}{
		{"plain", "AAAA;AACA,CAAC;;ACAAA", true},
		{"without source", "A,C;", true},
		{"empty", "", true},
		{"two fields", "AA", false},
		{"six fields", "AAAAAA", false},
		{"unknown source", "AGAA", false},
		{"unknown name", "AAAAE", false},
		{"negative line", "AADA", false},
		{"bad character", "A!", false},
		{"cut off", "g", false},
		{"too long", "ggggggggggggA", false},
	}
	for _, test := range tests {
		data, _ := json.Marshal(
			map[string]any{"version": 3, "sources": []any{"a.js", nil}, "names": []string{"n"},
				"mappings": test.mappings})
		_, err := decodeMap(data, "/dir")
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	for _, data := range []string{`{`, `{"version":2}`, `[]`} {
		if _, err := decodeMap([]byte(data), "/"); err == nil {
			t.Errorf("%s: no error", data)
		}
	}
}

func TestSourceFile(t *testing.T) {
	for name, want := range map[string]string{
		"src/a.ts":            "/dir/src/a.ts",
		"../b.ts":             "/b.ts",
		"/abs/c.ts":           "/abs/c.ts",
		"file:///d%20e.ts":    "/d e.ts",
		"eddy-require:node:x": "eddy-require:node:x",
		"webpack://x/y.js":    "webpack://x/y.js",
	} {
		if got := filepath.ToSlash(sourceFile("/dir", name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func FuzzDecodeMap(f *testing.F) {
	f.Add([]byte(`{"version":3,"sources":["a.js"],"names":["n"],"mappings":"AAAA;AACA,CAAC;;ACAAA"}`))
	f.Add([]byte(`{"version":3,"sourceRoot":"r","sources":[null],"sourcesContent":[null],"names":[],` +
		`"mappings":";;,A"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := &SourceMap{json: data, dir: "/"}
		for line := range 4 {
			for column := range 4 {
				p, ok := m.Lookup(line, column)
				if ok && (p.Line < 1 || p.Column < 1) {
					t.Errorf("position %+v", p)
				}
				if ok {
					m.Frame(p)
				}
			}
		}
	})
}

func BenchmarkLookup(b *testing.B) {
	bundle := build(
		b, map[string]string{
			"index.js": strings.Repeat("export function f() { return [1, 2, 3].map((x) => x + 1) }\n", 1) +
				strings.Repeat("globalThis.x = [1, 2, 3].map((x) => x + 1);\n", 5000)})
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := bundle.Map.Lookup(3000, 10); !ok {
			b.Fatal("not found")
		}
	}
}
