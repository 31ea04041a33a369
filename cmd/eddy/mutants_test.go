package main

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var mutantsRounds = flag.Int("nemesis.mutants", 0, "within how many rounds TestMutants must find what was taken out; "+
	"0 builds and runs nothing")

// mutants are programs from which something was taken out that keeps a cluster right.
var mutants = []struct{ name, file, old, new string }{
	{"fence", "runtime/cluster/postgres/commit.go",
		"where id = $1 and epoch = $2 and owner = $3\n\t\t\tand head between $4 - 1 and $4 returning id",
		"where id = $1 and $2::bigint is not null and $3::text is not null returning id"},
	{"lease", "runtime/cluster/objects/objects.go",
		"func (x *Shipped) Valid() bool { return !x.Each() && x.node.Valid() }",
		"func (x *Shipped) Valid() bool { return true }"},
	{"settle by a write", "runtime/cluster/postgres/commit.go",
		"// Commit implements [engine.Engine].\nfunc (e *Engine) Commit(",
		`func (e *Engine) Commit(ctx context.Context, g engine.Grant, n int64, b engine.Batch) error {
	err := e.commit(ctx, g, n, b)
	if err == nil || settled(err) {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	for range 20 {
		var h engine.Holding
		row := e.data.QueryRow(ctx, sqlHolding, g.Shard)
		if row.Scan(&h.Owner, &h.Epoch, &h.Head) == nil && h.Epoch == g.Epoch && h.Owner == g.Owner && h.Head == n {
			return nil
		}
		_, _ = e.data.Exec(ctx, "select pg_sleep(0.05)")
	}
	return err
}

func (e *Engine) commit(`},
	{"kept before it is told", "workflows/workflow.go",
		"t.kept = w.o.Home.Keep(w.store.db)", `kept := w.o.Home.Keep(w.store.db)
		t.kept = func() error { go kept(); return nil }`},
}

// overlay is a file that is another one for a build.
type overlay struct{ dir, list string }

// overlayOf changes texts in a file of the module, each of which is there once: what is to go, and what comes in its
// place.
func overlayOf(t *testing.T, name string, pairs ...string) overlay {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, filepath.FromSlash(name))
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(text, pairs[i]) != 1 {
			t.Fatalf("%s has not once what is to be changed: %s", name, pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	dir := t.TempDir()
	o := overlay{dir, filepath.Join(dir, "overlay")}
	changed := filepath.Join(dir, filepath.Base(file))
	list, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{changed: text, o.list: string(list)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// build makes the program.
func (o overlay) build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(o.dir, "eddy")
	build := exec.Command("go", "build", "-overlay", o.list, "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// Without the fence, without the lease at the gate, with unknown outcomes settled by a look, and with results of
// workflows' steps that are told before they are kept, what TestNemesis does finds something wrong. Checks that cannot
// fail say nothing.
func TestMutants(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			overlay := overlayOf(t, m.file, m.old, m.new) // that the text is still there is seen always
			if *mutantsRounds == 0 {
				return
			}
			program := overlay.build(t)
			c := newCampaign(t, program, *nemesisSeed, *nemesisLease)
			if c == nil {
				return
			}
			stop := c.serve()
			defer stop()
			for round := range *mutantsRounds {
				began := time.Now()
				name := c.harm(round)
				err := c.recover()
				t.Logf("seed %d, round %d: %s, %.1f s", *nemesisSeed, round, name, time.Since(began).Seconds())
				wrong := append(c.hist.wrong(), c.runs.contradictions()...)
				if err != nil {
					wrong = append(wrong, err.Error())
				}
				if len(wrong) > 0 {
					t.Logf("found in round %d: %s", round, strings.Join(wrong, "\n"))
					return
				}
			}
			stop()
			if wrong := c.settle(); len(wrong) > 0 {
				t.Logf("found at the end: %s", strings.Join(wrong, "\n"))
				return
			}
			t.Errorf("nothing was wrong in %d rounds", *mutantsRounds)
		})
	}
}
