package session

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"eddy/runtime/statedir"
)

// Whatever is written, read or emptied in between, Back makes every store what it was at its Keep.
func TestKeepAndBack(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	r := newProject(t, "testdata/isolated.txtar").start(func(o *Options) { o.Ephemeral, o.Relaxed = true, true })
	type moment struct {
		kept  *Kept
		state string
	}
	empty := r.get("/state")
	var kept []moment
	for i := range 120 {
		switch op := rng.IntN(8); {
		case op < 4:
			of := []string{"kv", "r2", "d1", "object", "cache"}[rng.IntN(5)]
			r.expect(fmt.Sprintf("/write?of=%s&n=%d", of, i), "written")
		case op < 6 && len(kept) < 4:
			before := moment{state: r.get("/state")}
			var err error
			if before.kept, err = r.Keep(t.Context()); err != nil {
				t.Fatal(err)
			}
			kept = append(kept, before)
			if rng.IntN(2) == 0 {
				r.expect("/state", before.state)
			}
		case op == 6 && rng.IntN(4) == 0:
			if err := r.empty(t.Context()); err != nil {
				t.Fatal(err)
			}
			r.expect("/state", empty)
		case len(kept) > 0:
			last := kept[len(kept)-1]
			kept = kept[:len(kept)-1]
			if err := r.Back(t.Context(), last.kept); err != nil {
				t.Fatal(err)
			}
			if rng.IntN(2) == 0 {
				r.expect("/state", last.state)
			}
		}
	}
}

// BenchmarkKeep is what it costs a test to keep what is stored and to undo what it has changed, by what is stored
// already: that many rows, keys and objects.
func BenchmarkKeep(b *testing.B) {
	for _, n := range []int{0, 10, 1000} {
		for _, act := range []string{"nothing", "/change"} {
			b.Run(fmt.Sprintf("stored=%d/%s", n, act), func(b *testing.B) {
				r := newProject(b, "testdata/isolated.txtar").start(func(o *Options) {
					o.Ephemeral, o.Relaxed, o.Scratch = true, true, statedir.Memory()
				})
				if n > 0 {
					r.expect(fmt.Sprintf("/fill?n=%d", n), "filled")
				}
				for b.Loop() {
					k, err := r.Keep(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					if act != "nothing" {
						r.get(act)
					}
					if err := r.Back(b.Context(), k); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
