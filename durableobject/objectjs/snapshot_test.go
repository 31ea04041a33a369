package objectjs

import (
	"strings"
	"testing"
)

// A snapshot is what an object held at a bookmark. It crosses RPC; the next session of the same object or of another
// one begins with it, without its alarm and with what kvData adds, and a bookmark undoes that. The order outlives the
// process. The texts are workerd's, whose own back-end has no snapshots (BIND-171).
func TestSnapshots(t *testing.T) {
	b := newBench(t)
	c := config{classes: []string{"A"}, kv: []string{"K"}, flags: []string{"durable_object_snapshots"}}
	b.play("snapshot", c)
	b.close()
	newBenchAt(t, b.root, Options{}).play("snapshot", c, "again")
}

// Without the flag there are none.
func TestSnapshotsNeedFlag(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"A"}}, prelude+`
		export class A extends DurableObject { has() { return typeof this.ctx.storage.snapshot } }
		const tests = { has: (env) => env.A.getByName("a").has() };`)
	if got := b.get(w, "/has"); !strings.Contains(got, "undefined") {
		t.Error(got)
	}
}
