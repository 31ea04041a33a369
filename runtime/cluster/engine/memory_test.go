package engine_test

import (
	"testing"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/engine/enginetest"
)

func TestMemory(t *testing.T) {
	enginetest.Run(t, func(*testing.T) enginetest.Store {
		m := engine.NewMemory(4)
		return enginetest.Store{Open: func(*testing.T) engine.Engine { return m }, Damage: m.Damage}
	})
}

// A copy goes its own way.
func TestMemoryCopy(t *testing.T) {
	m := engine.NewMemory(1)
	id := engine.NewNodeID("a")
	if err := m.Beat(t.Context(), engine.Node{ID: id}); err != nil {
		t.Fatal(err)
	}
	c := m.Copy()
	if _, err := m.Claim(t.Context(), id, engine.Nobody, 0); err != nil {
		t.Fatal(err)
	}
	if v, _ := c.Look(t.Context()); v.Shards[0].Owner != engine.Nobody || len(v.Nodes) != 1 {
		t.Fatalf("the copy has %+v", v)
	}
}
