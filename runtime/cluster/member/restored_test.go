package member

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"eddy/runtime/cluster/engine"
)

// backed is an engine whose store can be put back to what it was.
type backed struct {
	engine.Engine
	mu sync.Mutex // guards Engine
}

func (b *backed) now() engine.Engine { b.mu.Lock(); defer b.mu.Unlock(); return b.Engine }

func (b *backed) Look(ctx context.Context) (engine.View, error) { return b.now().Look(ctx) }

func (b *backed) Beat(ctx context.Context, n engine.Node) error { return b.now().Beat(ctx, n) }

func (b *backed) Claim(ctx context.Context, me, dead engine.NodeID, beat int64) ([]engine.Grant, error) {
	return b.now().Claim(ctx, me, dead, beat)
}

func (b *backed) Commit(ctx context.Context, g engine.Grant, n int64, batch engine.Batch) error {
	return b.now().Commit(ctx, g, n, batch)
}

func (b *backed) SetNote(ctx context.Context, name string, after int64, value []byte) error {
	return b.now().SetNote(ctx, name, after, value)
}

// Nodes that know more than the store has stop and say so, and so do those that only hear of it: whether nobody writes,
// somebody does, or the epoch is an earlier one.
func TestRestored(t *testing.T) {
	for _, act := range []string{"idle", "write", "earlier epoch"} {
		synctest.Test(t, func(t *testing.T) {
			m := engine.NewMemory(1)
			b := &backed{Engine: m}
			empty := m.Copy()
			a, c := joinMember(b, "a"), joinMember(b, "c")
			wait(3 * time.Second)
			owner, other := a, c
			if len(owner.shards) == 0 {
				owner, other = c, a
			}
			s := owner.shards[0]
			old := m.Copy()
			var kept atomic.Bool
			s.Commit(engine.Batch{}, func(err error) { kept.Store(err == nil) })
			wait(10 * time.Millisecond)
			if !kept.Load() {
				t.Fatal("nothing was kept")
			}
			if act == "earlier epoch" {
				old = empty
			}
			b.mu.Lock()
			b.Engine = old
			b.mu.Unlock()
			if act != "idle" {
				s.Commit(engine.Batch{}, func(error) {})
			}
			wait(5 * time.Second)
			last := func(r *told) string { telling.Lock(); defer telling.Unlock(); return r.events[len(r.events)-1] }
			texts := []string{last(owner), last(other)}
			for _, text := range texts {
				if !strings.HasPrefix(text, "ended: ") || !strings.Contains(text, "put back") {
					t.Errorf("%s: a node was told %q", act, text)
				}
			}
			// Only the owner knows the head; an earlier epoch may be found by both in the same instant.
			if act != "earlier epoch" && !strings.Contains(last(other), "has noticed") {
				t.Errorf("%s: the other node has not seen the mark: %q", act, texts)
			}
			n, _ := old.Note(t.Context(), engine.RestoredNote)
			if n.Version != 1 || !strings.Contains(string(n.Value), "has noticed") {
				t.Errorf("%s: the mark is %+v", act, n)
			}
		})
	}
}
