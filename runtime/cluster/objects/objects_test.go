package objects

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"eddy/durableobject/storage"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/node"
	"eddy/runtime/sqlite"
)

var steps = flag.Int("steps", 120, "how many things TestTakeover does to an object")

// world is one node on an engine, with its objects.
type world struct {
	t       *testing.T
	engine  *engine.Memory
	self    *node.Self
	shipped *Shipped
	dir     string
	ns      *storage.Namespace
	faults  sqlite.Faults // of the scratch directory's disk

	mu     sync.Mutex
	alarms map[string]time.Time // guarded by mu
}

const key = "w-Class"

func newWorld(t *testing.T, e *engine.Memory, name string) *world {
	t.Helper()
	return newWorldThrough(t, e, e, name)
}

// newWorldThrough is a world whose node sees an engine as through.
func newWorldThrough(t *testing.T, e *engine.Memory, through engine.Engine, name string) *world {
	t.Helper()
	w := &world{t: t, engine: e, dir: t.TempDir(), alarms: map[string]time.Time{}}
	var err error
	w.self, err = node.Start(t.Context(), node.Options{Engine: through, Token: "0123456789abcdef", ObjectShards: 2,
		Name: name, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.self.Close(context.Background()) })
	w.shipped = New(w.self, Live{
		Arm: func(_, id string, at time.Time) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.alarms[id] = at
		},
		Release: func(func(key, id string) bool, time.Duration) {},
		Failed:  func(text string) { t.Error(text) },
	})
	w.self.Objects(w.shipped)
	w.ns, err = storage.OpenNamespace(w.dir, storage.Options{Keeper: w.shipped.Keeper(key), Faults: &w.faults})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.ns.Close() }) // temporary
	return w
}

// bring waits until an object is here.
func (w *world) bring(id string) *storage.Store {
	w.t.Helper()
	for changed := w.self.Changed(); !w.shipped.Here(key, id); changed = w.self.Changed() {
		<-changed // also once records are read, after the shard was gained
	}
	got := make(chan error, 1)
	w.shipped.Bring(key, id, storage.ObjectFile(w.dir, id), func(err error) { got <- err })
	if err := <-got; err != nil {
		w.t.Fatal(err)
	}
	return w.ns.Store(id)
}

func (w *world) keep(s *storage.Store) {
	w.t.Helper()
	if err := s.Commit(); err != nil {
		w.t.Fatal(err)
	}
	done := make(chan error, 1)
	s.Sync(func(err error) { done <- err })
	if err := <-done; err != nil {
		w.t.Fatal(err)
	}
}

