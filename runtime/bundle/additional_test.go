package bundle

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func additional(o *Options) {
	o.FindAdditionalModules = true
	o.Rules = append(o.Rules, Rule{Type: RuleESModule, Globs: []string{"lang/**/*.js"}})
}

var additionalProject = map[string]string{
	"index.js":   script("additional_index.js"),
	"lang/en.js": `export const loads = { n: 0 }; loads.n++; export const hello = "hello";`,
	"lang/deep/fr.js": `import { loads } from "../en.js"; export const hello = ` +
		`(await import("../" + "de.js")).hello + "/bonjour" + loads.n;`,
	"lang/de.js":     `export const hello = "hallo"; export const unused = 1;`,
	"lang/broken.js": `throw new Error("only when imported");`,
	"note.txt":       "a note",
	"other.js":       `export const hello = "not a module";`,
}

func TestAdditionalModules(t *testing.T) {
	b := build(t, additionalProject, additional)
	h, err := start(t, b, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Source)
	}
	if got, want := settle(h.get(t, "default")), "hello,hallo/bonjour1,a note,1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(h.dynamic) != 1 || !strings.HasSuffix(h.dynamic[0], "-note.txt") {
		t.Errorf("the host was asked for %q, want the asset only", h.dynamic)
	}
}

func TestAdditionalModuleUnknown(t *testing.T) {
	files := map[string]string{}
	for name, text := range additionalProject {
		files[name] = text
	}
	files["index.js"] = `const name = [".", "other.js"].join("/"); export default import(name).catch((e) => e.message)`
	b := build(t, files, additional)
	h, err := start(t, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := settle(h.get(t, "default")), `No such module "./other.js".`; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if diff := cmp.Diff([]string{"index.js ./other.js"}, h.dynamic); diff != "" {
		t.Error(diff)
	}
}

func TestAdditionalModulesNeedExports(t *testing.T) {
	_, err := tryBuild(t, map[string]string{"index.js": `addEventListener("fetch", () => {})`}, additional)
	var failure *BuildError
	if !errors.As(err, &failure) || !strings.Contains(failure.Messages[0].Text, "find_additional_modules") {
		t.Errorf("got %v", err)
	}
}

func TestNoBundle(t *testing.T) {
	noBundle := func(o *Options) {
		o.NoBundle, o.FindAdditionalModules = true, true
		o.Rules = []Rule{{Type: RuleESModule, Globs: []string{"**/*.js"}}}
	}
	got := run(t, map[string]string{
		"index.js": `import { v, set } from "./a.js"; import text from "./t.txt"; set(2); export { v }; ` +
			`export default [v, text, (await import("./" + "a.js")).v].join()`,
		"a.js": `export let v = 1; export const set = (x) => { v = x }; ` +
			`export { default as self } from "./index.js";`,
		"t.txt": "text",
	}, noBundle)
	if got != "2,text,2" {
		t.Errorf("got %q", got)
	}
	for specifier, note := range map[string]string{
		"./a":    "exact name",
		"left":   "exact name",
		"./b.ts": "no module rule matches",
	} {
		_, err := tryBuild(t, map[string]string{
			"index.js": `import "` + specifier + `"; export default 1`, "a.js": "", "b.ts": "",
			"node_modules/left/index.js": "",
		}, noBundle)
		var failure *BuildError
		if !errors.As(err, &failure) {
			t.Fatalf("%s: %v", specifier, err)
		}
		m := failure.Messages[0]
		if m.Text != NoSuchModule(specifier) || m.Line != 1 || !strings.Contains(m.Notes[0].Text, note) {
			t.Errorf("%s: %+v", specifier, m)
		}
	}
}

// TestNoBundleRequire: a CommonJS module requires modules of every kind.
func TestNoBundleRequire(t *testing.T) {
	got := run(t, map[string]string{
		"index.js":  `import c from "./lib/c.cjs"; export default c`,
		"lib/c.cjs": `module.exports = [require("../t.txt"), require("./d.cjs").d, require("../e.js").default].join()`,
		"lib/d.cjs": `exports.d = "common"`, "e.js": `export default "es"`, "t.txt": "text",
	}, func(o *Options) {
		o.NoBundle, o.FindAdditionalModules = true, true
		o.Rules = []Rule{
			{Type: RuleESModule, Globs: []string{"**/*.js"}}, {Type: RuleCommonJS, Globs: []string{"**/*.cjs"}}}
	})
	if got != "text,common,es" {
		t.Errorf("got %q", got)
	}
}

// TestNoBundleScript: a service worker may be served as it is; it has no modules to find.
func TestNoBundleScript(t *testing.T) {
	b, err := tryBuild(
		t, map[string]string{"index.js": `addEventListener("fetch", () => {})`, "t.txt": "text"}, func(o *Options) {
			o.NoBundle, o.FindAdditionalModules = true, true
		})
	if err != nil || b.Format != FormatServiceWorker || len(b.Assets) != 0 {
		t.Errorf("got %+v, %v", b, err)
	}
}

// TestDynamicImportPattern covers import() of a pattern without additional modules: esbuild bundles all that match.
func TestDynamicImportPattern(t *testing.T) {
	got := run(t, map[string]string{
		"index.js": "const load = async (name) => { try { return (await import(`./lang/${name}.js`)).hello } catch " +
			"(e) { return e.message } }; export default (async () => [await load('en'), await load('de'), await " +
			"load('xx')].join())()",
		"lang/en.js": `export const hello = "hello";`, "lang/de.js": `export const hello = "hallo";`,
	})
	if want := "hello,hallo,Module not found in bundle: ./lang/xx.js"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRequireComputed covers what can't be bundled: it throws where it is reached.
func TestRequireComputed(t *testing.T) {
	got := run(t, map[string]string{
		"index.js": `const name = ["a", "b"].join(""); let text; try { require(name) } catch (e) { ` +
			`text = e.message } module.exports = text`,
	})
	if want := `Dynamic require of "ab" is not supported`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Without bundling a file that a rule calls text is text, also where an import() has a pattern for a name.
func TestNoBundlePatternOfText(t *testing.T) {
	yes := true
	b := build(t, map[string]string{
		"index.js": "const name = String('fr'); export default import(`./lang/${name}.json`).then((m) => typeof " +
			"m.default)",
		"lang/fr.json": `{ "hello": "Bonjour" }`, "lang/en.json": `{ "hello": "Hello" }`,
	}, additional, func(o *Options) {
		o.NoBundle, o.Rules = true, []Rule{{Type: RuleText, Globs: []string{"**/*.json"}, Fallthrough: &yes}}
	})
	h, err := start(t, b, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Source)
	}
	if got := settle(h.get(t, "default")); got != "string" {
		t.Errorf("the module is of type %s\n%s", got, b.Source)
	}
}
