package postgres

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"eddy/runtime/cluster/engine"
)

// trips counts queries, each of which is a way to the server and back. It implements [pgx.QueryTracer].
type trips struct{ n atomic.Int64 }

func (c *trips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (*trips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// What lies in all shards is read with one query, in the order of the shards.
func TestReadAllIsOneQuery(t *testing.T) {
	url := freshURL(t, server)
	initialized(t, url)
	counted := &trips{}
	e, err := open(url, counted)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	keys := engine.Prefix("i/")
	err = e.Replace(t.Context(), func(c engine.Contents) error {
		for shard := range ObjectShards {
			var b engine.Batch
			for n, name := range []string{"h/x", "i/1", "i/2", "j/x"} {
				b.Puts = append(b.Puts, engine.Put{Key: engine.Key(name), Value: engine.Value{Number: int64(n + 1)}})
			}
			if err := c.Change(t.Context(), shard, b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	counted.n.Store(0)
	text, want := "", ""
	err = e.Snapshot(t.Context(), func(c engine.Contents) error {
		return c.ReadAll(t.Context(), keys, func(shard int, k engine.Key, _ engine.Value) error {
			text += fmt.Sprint(shard, k, " ")
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for shard := range ObjectShards {
		want += fmt.Sprint(shard, "i/1 ", shard, "i/2 ")
	}
	if text != want {
		t.Errorf("read %s, want %s", text, want)
	}
	// begin, the timeouts, the shards, the keys, the end
	if n := counted.n.Load(); n != 5 {
		t.Errorf("%d queries, want 5", n)
	}
}
