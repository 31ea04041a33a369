package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"eddy/runtime/cluster/engine"
)

// Batches of many shards that are under way at once go in few transactions; each has its own outcome: what is fenced
// off, is so alone, and what deletes does so in its place.
func TestTogether(t *testing.T) {
	e := initialized(t, freshURL(t, server))
	a, b := engine.NewNodeID("a"), engine.NewNodeID("b")
	for _, id := range []engine.NodeID{a, b} {
		if err := e.Beat(t.Context(), engine.Node{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	grants, err := e.Claim(t.Context(), a, engine.Nobody, 0)
	if err != nil || len(grants) == 0 {
		t.Fatal(len(grants), err)
	}
	lost := grants[1]
	if err := e.Hand(t.Context(), lost, b); err != nil {
		t.Fatal(err)
	}
	value := func(n int) engine.Value { return engine.Value{Data: fmt.Append(nil, n), Number: int64(n)} }
	var all sync.WaitGroup
	for _, g := range grants {
		all.Go(func() {
			for n := 1; n <= 6; n++ {
				batch := engine.Batch{Puts: []engine.Put{{Key: engine.Key(fmt.Sprint("k", n)), Value: value(n)}}}
				if n%3 == 0 {
					batch.Deletes = []engine.Range{engine.Prefix("k")}
				}
				err := e.Commit(t.Context(), g, g.Head+int64(n), batch)
				if g == lost && !errors.Is(err, engine.ErrFenced) || g != lost && err != nil {
					t.Errorf("shard %d, batch %d: %v", g.Shard, n, err)
				}
			}
		})
	}
	all.Wait()
	for _, g := range grants {
		var got []string
		if err := e.Read(context.Background(), g, "", "", func(k engine.Key, v engine.Value) error {
			got = append(got, fmt.Sprint(k, "=", string(v.Data)))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		want := []string{"k6=6"}
		if g == lost {
			want = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("shard %d has %v", g.Shard, got)
		}
	}
}
