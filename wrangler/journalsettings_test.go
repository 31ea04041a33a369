package wrangler

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// eddy's own file says how much the journal keeps and what it hides. Each mistake has its line.
func TestJournalSettings(t *testing.T) {
	path := writeConfig(t, `{"compatibility_date": "2026-04-01"}`)
	file := filepath.Join(filepath.Dir(path), "eddy.jsonc")
	load := func(text string) (*Config, Diagnostics) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Load(path, Options{Now: today})
	}
	cfg, found := load(`{ "journal": {
		"mode": "full", "size": "8MB", "age": "2d",
		"redact": ["user.password"] } }`)
	want := JournalSettings{Mode: "full", Size: 8_000_000, Age: 48 * time.Hour,
		Redact: []Redaction{{"user.password", Pos{File: file, Line: 3, Column: 14}}}}
	if diff := cmp.Diff(want, cfg.Journal); diff != "" || found.HasErrors() {
		t.Error(diff, found)
	}
	_, found = load(`{ "journal": {
		"mode": "some",
		"size": "8 TB",
		"age": "0s",
		"redact": [1],
		"sise": "1MB" } }`)
	var lines []int
	for _, d := range found {
		if d.File == file {
			lines = append(lines, d.Line)
		}
	}
	if diff := cmp.Diff([]int{2, 3, 4, 5, 6}, lines); diff != "" {
		t.Error(diff, found)
	}
}
