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
}

// Without the fence, without the lease at the gate, and with unknown outcomes settled by a look, what TestNemesis
// does finds something wrong. Checks that cannot fail say nothing.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			file := filepath.Join(root, filepath.FromSlash(m.file))
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(text), m.old) != 1 {
				t.Fatalf("%s has not once what is to be taken out: %s", m.file, m.old)
			}
			if *mutantsRounds == 0 {
				return
			}
			dir := t.TempDir()
			changed, program := filepath.Join(dir, filepath.Base(file)), filepath.Join(dir, "eddy")
			overlay, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
			if err != nil {
				t.Fatal(err)
			}
			for name, b := range map[string]string{changed: strings.Replace(string(text), m.old, m.new, 1),
				filepath.Join(dir, "overlay"): string(overlay)} {
				if err := os.WriteFile(name, []byte(b), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay"), "-o", program, ".")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
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
				wrong := c.hist.wrong()
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