// next is another node on a copy of what is kept, as if this one were lost.
func (w *world) next(name string) *world {
	w.t.Helper()
	e := w.engine.Copy()
	v, err := e.Look(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	me, _ := v.Node(w.self.ID())
	if _, err := e.Claim(w.t.Context(), engine.Nobody, me.ID, me.Beat); err != nil {
		w.t.Fatal(err)
	}
	return newWorld(w.t, e, name)
}

func contents(t *testing.T, s *storage.Store) map[string]string {
	t.Helper()
	pairs, err := s.List(storage.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, p := range pairs {
		out[p.Key] = string(p.Value)
	}
	return out
}

const id = "00000000000000000000000000000000000000000000000000000000000000aa"

// Whatever an object does, a node that takes it over finds what was kept last: small commits, large ones, logs that are
// folded, files that are closed, deleteAll, alarms.
func TestTakeover(t *testing.T) {
	for seed := range uint64(2) {
		w := newWorld(t, engine.NewMemory(3), "first")
		rnd := rand.New(rand.NewPCG(seed, 1))
		s := w.bring(id)
		want := map[string]string{}
		alarm := time.Time{}
		for step := range *steps {
			switch act := rnd.IntN(20); {
			case act == 0:
				if err := s.DeleteAll(false); err != nil {
					t.Fatal(err)
				}
				clear(want)
				alarm = time.Time{}
			case act == 1: // a commit of some megabytes
				for range 1 + rnd.IntN(20) {
					k := fmt.Sprint("large", rnd.IntN(40))
					want[k] = strings.Repeat(fmt.Sprint(step), 200_000/len(fmt.Sprint(step)))
					if err := s.Put(k, []byte(want[k])); err != nil {
						t.Fatal(err)
					}
				}
			case act == 2:
				w.keep(s)
				s.Close() // its log is folded by SQLite itself
				s = w.ns.Store(id)
				if _, err := s.Delete("nothing"); err != nil { // a commit that writes nothing
					t.Fatal(err)
				}
			case act == 3:
				alarm = time.UnixMilli(int64(4e12) + rnd.Int64N(1000)).UTC()
				if err := s.SetAlarm(alarm); err != nil {
					t.Fatal(err)
				}
			case act < 7:
				for k := range maps.Clone(want) {
					if rnd.IntN(3) == 0 {
						delete(want, k)
						if _, err := s.Delete(k); err != nil {
							t.Fatal(err)
						}
					}
				}
			default:
				k := fmt.Sprint("small", rnd.IntN(200))
				want[k] = string(bytes.Repeat([]byte{'a' + byte(rnd.IntN(26))}, rnd.IntN(3000)))
				if err := s.Put(k, []byte(want[k])); err != nil {
					t.Fatal(err)
				}
			}
			w.keep(s)
			if step%(*steps/6) != 0 && step != *steps-1 {
				continue
			}
			other := w.next("second")
			found := other.bring(id)
			if got := contents(t, found); !maps.Equal(got, want) {
				t.Fatalf("seed %d, step %d: %d keys, want %d", seed, step, len(got), len(want))
			}
			if at, err := found.Alarm(); err != nil || !at.Equal(alarm) {
				t.Fatalf("seed %d, step %d: alarm %s, %v; want %s", seed, step, at, err, alarm)
			}
			other.shipped.Wait() // alarms are armed after the shard is here
			other.mu.Lock()
			armed := other.alarms[id]
			other.mu.Unlock()
			if !armed.Equal(alarm) {
				t.Fatalf("seed %d, step %d: armed for %s, want %s", seed, step, armed, alarm)
			}
			if rnd.IntN(2) == 0 { // go on there
				w, s = other, found
			}
		}
	}
}

// watched is an engine that has a copy of what is kept after each batch.
type watched struct {
	*engine.Memory

	mu     sync.Mutex
	copies []*engine.Memory // guarded by mu
}

// Commit implements [engine.Engine].
func (e *watched) Commit(ctx context.Context, g engine.Grant, n int64, b engine.Batch) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	err := e.Memory.Commit(ctx, g, n, b)
	if len(b.Puts) > 0 {
		e.copies = append(e.copies, e.Copy())
	}
	return err
}

// A node that is lost between the batches of a large commit leaves what was there before it; the next one goes on from
// there, and finds nothing of what was half kept.
func TestPartOfACommit(t *testing.T) {
	e := &watched{Memory: engine.NewMemory(3)}
	w := newWorldThrough(t, e.Memory, e, "first")
	s := w.bring(id)
	var states []map[string]string
	fill := func(s *storage.Store, from, n, size int, letter string) {
		for i := range n {
			if err := s.Put(fmt.Sprint(from+i), []byte(strings.Repeat(letter, size))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for round, n := range []int{3, 30, 2} {
		fill(s, round, n, 300_000, string(rune('a'+round)))
		w.keep(s)
		states = append(states, contents(t, s))
	}
	e.mu.Lock()
	copies := e.copies
	e.mu.Unlock()
	if len(copies) < 6 {
		t.Fatalf("%d batches are too few to see anything", len(copies))
	}
	at := -1
	for i, c := range copies {
		w.engine = c
		other := w.next("second")
		found := other.bring(id)
		got := contents(t, found)
		if len(got) == 0 {
			continue // the first commit
		}
		for at+1 < len(states) && (at < 0 || !maps.Equal(got, states[at])) {
			at++
		}
		if !maps.Equal(got, states[at]) {
			t.Fatalf("after batch %d there are %d keys, which is no state that was kept", i, len(got))
		}
		for range 3 { // pieces of other lengths, in the place of those that were left
			fill(found, 100, 1, 50_000, "z")
			other.keep(found)
		}
		want := contents(t, found)
		third := other.next("third")
		if got := contents(t, third.bring(id)); !maps.Equal(got, want) {
			t.Fatalf("after batch %d and more there are %d keys, want %d", i, len(got), len(want))
		}
	}
	if at != len(states)-1 {
		t.Errorf("the last state that was found is %d", at)
	}
}

// What is missing or damaged is refused by name.
func TestDamage(t *testing.T) {
	w := newWorld(t, engine.NewMemory(3), "first")
	s := w.bring(id)
	for i := range 3 {
		if err := s.Put(fmt.Sprint(i), []byte("value")); err != nil {
			t.Fatal(err)
		}
		w.keep(s)
	}
	shard := w.self.ShardOf(key, id)
	b := w.shipped.owner(key, id).find(key, id)
	for _, k := range []engine.Key{b.extent(0), b.piece(0)} {
		other := w.next("second")
		other.engine.Damage(shard, k, func([]byte) []byte { return nil })
		for changed := other.self.Changed(); !other.shipped.Here(key, id); changed = other.self.Changed() {
			select {
			case <-changed:
			case <-time.After(10 * time.Millisecond):
			}
		}
		got := make(chan error, 1)
		other.shipped.Bring(key, id, filepath.Join(other.dir, "x.sqlite"), func(err error) { got <- err })
		if err := <-got; err == nil || !strings.Contains(err.Error(), id) {
			t.Errorf("without %s: %v", k, err)
		}
	}
}

// Of several nodes one does a numbered thing, and nobody does it again.
func TestOnce(t *testing.T) {
	w := newWorld(t, engine.NewMemory(3), "first")
	ctx := t.Context()
	if !w.shipped.Once(ctx, "cron", 5) || w.shipped.Once(ctx, "cron", 5) || w.shipped.Once(ctx, "cron", 4) ||
		!w.shipped.Once(ctx, "cron", 6) {
		t.Error("a number was taken twice, or not at all")
	}
	other := w.next("second")
	if other.shipped.Once(ctx, "cron", 6) || !other.shipped.Once(ctx, "cron", 7) {
		t.Error("the next owner does not know what was done")
	}
	over, end := context.WithCancel(ctx)
	end()
	w.self.Leave(ctx)
	if w.shipped.Once(over, "cron", 8) {
		t.Error("a node that has left has done something")
	}
}
