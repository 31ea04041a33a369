package replay

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var chaosRuns = flag.Int("replay.runs", 4, "how many schedules correct consumers must pass")

// Each bug of the six is found, with three steps or fewer; each corrected consumer passes.
func TestChaos(t *testing.T) { checkConsumers(t, "chaos.txtar") }

// Consumers of lanes meet what a lane may do, and nothing else: one that needs the order is correct (DQ-5, DQ-10,
// DQ-17, DQ-20).
func TestChaosOfLanes(t *testing.T) { checkConsumers(t, "chaoslanes.txtar") }

// A consumer that goes on when a call of a binding has failed is found.
func TestChaosOfBindings(t *testing.T) { checkConsumers(t, "chaosbindings.txtar") }

// checkConsumers checks the consumers of an archive: a bug must be found, and what is fixed must pass.
func checkConsumers(t *testing.T, archive string) {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", archive))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range a.Files {
		files[f.Name] = f.Data
	}
	for name, code := range files {
		if !strings.HasSuffix(name, ".js") {
			continue
		}
		t.Run(strings.TrimSuffix(name, ".js"), func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string][]byte{"index.js": code, "wrangler.jsonc": files["wrangler.jsonc"]} {
				if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			list, damaged, err := Read("events", strings.NewReader(string(files["events.replay.jsonl"])))
			if err != nil || len(damaged) > 0 {
				t.Fatal(damaged, err)
			}
			plan, err := Choose(list, Choice{})
			if err != nil {
				t.Fatal(err)
			}
			bug := strings.HasSuffix(name, "/bug.js")
			o := ChaosOptions{Options: Options{Project: Project{Dir: dir}, Seed: 1}, Runs: *chaosRuns, Findings: 1}
			if bug {
				o.Runs = 40
			}
			found, err := Check(context.Background(), o, list, plan)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			Show{}.Chaos(&b, found)
			t.Logf("%d runs\n%s", found.Runs, b.String())
			switch {
			case bug && len(found.Findings) == 0:
				t.Error("nothing was found")
			case !bug && len(found.Findings) > 0:
				t.Error("it is correct")
			}
			if lines := strings.Count(b.String(), "index.js:"); bug && lines == 0 &&
				!strings.Contains(name, "ack before") &&
				!strings.Contains(name, "lost error") {
				t.Error("no line is named")
			}
			most := 3
			if strings.HasPrefix(name, "dead letter") {
				most++ // that of the message
			}
			for _, f := range found.Findings {
				if len(f.Steps) > most {
					t.Errorf("%d steps", len(f.Steps))
				}
			}
		})
	}
}
