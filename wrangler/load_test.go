package wrangler

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected diagnostics in testdata")

// today is the date of all golden tests.
var today = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

// TestMessages runs every testdata/messages/*.txtar. The comment of an archive says what it shows and holds options,
// one per line: "env NAME", "var K:V", "env-file F", "load F" (default: the first configuration), "together F",
// "environ K=V", "require-main", "user-path F". Its files are written to a directory; "diagnostics" is what Load
// must report.
func TestMessages(t *testing.T) {
	files, err := filepath.Glob("testdata/messages/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			want, got := -1, ""
			for i, f := range archive.Files {
				if f.Name == "diagnostics" {
					want = i
					continue
				}
				writeFile(t, filepath.Join(dir, f.Name), string(f.Data))
			}
			got = runMessages(t, dir, archive)
			if *update {
				if want < 0 {
					archive.Files = append(archive.Files, txtar.File{Name: "diagnostics"})
					want = len(archive.Files) - 1
				}
				archive.Files[want].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want < 0 {
				t.Fatal("no diagnostics in the archive; run with -update")
			}
			if diff := diffText(string(archive.Files[want].Data), got); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

func runMessages(t *testing.T, dir string, archive *txtar.Archive) string {
	t.Helper()
	load, opts := archive.Files[0].Name, Options{Now: today}
	var others []string
	for _, line := range strings.Split(string(archive.Comment), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "env":
			opts.Env = rest
		case "var":
			opts.Vars = append(opts.Vars, rest)
		case "env-file":
			opts.EnvFiles = append(opts.EnvFiles, rest)
		case "environ":
			opts.Environ = append(opts.Environ, rest)
		case "load":
			load = rest
		case "together":
			others = append(others, rest)
		case "require-main":
			opts.RequireMain = true
		case "user-path":
			opts.UserPath = filepath.Join(dir, rest)
		case "date":
			opts.CompatibilityDate = rest
		}
	}
	cfg, found := Load(filepath.Join(dir, load), opts)
	configs := []*Config{cfg}
	for _, other := range others {
		c, more := Load(filepath.Join(dir, other), opts)
		configs, found = append(configs, c), append(found, more...)
	}
	found = append(found, CheckTogether(configs)...)
	var b strings.Builder
	if err := found.Render(&b, RenderOptions{Base: dir}); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(b.String(), dir, "$DIR")
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// diffText shows the lines that differ, "" if none does.
func diffText(want, got string) string {
	if want == got {
		return ""
	}
	return "-" + strings.ReplaceAll(want, "\n", "\n-") + "\n+" + strings.ReplaceAll(got, "\n", "\n+")
}
