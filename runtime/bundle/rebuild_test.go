package bundle

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRebuild: a build after Changed builds what changed and takes the rest from the last one, and knows which roots
// a file has an influence on.
func TestRebuild(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("src/index.ts", `import { deep } from "./deep"; export default { fetch() { return deep; } }`)
	put("src/deep.ts", `import sql from "./a.md?raw"; export const deep = sql;`)
	put("src/a.md", `select 1`)
	put("src/own.ts", `import pkg from "pkg"; export const own = pkg;`)
	put("node_modules/pkg/index.js", `module.exports = "package one";`)
	put("test/self.test.ts", `import { SELF } from "cloudflare:test"; SELF.fetch();`)
	put("test/own.test.ts", `import { own } from "../src/own"; own;`)
	put("test/mock.test.ts", `import { vi } from "vitest"; vi.mock("../src/deep"); 1;`)
	m, err := NewModules(Options{Dir: dir, Entry: "src/index.ts", Virtual: []VirtualModule{{Name: ModulesName},
		{Name: "vitest"}, {Name: "cloudflare:test"}}}, []string{"test/self.test.ts", "test/own.test.ts",
		"test/mock.test.ts"})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	build := func(want string) {
		t.Helper()
		b, err := m.Build()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.Source, want) {
			t.Errorf("the script has no %s", want)
		}
	}
	build("package one")
	users := func(name string, want ...string) {
		t.Helper()
		roots, all := m.Users([]string{filepath.Join(dir, name)})
		var got []string
		for _, root := range roots {
			got = append(got, filepath.Base(root))
		}
		if all || !slices.Equal(got, want) {
			t.Errorf("users of %s: %v %v, want %v", name, got, all, want)
		}
	}
	users("src/own.ts", "own.test.ts")
	users("src/deep.ts", "self.test.ts", "mock.test.ts")
	users("src/a.md", "self.test.ts", "mock.test.ts")
	users("src/index.ts", "self.test.ts")
	users("test/mock.test.ts", "mock.test.ts")
	if _, all := m.Users([]string{filepath.Join(dir, "tsconfig.json")}); !all {
		t.Error("nobody knows who uses tsconfig.json")
	}

	// own.ts is not named, so it is not read again.
	put("src/own.ts", `export const own = "not seen";`)
	put("src/a.md", `select 2`)
	m.Changed([]string{filepath.Join(dir, "src/a.md")})
	build("select 2")
	m.Changed([]string{filepath.Join(dir, "test/mock.test.ts")})
	b, err := m.Build()
	if err != nil || strings.Contains(b.Source, "not seen") || !strings.Contains(b.Source, "package one") {
		t.Errorf("a file that was not named was built again: %v", err)
	}
	m.Changed([]string{filepath.Join(dir, "src/own.ts")})
	b, err = m.Build()
	if err != nil || strings.Contains(b.Source, "package one") {
		t.Errorf("the package that nobody imports any more is in the script: %v", err)
	}
	// Without a word everything is built.
	put("src/own.ts", `export const own = "seen";`)
	build(`"seen"`)
	// A file that is gone: nothing is kept.
	put("src/own.ts", `export const own = "twice";`)
	if err := os.Remove(filepath.Join(dir, "src/a.md")); err != nil {
		t.Fatal(err)
	}
	m.Changed([]string{filepath.Join(dir, "src/a.md")})
	build(`"twice"`)
}
