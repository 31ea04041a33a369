package queue_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A program that was written against the page compiles and runs against this package when its imports are changed.
func TestApplication(t *testing.T) {
	text, err := os.ReadFile("testdata/application/main.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, overlay := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
	changed := strings.ReplaceAll(string(text), `"page/queue"`, `queue "eddy/queues/workqueue"`)
	changed = strings.ReplaceAll(changed, `"page/queue/`, `"eddy/queues/workqueue/`)
	// The program is compiled as if it stood here, so that the imports mean this tree.
	there, err := filepath.Abs("application/main.go")
	if err != nil {
		t.Fatal(err)
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {there: source}})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{source: changed, overlay: string(replace)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log strings.Builder
	cmd := exec.Command("go", "run", "-overlay", overlay, "./application")
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v:\n%s", err, log.String())
	}
	// Two workers and retries: the order of the jobs is not decided.
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	want := []string{
		"app default 3 1s 30s 30s -1 0 1",
		"app.default.orders app.default.orders.dead",
		"shop.eu.graves never, attempt 1",
		"shop.eu.orders by a function, attempt 1",
		"shop.eu.orders fails twice, attempt 3",
		"shop.eu.orders later, attempt 1",
		"shop.eu.orders named, attempt 1",
		"shop.eu.orders not in an hour, attempt 1",
		"shop.eu.orders overdue, attempt 1",
		"1 3 1s 30s 30s app.default.orders.dead true",
		"true false false",
	}
	if len(got) == len(want) {
		slices.Sort(got[2:9])
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
