package wrangler

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// eddy's own file says who answers for a binding. Mistakes in it have their place in it.
func TestStandIns(t *testing.T) {
	path := writeConfig(t, `{"compatibility_date": "2026-04-01", "ai": {"binding": "AI"}}`)
	file := filepath.Join(filepath.Dir(path), "eddy.jsonc")
	write := func(text string) (*Config, Diagnostics) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Load(path, Options{Now: today})
	}
	cfg, found := write(`{ "bindings": { // who answers
		"AI": { "worker": "model#Search" }, "V": { "dimensions": 3, "metric": "euclidean" },
		"M": { "replay": "m.jsonl" } } }`)
	if found.HasErrors() || cfg.SettingsFile != file {
		t.Fatal(found, cfg.SettingsFile)
	}
	for name, s := range cfg.StandIns {
		s.Pos = Pos{}
		cfg.StandIns[name] = s
	}
	want := map[string]StandIn{"AI": {Worker: "model", Entrypoint: "Search"},
		"V": {Dimensions: 3, Metric: "euclidean"}, "M": {Replay: filepath.Join(filepath.Dir(path), "m.jsonl")}}
	if diff := cmp.Diff(want, cfg.StandIns); diff != "" {
		t.Error(diff)
	}
	_, found = write(`{
		"bindings": { "AI": { "worker": "model", "url": "ftp://x" } } }`)
	if len(found) != 2 || found[0].File != file || found[0].Line != 2 ||
		!strings.Contains(found[0].Text+found[1].Text, "worker and url") {
		t.Errorf("mistakes: %v", found)
	}
}
