package member

import (
	"testing"

	"eddy/runtime/cluster/engine"
)

// Rendezvous hashing spreads shards evenly, and a node that goes moves only its own.
func TestPlace(t *testing.T) {
	nodes := []engine.NodeID{"a/1", "b/2", "c/3"}
	count := map[engine.NodeID]int{}
	for shard := range 129 {
		at := Place(nodes, shard)
		count[at]++
		if at != "c/3" && Place(nodes[:2], shard) != at {
			t.Errorf("shard %d moves without need", shard)
		}
	}
	for _, n := range nodes {
		if count[n] < 25 {
			t.Errorf("%s has %d of 129", n, count[n])
		}
	}
	if Place(nil, 1) != engine.Nobody {
		t.Error("a place without nodes")
	}
}
