package bundle

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modulesOf builds files as modules; main is src/index.ts.
func modulesOf(t *testing.T, files map[string]string, roots ...string) (*Bundle, string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m, err := NewModules(Options{
		Dir: dir, Entry: "src/index.ts",
		Virtual: []VirtualModule{{Name: ModulesName}, {Name: "vitest"}, {Name: "cloudflare:workers"}},
	}, roots)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	b, err := m.Build()
	return b, dir, err
}

// TestModules: each file of the project is a module of its own, packages are one bundle, and the entry's exports are
// known without running anything.
func TestModules(t *testing.T) {
	b, dir, err := modulesOf(t, map[string]string{
		"src/index.ts": `import { deep } from "./deep"; import pkg from "pkg"; export * from "./more";
			export * as space from "./more";
export class Counter {} export default { fetch() { return deep + pkg; } }`,
		"src/deep.ts": `export const deep: string = "deep";`,
		"src/more.ts": `export let more = 1; export default "not exported again";`,
		"test/a.test.ts": `import { vi } from "vitest"; import worker from "../src"; ` +
			`vi.mock("../src/deep", () => ({ deep: 1 })); worker.fetch();`,
		"node_modules/pkg/index.js":     `module.exports = "package";`,
		"node_modules/pkg/package.json": `{"name":"pkg","main":"index.js"}`,
	}, "test/a.test.ts")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"Counter", "default", "more", "space"}; !slices.Equal(b.Exports, want) {
		t.Errorf("exports %v, want %v", b.Exports, want)
	}
	for _, name := range []string{"src/index.ts", "src/deep.ts", "src/more.ts", "test/a.test.ts"} {
		if n := strings.Count(b.Source, `define("`+ModuleID(filepath.Join(dir, name))+`"`); n != 1 {
			t.Errorf("%s is defined %d times", name, n)
		}
	}
	if !strings.Contains(b.Source, "__eddy_modules.packages(") {
		t.Error("the package is not in the script")
	}
	// A place in the script is one in the user's file.
	for i, line := range strings.Split(b.Source, "\n") {
		if column := strings.Index(line, "worker.fetch()"); column >= 0 {
			p, ok := b.Map.Lookup(i+1, column+1)
			if !ok || p.File != filepath.Join(dir, "test/a.test.ts") || p.Line != 1 || p.Column != 104 {
				t.Errorf("place of worker.fetch(): %+v", p)
			}
			if text, ok := b.Map.SourceLine(p.File, p.Line); !ok || !strings.HasPrefix(text, "import { vi }") {
				t.Errorf("its line: %q", text)
			}
		}
	}
}

// TestModulesMistakes: a file that does not resolve or parse throws when it is imported, and tells its line; the others
// are built.
func TestModulesMistakes(t *testing.T) {
	b, dir, err := modulesOf(t, map[string]string{
		"src/index.ts":   `export default {};`,
		"test/a.test.ts": "\nimport { x } from \"./missing\";\nx();",
		"test/b.test.ts": "\nconst = 1;",
		"test/c.test.ts": "globalThis.whole = 1;",
	}, "test/a.test.ts", "test/b.test.ts", "test/c.test.ts")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"test/a.test.ts": "throw new Error(",
		"test/b.test.ts": "throw new Error(",
		"test/c.test.ts": "globalThis.whole = 1",
	} {
		_, text, _ := strings.Cut(b.Source, `define("`+ModuleID(filepath.Join(dir, name))+`"`)
		text, _, _ = strings.Cut(text, "\n})")
		if !strings.Contains(text, want) || want[0] == 't' && !strings.Contains(text, name+":2:") {
			t.Errorf("%s: %s", name, text)
		}
	}
	_, _, err = modulesOf(t, map[string]string{"src/index.ts": "\nconst = 1;", "test/a.test.ts": ""}, "test/a.test.ts")
	failure, ok := err.(*BuildError)
	if !ok || len(failure.Messages) != 1 || failure.Messages[0].Line != 2 {
		t.Errorf("a mistake of the Worker: %v", err)
	}
}

// TestModulesRequire: WebAssembly that a file of the project requires is the module, and its own default.
func TestModulesRequire(t *testing.T) {
	b, _, err := modulesOf(t, map[string]string{
		"src/index.ts": `import load from "./load.cjs"; export default { load };`,
		"src/load.cjs": `module.exports = () => require("./add.wasm?module").default;`,
		"src/add.wasm": "\x00asm",
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Assets) != 1 || !strings.Contains(b.Source, `"default", { value: module.exports`) {
		t.Errorf("assets %v in\n%s", b.Assets, b.Source)
	}
}
