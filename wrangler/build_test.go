package wrangler

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestModuleRules: own rules come first, and one without fallthrough ends the list for its type.
func TestModuleRules(t *testing.T) {
	tests := []struct{ name, rules, want string }{
		{"defaults", `[]`, "Text **/*.txt,**/*.html,**/*.sql; Data **/*.bin; CompiledWasm **/*.wasm,**/*.wasm?module"},
		{"another type", `[{ "type": "ESModule", "globs": ["**/*.mjs"] }]`,
			"ESModule **/*.mjs; Text **/*.txt,**/*.html,**/*.sql; Data **/*.bin; CompiledWasm " +
				"**/*.wasm,**/*.wasm?module"},
		{"own type ends the defaults of that type", `[{ "type": "Text", "globs": ["**/*.md"] }]`,
			"Text **/*.md; Data **/*.bin; CompiledWasm **/*.wasm,**/*.wasm?module"},
		{"fallthrough goes on", `[{ "type": "Text", "globs": ["**/*.md"], "fallthrough": true }]`,
			"Text **/*.md; Text **/*.txt,**/*.html,**/*.sql; Data **/*.bin; CompiledWasm **/*.wasm,**/*.wasm?module"},
		{"fallthrough up to the first that ends", `[{ "type": "Data", "globs": ["a"], "fallthrough": true }, ` +
			`{ "type": "Data", "globs": ["b"], "fallthrough": false }, { "type": "Data", "globs": ["c"] }]`,
			"Data a; Data b; Text **/*.txt,**/*.html,**/*.sql; CompiledWasm **/*.wasm,**/*.wasm?module"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := mustLoad(t, writeConfig(t, `{ "name": "w", "rules": `+test.rules+` }`), Options{})
			var got []string
			for _, rule := range cfg.Build.Rules {
				got = append(got, string(rule.Type)+" "+strings.Join(rule.Globs, ","))
			}
			if diff := cmp.Diff(test.want, strings.Join(got, "; ")); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBuildOptions(t *testing.T) {
	cfg := mustLoad(t, writeConfig(t, `{
			"name": "w", "no_bundle": true, "find_additional_modules": true, "base_dir": "lib", "tsconfig": "ts.json",
			"keep_names": false,
		"jsx_factory": "h", "jsx_fragment": "F", "preserve_file_names": true,
			"build": { "command": "make", "cwd": "tools", "watch_dir": "in" } }`), Options{})
	abs := func(name string) string { return filepath.Join(cfg.Dir, name) }
	want := BuildOptions{
		Rules: DefaultRules(), NoBundle: true, FindAdditionalModules: true, BaseDir: abs("lib"),
		TSConfig:   abs("ts.json"),
		JSXFactory: "h", JSXFragment: "F", PreserveFileNames: true, Command: "make", Cwd: abs("tools"),
		WatchDirs: []string{abs("in")}}
	if diff := cmp.Diff(want, cfg.Build, ignorePlaces); diff != "" {
		t.Errorf("build (-want +got):\n%s", diff)
	}
}

// TestNoBundleFindsModules: no_bundle searches modules unless find_additional_modules says otherwise.
func TestNoBundleFindsModules(t *testing.T) {
	for config, want := range map[string]bool{
		`{ "name": "w" }`:                    false,
		`{ "name": "w", "no_bundle": true }`: true,
		`{ "name": "w", "no_bundle": true, "find_additional_modules": false }`:       false,
		`{ "name": "w", "no_bundle": false, "find_additional_modules": true }`:       true,
		`{ "name": "w", "no_bundle": true, "find_additional_modules": true }`:        true,
		`{ "name": "w", "env": { "e": { "no_bundle": true } }, "no_bundle": false }`: false,
	} {
		if got := mustLoad(t, writeConfig(t, config), Options{}).Build.FindAdditionalModules; got != want {
			t.Errorf("%s: %v", config, got)
		}
	}
}

func TestCommandLineOverrides(t *testing.T) {
	path := writeConfig(
		t, `{ "name": "w", "main": "a.ts", "compatibility_date": "2024-01-01", "compatibility_flags": ["a"] }`)
	cfg := mustLoad(
		t, path, Options{
			Name: "other", Main: filepath.Join(t.TempDir(), "b.ts"), CompatibilityDate: "2025-01-01",
			CompatibilityFlags: []string{"b"}})
	if cfg.Name != "other" || filepath.Base(cfg.Main) != "b.ts" || cfg.CompatibilityDate != "2025-01-01" ||
		cfg.HasFlag("a") || !cfg.HasFlag("b") {
		t.Errorf("config: %+v", cfg)
	}
}

// TestMissingDateIsToday (RT17).
func TestMissingDateIsToday(t *testing.T) {
	cfg := mustLoad(t, writeConfig(t, `{ "name": "w" }`), Options{})
	if cfg.CompatibilityDate != "2026-08-01" {
		t.Errorf("date %s", cfg.CompatibilityDate)
	}
}

func TestNotUTF8(t *testing.T) {
	path := writeConfig(t, "{ \"name\": \"\xe9\" }")
	_, found := Load(path, Options{Now: today})
	if len(found) != 1 || found[0].Severity != Error || found[0].Fix != "save the file as UTF-8" {
		t.Errorf("diagnostics: %v", found)
	}
}
