package durableobject

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the results into testdata")

// TestMigrations runs testdata/migrations/*.txt: what migrations do to the data on disk (CL9 and production's side of
// it). A file is a story of one state directory. Lines beginning with "> " are commands, what follows is what they
// give:
//
//	> disk KEY N                  the namespace's folder has N objects
//	> start WORKER [TAG=TEXT]...  a session with that configuration; its lineages are on the lines that begin with ">
//	+",
//	> + ORIGIN: W/C W/C [flags]   which come before
func TestMigrations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "migrations", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal("no stories", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := story(t, string(b))
			if got == string(b) {
				return
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("the story goes:\n%s", got)
		})
	}
}

func story(t *testing.T, text string) string {
	l := &Ledger{}
	disk := map[string]int{}
	var lineages []Lineage
	var out strings.Builder
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "> ")
		if strings.HasPrefix(line, "#") || line == "\n" {
			out.WriteString(line)
		}
		if !ok {
			continue
		}
		out.WriteString(line)
		words := strings.Fields(command)
		switch words[0] {
		case "disk":
			n := 0
			if _, err := fmt.Sscan(words[2], &n); err != nil {
				t.Fatal(err)
			}
			disk[words[1]] = n
		case "+":
			lineages = append(lineages, lineage(words[1:]))
		case "start":
			m := Migrations{Worker: words[1], Lineages: lineages}
			lineages = nil
			for _, w := range words[2:] {
				tag, said, _ := strings.Cut(w, "=")
				m.Tags = append(m.Tags, MigrationTag{tag, said})
			}
			tell(&out, l, m, disk)
		default:
			t.Fatalf("no command %q", words[0])
		}
	}
	return out.String()
}

func lineage(words []string) Lineage {
	x := Lineage{Origin: strings.TrimSuffix(words[0], ":")}
	for _, w := range words[1:] {
		worker, class, isName := strings.Cut(w, "/")
		switch {
		case isName:
			x.Names = append(x.Names, ClassName{worker, class})
		case w == "sqlite":
			x.SQLite = true
		case w == "listed":
			x.Listed = true
		case w == "deleted":
			x.Deleted = true
		}
	}
	return x
}

func tell(out *strings.Builder, l *Ledger, m Migrations, disk map[string]int) {
	p := l.Plan(m, func(key string) int { return disk[key] })
	for _, f := range p.Refusals {
		fmt.Fprintf(out, "refused: %s\n", f.Text)
	}
	for _, f := range p.Warnings {
		fmt.Fprintf(out, "warning: %s\n", f.Text)
	}
	for _, n := range p.Notes {
		fmt.Fprintf(out, "note: %s\n", n)
	}
	if len(p.Refusals) > 0 {
		return
	}
	for _, d := range p.Discard {
		fmt.Fprintf(out, "discard: %s of %s, %d\n", d.Key, d.Class, d.Objects)
		delete(disk, d.Key)
	}
	for _, class := range slices.Sorted(maps.Keys(p.Keys)) {
		kind := "kv"
		if p.SQLite[class] {
			kind = "sqlite"
		}
		fmt.Fprintf(out, "%s has %s, %s\n", class, p.Keys[class], kind)
	}
	if !l.Apply(p) {
		fmt.Fprintln(out, "nothing new")
	}
}
