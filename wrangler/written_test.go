package wrangler

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wrangler.jsonc")
	text := `{ "name": "w", "main": null, "vars": { "b": [1, "x"], "10": 1, "a": {}, "9": true, "01": null } }`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w, diags := ReadWritten(path)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	vars := w.Get("vars")
	if keys := vars.Keys(); !slices.Equal(keys, []string{"9", "10", "b", "a", "01"}) {
		t.Errorf("keys: %q", keys)
	}
	var types []string
	for _, key := range vars.Keys() {
		types = append(types, vars.Get(key).Type()+" "+vars.Get(key).JSON())
	}
	if want := []string{"boolean true", "number 1", `object [1,"x"]`, "object {}", "object null"}; !slices.Equal(
		types, want) {
		t.Errorf("values: %q", types)
	}
	if w.Get("main").Exists() || w.Get("none").Exists() || !w.Get("name").Exists() {
		t.Error("what exists is not null")
	}
	if b := vars.Get("b"); !b.IsArray() || len(b.Items()) != 2 || b.Items()[1].Text() != "x" || w.Text() != "" {
		t.Error("items and text")
	}
	absent := Written{}
	if absent.Get("x").Exists() || absent.Keys() != nil || absent.Items() != nil || absent.JSON() != "" ||
		absent.Type() != "undefined" {
		t.Error("what is not there has nothing")
	}
}

func TestDotenvNames(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		".dev.vars": "KEY=1\nBUCKET=2\n", ".dev.vars.staging": "OTHER=1\n", "more.env": "C=1\n",
		"wrangler.jsonc": `{ "r2_buckets": [{ "binding": "BUCKET", "bucket_name": "b" }] }`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, _ := Load(filepath.Join(dir, "wrangler.jsonc"), Options{})
	for _, c := range []struct {
		opts Options
		want []string
	}{
		{Options{}, []string{"KEY", "BUCKET"}},
		{Options{Env: "staging"}, []string{"OTHER"}},
		{Options{EnvFiles: []string{"more.env"}}, []string{"C"}},
	} {
		if got := cfg.DotenvNames(c.opts); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.opts, got, c.want)
		}
	}
}
