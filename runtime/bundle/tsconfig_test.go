package bundle

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestTSConfigs: what a tsconfig.json maps, alone and by those that it extends, and what cannot be told.
func TestTSConfigs(t *testing.T) {
	dir := project(t, map[string]string{
		"tsconfig.json": `{"extends": ["./b/one", "pkg"], "compilerOptions": {"baseUrl": "src"}}`,
		"b/one.json": `{"extends": "./loop.json", ` +
			`"compilerOptions": {"paths": {"#a": ["./a"], "@x/*.js": ["x/*"]}}}`,
		"b/loop.json":     `{"extends": "./one.json"}`,
		"lost.json":       `{"extends": "./nothing"}`,
		"broken.json":     `{"extends": `,
		"named.json":      `{"extends": "named"}`,
		"number.json":     `{"extends": 1}`,
		"package.json":    `{}`,
		"main/.gitignore": "",

		"node_modules/pkg/tsconfig.json":   `{"compilerOptions": {"paths": {"*": ["any/*"]}}}`,
		"node_modules/named/package.json":  `{"tsconfig": "other.json"}`,
		"node_modules/named/tsconfig.json": `{}`,
	})
	configs := newTSConfigs()
	configs.read(filepath.Join(dir, "tsconfig.json"))
	if !configs.complete {
		t.Error("not all was understood")
	}
	for specifier, path := range map[string]string{
		"#a": "b/a", "@x/y/z.js": "b/x/y/z", "plain": "src/plain", "other": "node_modules/pkg/any/other",
	} {
		if got := configs.mapped(specifier); !slices.Contains(got, filepath.Join(dir, filepath.FromSlash(path))) {
			t.Errorf("%s is %v, not %s", specifier, got, path)
		}
	}
	for _, name := range []string{"lost.json", "broken.json", "named.json", "number.json"} {
		configs := newTSConfigs()
		if configs.read(filepath.Join(dir, name)); configs.complete {
			t.Errorf("%s was understood", name)
		}
	}
	if configs := newTSConfigs(); !configs.complete {
		t.Error("none is too much")
	}
}
