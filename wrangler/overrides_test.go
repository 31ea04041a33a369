package wrangler

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestOverrides: what a flag says stands in the place of what the file says, and is added to maps.
func TestOverrides(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "wrangler.jsonc"), `{
			"name": "w", "main": "index.js", "compatibility_date": "2026-04-01",
		"assets": { "directory": "public", "binding": "ASSETS" }, "define": { "A": "1", "B": "2" },
			"route": "old.example/*", "minify": true }`)
	yes, no := true, false
	cfg, found := Load(
		filepath.Join(dir, "wrangler.jsonc"),
		Options{Now: today, WorkingDir: dir, Main: "src/other.js", Overrides: Overrides{
			Assets: "dist", NoBundle: &yes, Minify: &no, Define: []string{"B:'x:y'", "C:3"},
			Alias:      []string{"a:./b.js"},
			JSXFactory: "h", TSConfig: "t.json",
			Routes: []string{"new.example/*", "two.example/*"}, Host: "up.example", UpstreamProtocol: "https",
			KeepOrigin: true, Site: "www", SiteInclude: []string{"*.html"},
		}})
	if len(found) != 0 {
		t.Fatal(found)
	}
	if cfg.Main != filepath.Join(dir, "src", "other.js") {
		t.Error("main", cfg.Main)
	}
	if a := cfg.Assets; a.Directory != filepath.Join(dir, "dist") || a.Binding != "ASSETS" {
		t.Errorf("assets %+v", a)
	}
	b := cfg.Build
	if !b.NoBundle || !b.FindAdditionalModules || b.Minify || b.JSXFactory != "h" ||
		b.JSXFragment != "React.Fragment" || b.TSConfig != filepath.Join(dir, "t.json") {
		t.Errorf("build %+v", b)
	}
	if want := map[string]string{"A": "1", "B": "'x:y'", "C": "3"}; !reflect.DeepEqual(b.Define, want) {
		t.Errorf("define %v", b.Define)
	}
	if b.Alias["a"] != "./b.js" {
		t.Errorf("alias %v", b.Alias)
	}
	if len(cfg.Routes) != 2 || cfg.Routes[0].Pattern != "new.example/*" {
		t.Errorf("routes %v", cfg.Routes)
	}
	if d := cfg.Dev; d.Host != "up.example" || d.UpstreamProtocol != "https" || !d.KeepOrigin {
		t.Errorf("dev %+v", d)
	}
	if cfg.Site.Bucket != filepath.Join(dir, "www") || cfg.Site.Include[0] != "*.html" {
		t.Errorf("site %+v", cfg.Site)
	}
	_, found = Load(
		filepath.Join(dir, "wrangler.jsonc"), Options{Now: today, Overrides: Overrides{Define: []string{"X"}}})
	if !found.HasErrors() || !strings.Contains(found[0].Text, `--define should be NAME:EXPRESSION but got "X"`) {
		t.Error(found)
	}
}

// TestLoadScript: an entry file alone is a Worker, with today's date; what is wrong is told without a line of a file.
func TestLoadScript(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "src", "index.js"), "")
	cfg, found := LoadScript(dir, Options{Now: today, WorkingDir: dir, Main: "src/index.js", RequireMain: true})
	if found.HasErrors() || cfg.Main != filepath.Join(dir, "src", "index.js") ||
		cfg.CompatibilityDate != "2026-08-01" || cfg.ProjectDir != dir || cfg.Path != "" {
		t.Errorf("%+v %v", cfg, found)
	}
	if text := found[0].Render(RenderOptions{}); strings.Contains(text, "{}") ||
		!strings.Contains(text, "No compatibility_date was specified") {
		t.Error(text)
	}
	for name, o := range map[string]Options{
		`The entry-point file at "nope.js" was not found.`: {Main: "nope.js"},
		`There is no environment "staging": the Worker has no configuration file.`: {
			Main: "src/index.js", Env: "staging"},
	} {
		o.Now, o.WorkingDir, o.RequireMain = today, dir, true
		if _, found := LoadScript(dir, o); !found.HasErrors() || !strings.Contains(found.Errors()[0].Text, name) {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// TestLocate: -c takes a file or a directory, and looks nowhere above it.
func TestLocate(t *testing.T) {
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "wrangler.jsonc"), "{}")
	writeFile(t, filepath.Join(root, "app", "wrangler.toml"), "")
	writeFile(t, filepath.Join(root, "app", "src", "x"), "")
	for path, want := range map[string]string{
		".": "wrangler.jsonc", "app": "app/wrangler.toml", "app/wrangler.toml": "app/wrangler.toml",
		"app/src/missing.toml": "app/src/missing.toml"} {
		loc, err := Locate(filepath.Join(root, path))
		if err != nil || loc.Path != filepath.Join(root, want) {
			t.Errorf("%s: %+v %v", path, loc, err)
		}
	}
	if loc, err := Locate(filepath.Join(root, "app", "src")); err == nil ||
		!strings.Contains(err.Error(), "no wrangler.jsonc, wrangler.json or wrangler.toml in "+root) {
		t.Errorf("%+v %v", loc, err)
	}
}
