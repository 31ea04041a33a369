package clock

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type ranked struct {
	Slot
	rank int
}

func (r *ranked) Before(other *ranked) bool { return r.rank < other.rank }

// Whatever is put, moved, taken out or changed, the first is always the least, and everything knows whether it is in.
func TestOrdered(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var o Ordered[*ranked]
	all, in := make([]*ranked, 40), map[*ranked]bool{}
	for i := range all {
		all[i] = &ranked{rank: i}
	}
	for range 5000 {
		x := all[r.IntN(len(all))]
		switch r.IntN(8) {
		case 0:
			if o.Remove(x) != in[x] {
				t.Fatalf("%d was in: %v", x.rank, in[x])
			}
			delete(in, x)
		case 1:
			shift := r.IntN(1000)
			o.Change(func(x *ranked) { x.rank = (x.rank*7 + shift) % 100_000 })
		default:
			x.rank = r.IntN(100_000)
			o.Put(x)
			in[x] = true
		}
		first, ok := o.First()
		if ok != (len(in) > 0) || o.Len() != len(in) || x.Placed() != in[x] {
			t.Fatalf("%d are in, want %d", o.Len(), len(in))
		}
		for x := range in {
			if x.rank < first.rank {
				t.Fatalf("the first is %d, %d is in", first.rank, x.rank)
			}
		}
	}
	var ranks []int
	for o.Len() > 0 {
		x, _ := o.First()
		ranks = append(ranks, x.rank)
		o.Remove(x)
	}
	if len(ranks) != len(in) || !slices.IsSorted(ranks) {
		t.Errorf("they came out as %v", ranks)
	}
}
