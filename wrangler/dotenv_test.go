package wrangler

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseDotenv(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain", "KEY=val", "val"},
		{"blanks around", "  KEY =  a b  ", "a b"},
		{"empty", "KEY=", ""},
		{"export", "export KEY=v", "v"},
		{"colon", "KEY: v", "v"},
		{"comment behind", "KEY=v # c", "v"},
		{"hash without blank", "KEY=a#b", "a"},
		{"comment before", "# c\n\nKEY=v", "v"},
		{"double quotes", `KEY="a # b"`, "a # b"},
		{"double quotes turn \\n into a line end", `KEY="a\nb"`, "a\nb"},
		{"single quotes do not", `KEY='a\nb'`, `a\nb`},
		{"back quotes", "KEY=`a \"b\" 'c'`", `a "b" 'c'`},
		{"several lines", "KEY=\"a\nb\"\n", "a\nb"},
		{"escaped quote stays escaped", `KEY="say \"hi\""`, `say \"hi\"`},
		{"quote that is never closed", `KEY="a`, `"a`},
		{"equals sign in the value", "KEY=a=b", "a=b"},
		{"JSON in single quotes", `KEY='{"a":1}'`, `{"a":1}`},
		{"the last one counts", "KEY=1\nKEY=2", "2"},
		{"dollar is nothing special", "KEY=$HOME", "$HOME"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var rep report
			vars := parseDotenv(newSource("f", test.text, ""), &rep)
			want := []Var{{Name: "KEY", Text: test.want, Secret: true, Source: "f"}}
			place := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Pos" }, cmp.Ignore())
			if diff := cmp.Diff(want, vars, place); diff != "" {
				t.Errorf("vars (-want +got):\n%s", diff)
			}
			if len(rep.found) != 0 {
				t.Errorf("diagnostics: %v", rep.found)
			}
		})
	}
}

