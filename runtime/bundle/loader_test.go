package bundle

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestAssets(t *testing.T) {
	b := build(t, map[string]string{
		"index.js": script("assets_index.js"),
		"mod.wasm": "\x00asm", "a.txt": "A", "p.html": "<p>", "q.sql": "SELECT", "d.bin": "1234",
		"node_modules/pkg/x.txt": "P",
	})
	h, err := start(t, b, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Source)
	}
	if got, want := settle(h.get(t, "default")), "wasm:\x00asm,wasm:\x00asm,A,<p>,SELECT,4,P,A,A"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(b.Imports) != 0 {
		t.Errorf("assets are listed as imports: %q", b.Imports)
	}
	name := regexp.MustCompile(`^\./[0-9a-f]{40}-(mod\.wasm|a\.txt|p\.html|q\.sql|d\.bin|x\.txt)$`)
	for _, a := range b.Assets {
		if !name.MatchString(a.Name) {
			t.Errorf("asset name %q", a.Name)
		}
	}
	if len(b.Assets) != 6 || len(b.Inputs) != 7 {
		t.Errorf("%d assets, inputs %q", len(b.Assets), b.Inputs)
	}
}

// A file of a package can be imported although the package's exports do not name it; a file of the project that has the
// path of a bare specifier can be, too.
func TestAssetPastExports(t *testing.T) {
	files := map[string]string{
		"src/index.js": `import hidden from "pkg/dist/hidden.txt"; import named from "@scope/pkg/named.txt";
			import both from "pkg/both.txt";
			import plain from "plain.txt"; import inner from "pkg";
			export default [hidden, named, both, plain, inner].join()`,
		"src/plain.txt": "plain",
		"node_modules/pkg/package.json": `{"name":"pkg","type":"module","exports":{".":"./index.js","./` +
			`both.txt":"./dist/other.txt"}}`,
		"node_modules/pkg/index.js": `import own from "pkg/dist/hidden.txt"; ` +
			`export default "inner " + own`,
		"node_modules/pkg/dist/hidden.txt":       "hidden",
		"node_modules/pkg/dist/other.txt":        "exported",
		"node_modules/pkg/both.txt":              "on the path",
		"node_modules/@scope/pkg/package.json":   `{"name":"@scope/pkg","exports":{"./named.txt":"./dist/named.txt"}}`,
		"node_modules/@scope/pkg/dist/named.txt": "named",
	}
	if got, want := run(t, files, func(o *Options) { o.Entry = filepath.Join(o.Dir, "src/index.js") }),
		"hidden,named,on the path,plain,inner hidden"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAssetNamesPreserved(t *testing.T) {
	b := build(t, map[string]string{
		"index.js": `import text from "./dir/a.txt"; export default text`, "dir/a.txt": "A"},
		func(o *Options) { o.PreserveFileNames = true })
	if len(b.Assets) != 1 || b.Assets[0].Name != "./dir/a.txt" || b.Assets[0].Kind != RuleText {
		t.Errorf("got %+v", b.Assets)
	}
}

func TestRules(t *testing.T) {
	yes, no := true, false
	md := Rule{Type: RuleText, Globs: []string{"**/*.md"}}
	files := map[string]string{"index.js": `import md from "./a.md"; export default md`, "a.md": "# A", "b.txt": "B"}
	with := func(rules ...Rule) func(*Options) { return func(o *Options) { o.Rules = rules } }
	if got := run(t, files, with(md)); got != "# A" {
		t.Errorf("got %q", got)
	}

	// Without fallthrough the user's Text rule silences the default one, and that is said.
	files["index.js"] = `import b from "./b.txt"; export default b`
	b := build(t, files, with(md))
	if len(b.Assets) != 0 || len(b.Warnings) != 1 ||
		!strings.Contains(b.Warnings[0].Text, "**/*.txt, **/*.html, **/*.sql (default)") {
		t.Errorf("assets %v, warnings %+v", b.Assets, b.Warnings)
	}
	md.Fallthrough = &no
	if b := build(t, files, with(md)); len(b.Warnings) != 0 {
		t.Errorf("warnings %+v", b.Warnings)
	}
	md.Fallthrough = &yes
	if b := build(t, files, with(md)); len(b.Assets) != 1 || len(b.Warnings) != 0 {
		t.Errorf("assets %v, warnings %+v", b.Assets, b.Warnings)
	}
}

func TestRulesRefused(t *testing.T) {
	for kind, text := range map[RuleType]string{
		"PythonModule": "Python Workers are not supported", "Wasm": `unknown type "Wasm"`} {
		_, err := New(Options{Dir: "/", Entry: "index.js", Rules: []Rule{{Type: kind, Globs: []string{"*"}}}})
		var failure *BuildError
		if !errors.As(err, &failure) || !strings.Contains(failure.Messages[0].Text, text) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if _, err := New(Options{Dir: "/", Entry: "worker.py"}); err == nil || !strings.Contains(err.Error(), "Python") {
		t.Errorf("got %v", err)
	}
}

func TestAssetUnreadable(t *testing.T) {
	_, err := tryBuild(t, map[string]string{"index.js": "\nimport x from './gone.wasm'; export default x"})
	var failure *BuildError
	if !errors.As(err, &failure) {
		t.Fatalf("got %v", err)
	}
	if m := failure.Messages[0]; m.Line != 2 || m.Text != `Could not read "./gone.wasm" as a CompiledWasm module` {
		t.Errorf("got %+v", m)
	}
}

func TestGlobPattern(t *testing.T) {
	tests := []struct {
		glob, path          string
		specifier, globstar bool
	}{
		{"**/*.txt", "./a.txt", true, true},
		{"**/*.txt", "a.txt", false, true},
		{"**/*.txt", "dir/sub/a.txt", true, true},
		{"*.txt", "dir/a.txt", true, false},
		{"**/*.wasm?module", "./a.wasm?module", true, true},
		{"**/*.wasm?module", "./a.wasmxmodule", false, false},
		{"lang/**/*.js", "lang/en.js", false, true},
		{"lang/**/*.js", "lang/a/b.js", true, true},
		{"lang/**", "lang/a/b.js", true, true},
		{"a.b", "axb", false, false},
	}
	for _, test := range tests {
		if got := regexp.MustCompile(GlobPattern(test.glob, false)).MatchString(test.path); got != test.specifier {
			t.Errorf("%s as specifier on %s: %v", test.glob, test.path, got)
		}
		if got := regexp.MustCompile(GlobPattern(test.glob, true)).MatchString(test.path); got != test.globstar {
			t.Errorf("%s with globstar on %s: %v", test.glob, test.path, got)
		}
	}
}

// An import of a file that no rule takes names the rule that would.
func TestRefusedFileNamesItsRule(t *testing.T) {
	_, err := tryBuild(t, map[string]string{"index.js": `import a from "./a.md"; import b from "./b.png"; ` +
		`export default {a, b}`,
		"a.md": "x", "b.png": "x"})
	for _, want := range []string{`"rules": [{ "type": "Text", "globs": ["**/*.md"], "fallthrough": true }]`,
		`"rules": [{ "type": "Data", "globs": ["**/*.png"], "fallthrough": true }]`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in %v", want, err)
		}
	}
}
