package member

import (
	"fmt"
	"testing"
	"time"

	"eddy/runtime/cluster/engine"
)

// No node has two shards more than another one, a node that goes moves few shards beside its own, and the queues only
// if it had them.
func TestPlaces(t *testing.T) {
	const shards = 129
	for n := 1; n <= 8; n++ {
		for try := range 10 {
			var nodes []engine.NodeID
			for i := range n {
				nodes = append(nodes, engine.NodeID(fmt.Sprintf("node%d-%d/1", try, i)))
			}
			at := Places(nodes, shards)
			count := map[engine.NodeID]int{}
			for _, id := range at {
				count[id]++
			}
			for _, id := range nodes {
				if count[id] < shards/n || count[id] > (shards+n-1)/n {
					t.Errorf("%s has %d of %d, with %d nodes", id, count[id], shards, n)
				}
			}
			gone := nodes[n-1]
			moved := 0
			for shard, to := range Places(nodes[:n-1], shards) {
				if at[shard] != gone && at[shard] != to {
					if moved++; shard == shards-1 {
						t.Errorf("the queues move from %s to %s, and %s is gone", at[shard], to, gone)
					}
				}
			}
			if moved > shards/10 {
				t.Errorf("%d shards move without need when one of %d nodes goes", moved, n)
			}
		}
	}
	if at := Places(nil, 2); at[0] != engine.Nobody || at[1] != engine.Nobody {
		t.Error("a place without nodes")
	}
}

// Three nodes of a cluster come to have 43 shards each, whoever started first; without one of them the others have 64
// and 65, and 43 again when it is back; with seed 279 also if one gives a shard back because it has seen something else
// for a moment.
func TestBalance(t *testing.T) {
	for _, seed := range []uint64{0, 1, 2, 279} {
		w := newWorld(seed, 3, 129, mutant{})
		has := func(when string, least int, nodes ...*node) {
			t.Helper()
			if err := w.run(20 * time.Second); err != nil {
				t.Fatal(err)
			}
			all := 0
			for _, n := range nodes {
				all += len(n.held)
				if got := len(n.held); got < least || got > least+1 {
					t.Errorf("seed %d, %s: %s has %d shards, want %d", seed, when, n.name, got, least)
				}
			}
			if all != 129 {
				t.Errorf("seed %d, %s: %d of 129 shards are held", seed, when, all)
			}
		}
		has("started", 43, w.nodes...)
		n := w.nodes[seed%3]
		n.life++ // it is killed, and nobody starts it yet
		n.held, n.member = nil, nil
		life := n.life
		has("one is lost", 64, w.nodes[(seed+1)%3], w.nodes[(seed+2)%3])
		n.again(life)
		has("it is back", 43, w.nodes...)
	}
}

// hashing places shards as a version did before they were spread evenly: by scores alone.
func hashing(takers []engine.NodeID, shards int) []engine.NodeID {
	at := make([]engine.NodeID, shards)
	for shard := range at {
		for _, id := range takers {
			if at[shard] == engine.Nobody || score(id, shard) >= score(at[shard], shard) {
				at[shard] = id
			}
		}
	}
	return at
}

// While nodes run two versions that place shards otherwise, each shard has an owner and rests: one that comes back
// each time from where it was given stays. Without that some would go to and fro for as long as both versions run.
func TestVersionsThatPlaceOtherwise(t *testing.T) {
	for seed := range uint64(6) {
		w := newWorld(seed, 3, 129, mutant{calm: true})
		for i, n := range w.nodes {
			if (i == int(seed)%3) != (seed < 3) { // one of the new version, then two
				n.places = hashing
			}
		}
		moves := func(d time.Duration) (n int64) {
			t.Helper()
			if err := w.run(d); err != nil {
				t.Fatal(err)
			}
			v, err := w.primary.Look(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range v.Shards {
				n += s.Epoch
			}
			return n
		}
		before := moves(20 * time.Second)
		after := moves(time.Minute)
		held := 0
		for _, n := range w.nodes {
			held += len(n.held)
		}
		if held != 129 {
			t.Errorf("seed %d: %d of 129 shards are held", seed, held)
		}
		if after > before {
			t.Errorf("seed %d: shards were moved %d times in a minute without need", seed, after-before)
		}
	}
}