// TestDotenvFiles: which files are read, and which value wins (DEV1, DEV2).
func TestDotenvFiles(t *testing.T) {
	const config = `{ "name": "w", "vars": { "A": "config", "B": 5 }, ` +
		`"kv_namespaces": [{ "binding": "KV", "id": "x" }], "env": { "e": { "vars": { "A": "env" } } } }`
	tests := []struct {
		name   string
		config string
		files  map[string]string
		opts   Options
		want   map[string]string // name → text or JSON
	}{
		{name: "config alone", want: map[string]string{"A": "config", "B": "5"}},
		{name: ".dev.vars wins over vars", files: map[string]string{".dev.vars": "A=dev\nS=secret"},
			want: map[string]string{"A": "dev", "B": "5", "S": "secret"}},
		{name: ".dev.vars hides .env", files: map[string]string{".dev.vars": "A=dev", ".env": "A=env\nE=1"},
			want: map[string]string{"A": "dev", "B": "5"}},
		{name: ".env files in order",
			files: map[string]string{
				".env": "A=1\nC=1\nD=1\nF=1", ".env.local": "C=2\nD=2\nF=2", ".env.e": "D=3\nF=3",
				".env.e.local": "F=4"}, opts: Options{Env: "e"},
			want: map[string]string{"A": "1", "C": "2", "D": "3", "F": "4"}},
		{name: "files of other environments are not read", files: map[string]string{".env": "A=1", ".env.other": "A=2"},
			want: map[string]string{"A": "1", "B": "5"}},
		{name: ".dev.vars.e replaces .dev.vars",
			files: map[string]string{".dev.vars": "S=1\nT=1", ".dev.vars.e": "S=2"}, opts: Options{Env: "e"},
			want: map[string]string{"A": "env", "S": "2"}},
		{name: ".dev.vars serves an environment without its own", files: map[string]string{".dev.vars": "S=1"},
			opts: Options{Env: "e"}, want: map[string]string{"A": "env", "S": "1"}},
		{name: "other bindings are not replaced", files: map[string]string{".dev.vars": "KV=dev"},
			want: map[string]string{"A": "config", "B": "5"}},
		{name: "--var wins", files: map[string]string{".dev.vars": "A=dev"},
			opts: Options{Vars: []string{"A:x:y", "NEW:", "A:z:1"}},
			want: map[string]string{"A": "z:1", "B": "5", "NEW": ""}},
		{name: "--env-file replaces the default files",
			files: map[string]string{".dev.vars": "A=dev", ".env": "A=env", "x.env": "A=x\nX=1", "y.env": "X=2"},
			opts:  Options{EnvFiles: []string{"x.env", "y.env"}},
			want:  map[string]string{"A": "x", "B": "5", "X": "2"}},
		{name: ".env can be switched off", files: map[string]string{".env": "A=env"},
			opts: Options{Environ: []string{"CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV=false"}},
			want: map[string]string{"A": "config", "B": "5"}},
		{name: ".env is expanded, .dev.vars is not", files: map[string]string{".env": "X=1\nY=${X}2"},
			want: map[string]string{"A": "config", "B": "5", "X": "1", "Y": "12"}},
		{name: ".dev.vars is not expanded", files: map[string]string{".dev.vars": "X=1\nY=${X}2"},
			want: map[string]string{"A": "config", "B": "5", "X": "1", "Y": "${X}2"}},
		{name: "the process is not looked at", files: map[string]string{".env": "X=$HOME"},
			opts: Options{Environ: []string{"HOME=/root"}}, want: map[string]string{"A": "config", "B": "5", "X": ""}},
		{name: "unless asked for", files: map[string]string{".env": "X=$HOME"},
			opts: Options{Environ: []string{"HOME=/root", "CLOUDFLARE_INCLUDE_PROCESS_ENV=true"}},
			want: map[string]string{
				"A": "config", "B": "5", "X": "/root", "HOME": "/root", "CLOUDFLARE_INCLUDE_PROCESS_ENV": "true"}},
		{name: "declared secrets let nothing else in",
			config: `{ "name": "w", "vars": { "A": "config" }, "secrets": { "required": ["S", "P"] } }`,
			files:  map[string]string{".env": "A=env\nS=1\nOTHER=2"}, opts: Options{Environ: []string{"P=proc", "Q=x"}},
			want: map[string]string{"A": "env", "S": "1", "P": "proc"}},
		{name: "an empty list of secrets lets nothing in", config: `{ "name": "w", "secrets": { "required": [] } }`,
			files: map[string]string{".dev.vars": "S=1"}, want: map[string]string{}},
		{name: "CRLF", files: map[string]string{".dev.vars": "A=1\r\nM=\"x\r\ny\"\r\n"},
			want: map[string]string{"A": "1", "B": "5", "M": "x\ny"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if test.config == "" {
				test.config = config
			}
			writeFile(t, filepath.Join(dir, "wrangler.jsonc"), test.config)
			for name, text := range test.files {
				writeFile(t, filepath.Join(dir, name), text)
			}
			cfg := mustLoad(t, filepath.Join(dir, "wrangler.jsonc"), test.opts)
			got := make(map[string]string)
			for _, v := range cfg.Vars {
				got[v.Name] = v.Text + v.JSON
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("vars (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSecretsAreMarked(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "wrangler.toml"), "name = \"w\"\n[vars]\nA = \"1\"\nB = \"2\"\n")
	writeFile(t, filepath.Join(dir, ".dev.vars"), "\nB=x\n")
	cfg := mustLoad(t, filepath.Join(dir, "wrangler.toml"), Options{Vars: []string{"C:y"}})
	want := []Var{
		{Name: "A", Text: "1", Source: cfg.Path, Pos: Pos{File: cfg.Path, Line: 3, Column: 1}},
		{Name: "B", Text: "x", Secret: true, Source: filepath.Join(dir, ".dev.vars"),
			Pos: Pos{File: filepath.Join(dir, ".dev.vars"), Line: 2, Column: 1}},
		{Name: "C", Text: "y", Secret: true, Source: "--var"},
	}
	if diff := cmp.Diff(want, cfg.Vars); diff != "" {
		t.Errorf("vars (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, ".dev.vars")}, cfg.SecretFiles); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
