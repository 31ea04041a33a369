package wrangler

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzLoad feeds arbitrary bytes to Load as each format. It must neither panic nor hang, every diagnostic must
// point into the file and render, and what loads without an error must list its bindings and load the same again.
func FuzzLoad(f *testing.F) {
	f.Add("jsonc", []byte(fullJSONC), "")
	f.Add("toml", []byte(fullTOML), "staging")
	f.Add("jsonc", []byte(strings.Repeat("[", 100_000)), "")
	f.Add("toml", []byte("a = "+strings.Repeat("[", 100_000)), "")
	f.Add("toml", []byte(strings.Repeat("a.", 1000)+"a = 1"), "")
	f.Add("toml", []byte("[[a.b]]\n[a.b.c]\nd = {e.f = [[1], [{}]]}\n"), "a")
	files, err := filepath.Glob("testdata/messages/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, entry := range archive.Files {
			if ext := filepath.Ext(entry.Name); ext != "" && strings.HasPrefix(filepath.Base(entry.Name), "wrangler.") {
				f.Add(ext[1:], entry.Data, "staging")
			}
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, format string, data []byte, env string) {
		if format != "toml" && format != "json" {
			format = "jsonc"
		}
		path := filepath.Join(dir, "wrangler."+format)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		opts := Options{Env: env, Now: today}
		if strings.ContainsAny(env, "/\\\x00") {
			opts.Env = ""
		}
		cfg, found := Load(path, opts)
		if cfg == nil {
			t.Fatal("no config")
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, d := range found {
			if d.Line < 0 || d.Line > lines || d.Text == "" || d.Line > 0 && (d.Column < 1 || d.Width < 1) {
				t.Errorf("bad diagnostic %+v", d)
			}
		}
		if err := found.Render(io.Discard, RenderOptions{Color: true, Base: dir}); err != nil {
			t.Error(err)
		}
		first := len(cfg.Bindings())
		again, found2 := Load(path, opts)
		if len(found2) != len(found) || len(again.Bindings()) != first {
			t.Errorf("a second Load differs: %d and %d findings, %d and %d bindings", len(found), len(found2), first,
				len(again.Bindings()))
		}
	})
}

// FuzzDotenv: the dotenv parser ends on any text, and expansion of what it read ends too.
func FuzzDotenv(f *testing.F) {
	for _, seed := range []string{
		"A=1\nB=\"x\ny\" # c\n", "export A: 'b", "A=${B:-${C:+$D}}", "\\$A=$", "=", "A=${{{{", "A=\"\\\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var rep report
		vars := parseDotenv(newSource("f", text, ""), &rep)
		seen := make(map[string]bool)
		for _, v := range vars {
			if v.Name == "" || seen[v.Name] || !v.Pos.IsValid() {
				t.Errorf("bad variable %+v", v)
			}
			seen[v.Name] = true
		}
		expandVars(vars, func(string) string { return "" })
	})
}

func BenchmarkLoad(b *testing.B) {
	for name, text := range map[string]string{"wrangler.jsonc": fullJSONC, "wrangler.toml": fullTOML} {
		b.Run(filepath.Ext(name)[1:], func(b *testing.B) {
			path := filepath.Join(b.TempDir(), name)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, found := Load(path, Options{Now: today}); found.HasErrors() {
					b.Fatal(found.Err())
				}
			}
		})
	}
}
