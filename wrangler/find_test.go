package wrangler

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		cwd   string
		want  Location // relative to the root of the test
		err   string
	}{
		{name: "in the directory itself", files: map[string]string{"wrangler.toml": ""},
			want: Location{Path: "wrangler.toml", UserPath: "wrangler.toml"}},
		{name: "in a directory above", files: map[string]string{"wrangler.jsonc": "{}", "a/b/x": ""}, cwd: "a/b",
			want: Location{Path: "wrangler.jsonc", UserPath: "wrangler.jsonc"}},
		{name: "json before jsonc before toml",
			files: map[string]string{"wrangler.jsonc": "{}", "wrangler.json": "{}", "wrangler.toml": ""},
			want:  Location{Path: "wrangler.json", UserPath: "wrangler.json"}},
		{name: "jsonc before toml", files: map[string]string{"wrangler.jsonc": "{}", "wrangler.toml": ""},
			want: Location{Path: "wrangler.jsonc", UserPath: "wrangler.jsonc"}},
		{name: "the name counts before the distance",
			files: map[string]string{"wrangler.json": "{}", "a/wrangler.toml": ""}, cwd: "a",
			want: Location{Path: "wrangler.json", UserPath: "wrangler.json"}},
		{name: "a directory of that name is none", files: map[string]string{"wrangler.json/x": "", "wrangler.toml": ""},
			want: Location{Path: "wrangler.toml", UserPath: "wrangler.toml"}},
		{name: "redirect",
			files: map[string]string{
				"wrangler.jsonc": "{}", ".wrangler/deploy/config.json": `{ "configPath": "../../dist/wrangler.json" }`,
				"dist/wrangler.json": "{}"},
			want: Location{Path: "dist/wrangler.json", UserPath: "wrangler.jsonc",
				Deploy: ".wrangler/deploy/config.json"}},
		{name: "redirect from below",
			files: map[string]string{
				"wrangler.jsonc": "{}", ".wrangler/deploy/config.json": `{ "configPath": "../../d.json" }`,
				"d.json": "{}", "src/x": ""}, cwd: "src",
			want: Location{Path: "d.json", UserPath: "wrangler.jsonc", Deploy: ".wrangler/deploy/config.json"}},
		{name: "redirect without an own file",
			files: map[string]string{
				".wrangler/deploy/config.json": `{ "configPath": "../../d.json" }`, "d.json": "{}"},
			want: Location{Path: "d.json", Deploy: ".wrangler/deploy/config.json"}},
		{name: "redirect to nowhere",
			files: map[string]string{
				"wrangler.jsonc": "{}", ".wrangler/deploy/config.json": `{ "configPath": "gone.json" }`},
			err: "does not exist"},
		{name: "redirect without a path",
			files: map[string]string{"wrangler.jsonc": "{}", ".wrangler/deploy/config.json": `{}`},
			err:   `the required "configPath" property was not found`},
		{name: "redirect that is no JSON",
			files: map[string]string{"wrangler.jsonc": "{}", ".wrangler/deploy/config.json": `{`}, err: "Invalid JSON"},
		{name: "redirect beside another directory's file",
			files: map[string]string{
				"a/wrangler.jsonc": "{}", ".wrangler/deploy/config.json": `{ "configPath": "../../d.json" }`,
				"d.json": "{}"}, cwd: "a",
			err: "do not share the same base path"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range test.files {
				writeFile(t, filepath.Join(root, name), text)
			}
			got, err := Find(filepath.Join(root, test.cwd))
			if test.err != "" {
				var d Diagnostic
				if err == nil ||
					!strings.Contains(err.Error()+strings.Join(asDiagnostic(err, &d).Notes, " "), test.err) {
					t.Fatalf("error %v, want one with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range []*string{&got.Path, &got.UserPath, &got.Deploy} {
				if *path != "" {
					rel, err := filepath.Rel(root, *path)
					if err != nil {
						t.Fatal(err)
					}
					*path = filepath.ToSlash(rel)
				}
			}
			if got != test.want {
				t.Errorf("found %+v, want %+v", got, test.want)
			}
		})
	}
}

func asDiagnostic(err error, d *Diagnostic) *Diagnostic {
	errors.As(err, d)
	return d
}

func TestFindNothing(t *testing.T) {
	if loc, err := Find(t.TempDir()); !errors.Is(err, ErrNotFound) {
		t.Errorf("found %+v, %v", loc, err)
	}
}

// TestRedirectedFile: paths start at the generated file, dotenv files lie beside the user's own.
func TestRedirectedFile(t *testing.T) {
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "wrangler.jsonc"), "{}")
	writeFile(t, filepath.Join(root, ".dev.vars"), "S=1\n")
	writeFile(t, filepath.Join(root, "dist/wrangler.json"), `{
			"name": "w-staging", "topLevelName": "w", "main": "index.js", "legacy_env": true,
		"targetEnvironment": "staging", "compatibility_date": "2026-04-01", "definedEnvironments": ["staging"],
			"no_bundle": true }`)
	cfg, found := Load(
		filepath.Join(root, "dist/wrangler.json"),
		Options{Env: "staging", UserPath: filepath.Join(root, "wrangler.jsonc"), Now: today})
	if len(found) != 0 {
		t.Fatalf("diagnostics: %v", found)
	}
	if cfg.Name != "w-staging" || cfg.TopLevelName != "w" || cfg.Main != filepath.Join(root, "dist", "index.js") ||
		cfg.ProjectDir != root || !cfg.hasVar("S") {
		t.Errorf("config: %+v", cfg)
	}
}
