package runtime

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"eddy/runtime/cluster/engine"
)

// counted is an engine that counts reads of epochs.
type counted struct {
	*engine.Memory
	holds atomic.Int64
}

func (c *counted) Holds(ctx context.Context, shards []int) ([]engine.Holding, error) {
	c.holds.Add(1)
	return c.Memory.Holds(ctx, shards)
}

// A node whose clock has stood still believes in its lease, and tells what it read in an older world. With confirmed
// reads it tells nothing that it has not asked for, and one read is for all who wait.
func TestConfirmedReads(t *testing.T) {
	for _, confirmed := range []bool{false, true} {
		kept := &counted{Memory: engine.NewMemory(2)}
		p := newProject(t)
		p.write("w.js", script("reads", "counter.js"))
		p.write("w.jsonc", script("reads", "wrangler.jsonc"))
		s := p.serve(using("w"), func(o *Options) {
			o.PersistTo = t.TempDir()
			o.Cluster = &ClusterOptions{Engine: kept, Token: "0123456789abcdef", ObjectShards: 1, Name: "a",
				Listen: "127.0.0.1:0", Lease: time.Hour, Confirmed: confirmed}
		})
		for range 3 {
			s.ask(http.MethodPost, "/", "")
		}
		s.expect("/", "3")
		if asked := kept.holds.Load(); asked > 0 != confirmed {
			t.Errorf("confirmed %v: epochs were read %d times", confirmed, asked)
		}
		other := engine.NewNodeID("b")
		v, err := kept.Look(t.Context())
		if err == nil {
			err = kept.Beat(t.Context(), engine.Node{ID: other})
		}
		if err == nil {
			_, err = kept.Claim(t.Context(), other, v.Nodes[0].ID, v.Nodes[0].Beat)
		}
		if err != nil {
			t.Fatal(err)
		}
		res, body := s.ask(http.MethodGet, "/", "")
		if told := res.StatusCode == http.StatusOK; told == confirmed {
			t.Errorf("confirmed %v: an object that another node has says %s %s", confirmed, res.Status, body)
		}
	}
}
