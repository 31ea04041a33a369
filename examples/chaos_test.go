package examples

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"eddy/runtime/replay"
)

var (
	chaosRuns = flag.Int("chaos.runs", 3, "how many schedules the examples' consumers must pass")
	chaosBugs = flag.Int("chaos.bugs", 200, "after how many schedules a planted bug must be found")
)

// chaosCase is a consumer of the examples, with a bug or without.
type chaosCase struct {
	workers []string
	events  string
	edits   [][3]string // file, what stands there, what takes its place
}

func parseChaosCase(t *testing.T, text string) (c chaosCase) {
	t.Helper()
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "workers":
			c.workers = strings.Fields(rest)
		case "events":
			c.events = rest
		case "edit":
			body, after, ok := strings.Cut(strings.TrimPrefix(text, "<<<<\n"), "\n>>>>\n")
			old, new, too := strings.Cut(body, "\n====\n")
			if !ok || !too {
				t.Fatalf("an edit of %s without an end", rest)
			}
			c.edits, text = append(c.edits, [3]string{rest, old, new}), after
		default:
			t.Fatalf("a line %q", line)
		}
	}
	return c
}

// The consumers of the examples may get their messages in all ways in which a queue delivers them. Each planted bug is
// found, with three steps or fewer. The note's figures are those of -chaos.runs 1000.
func TestChaos(t *testing.T) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "chaos.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range a.Files {
		files[f.Name] = string(f.Data)
	}
	for name, text := range files {
		if strings.HasSuffix(name, ".jsonl") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			c := parseChaosCase(t, text)
			dir := t.TempDir()
			top, _, _ := strings.Cut(c.workers[0], "/")
			if err := os.CopyFS(filepath.Join(dir, top), os.DirFS(top)); err != nil {
				t.Fatal(err)
			}
			for _, e := range c.edits {
				path := filepath.Join(dir, filepath.FromSlash(e[0]))
				code, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Count(string(code), e[1]) != 1 {
					t.Fatalf("%s has %d times %q", e[0], strings.Count(string(code), e[1]), e[1])
				}
				if err := os.WriteFile(path, []byte(strings.Replace(string(code), e[1], e[2], 1)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			events, known := files[c.events]
			if !known {
				data, err := os.ReadFile(filepath.FromSlash(c.events))
				if err != nil {
					t.Fatal(err)
				}
				events = string(data)
			}
			list, damaged, err := replay.Read(c.events, strings.NewReader(events))
			if err != nil || len(damaged) > 0 {
				t.Fatal(damaged, err)
			}
			plan, err := replay.Choose(list, replay.Choice{})
			if err != nil {
				t.Fatal(err)
			}
			o := replay.ChaosOptions{Options: replay.Options{Project: replay.Project{Dir: dir}, Seed: 1},
				Runs: *chaosRuns, Findings: 1}
			for _, w := range c.workers {
				o.Configs = append(o.Configs, filepath.Join(dir, filepath.FromSlash(w)))
			}
			if len(c.edits) > 0 {
				o.Runs = *chaosBugs
			}
			found, err := replay.Check(t.Context(), o, list, plan)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			replay.Show{}.Chaos(&b, found)
			switch {
			case len(c.edits) > 0 && len(found.Findings) == 0:
				t.Errorf("nothing was found in %d runs", found.Runs)
			case len(c.edits) == 0 && len(found.Findings) > 0:
				t.Errorf("it is correct, but seed 1 gives in run %d\n%s", found.Runs, b.String())
			case len(found.Findings) > 0 && len(found.Findings[0].Steps) > 3:
				t.Errorf("%d steps:\n%s", len(found.Findings[0].Steps), b.String())
			default:
				t.Logf("%d runs\n%s", found.Runs, b.String())
			}
		})
	}
}
