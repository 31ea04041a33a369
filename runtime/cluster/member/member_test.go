package member

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/cluster/engine"
)

// told is a member with what it was told, in order. Shards are given away at once.
type told struct {
	*Member
	shards map[int]*Shard
	events []string
}

// telling orders what members are told later behind what the test has looked at before.
var telling sync.Mutex

func joinMember(m engine.Engine, name string) *told { return joinLeased(m, name, DefaultLease) }

func joinLeased(m engine.Engine, name string, lease time.Duration) *told {
	r := &told{shards: map[int]*Shard{}}
	note := func(format string, args ...any) { r.events = append(r.events, fmt.Sprintf(format, args...)) }
	told := func(f func()) { telling.Lock(); defer telling.Unlock(); f() }
	r.Member = Start(Options{Engine: m, Lease: lease, Clock: clock.Real{},
		Node: engine.Node{ID: engine.NewNodeID(name), URL: name, Lease: lease},
		Events: Events{
			Joined: func() { told(func() { note("joined") }) },
			Gained: func(s *Shard) { told(func() { r.shards[s.ID()] = s; note("gained %d", s.ID()) }) },
			Lost: func(s *Shard, err error) {
				told(func() { delete(r.shards, s.ID()); note("lost %d: %v", s.ID(), err) })
			},
			Lease: func(holds bool) { told(func() { note("lease holds: %v", holds) }) },
			Ended: func(err error) { told(func() { note("ended: %v", err) }) },
		}})
	return r
}

func (r *told) want(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	telling.Lock()
	defer telling.Unlock()
	if !slices.Equal(r.events, want) {
		t.Fatalf("told %q, want %q", r.events, want)
	}
	r.events = nil
}

func wait(d time.Duration) {
	func() { telling.Lock(); defer telling.Unlock() }()
	time.Sleep(d) // of the bubble
	synctest.Wait()
}

// Two nodes share the shards, and whoever stays gets those of whoever goes.
func TestTwoNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := engine.NewMemory(2)
		a := joinMember(m, "a")
		wait(time.Second)
		a.want(t, "joined", "gained 0", "gained 1")
		b := joinMember(m, "b")
		wait(3 * time.Second)
		if len(a.shards)+len(b.shards) != 2 || len(b.shards) == 0 {
			t.Fatalf("a has %v, b %v", a.shards, b.shards)
		}
		all := append(a.shardIDs(), b.shardIDs()...)
		if slices.Sort(all); !slices.Equal(all, []int{0, 1}) {
			t.Fatalf("owned are %v", all)
		}
		b.events = nil
		a.Leave()
		wait(time.Second)
		if got := a.events[len(a.events)-1]; got != "ended: <nil>" || len(b.shards) != 2 {
			t.Fatalf("a was told %q, b has %v", a.events, b.shards)
		}
		b.Leave()
		wait(time.Second)
		if v, _ := m.Look(t.Context()); len(v.Nodes) != 0 || v.Shards[0].Owner != engine.Nobody {
			t.Fatalf("left behind: %+v", v)
		}
	})
}

func (r *told) shardIDs() (ids []int) {
	for id := range r.shards {
		ids = append(ids, id)
	}
	return ids
}

// A node that is starting gets nothing while another one is ready, and all if none is.
func TestReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := engine.NewMemory(40)
		a, b := joinMember(m, "a"), joinMember(m, "b")
		wait(3 * time.Second)
		if len(a.shards) < 5 || len(b.shards) < 5 {
			t.Fatalf("both start: a has %d shards, b %d", len(a.shards), len(b.shards))
		}
		a.Ready()
		wait(3 * time.Second)
		if len(a.shards) != 40 {
			t.Fatalf("a is ready: it has %d shards, b %d", len(a.shards), len(b.shards))
		}
		b.Ready()
		wait(3 * time.Second)
		if len(b.shards) < 5 {
			t.Fatalf("both are ready: a has %d shards, b %d", len(a.shards), len(b.shards))
		}
		c := joinMember(m, "c")
		wait(3 * time.Second)
		if len(c.shards) > 0 {
			t.Fatalf("c starts: it has %d shards", len(c.shards))
		}
		a.Leave()
		b.Leave()
		wait(3 * time.Second)
		if len(c.shards) != 40 {
			t.Fatalf("only c is left: it has %d shards", len(c.shards))
		}
		c.Leave()
		wait(time.Second)
	})
}

// A node that is drained gives all back and takes nothing, until that is undone, or nobody else is left.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := engine.NewMemory(40)
		a, b := joinMember(m, "a"), joinMember(m, "b")
		has := func(what string, wantA, wantB func(int) bool) {
			t.Helper()
			if !wantA(len(a.shards)) || !wantB(len(b.shards)) {
				t.Fatalf("%s: a has %d shards, b %d", what, len(a.shards), len(b.shards))
			}
		}
		some := func(n int) bool { return n > 5 }
		all, none := func(n int) bool { return n == 40 }, func(n int) bool { return n == 0 }
		drain := func(r *told, on bool) {
			t.Helper()
			if err := m.Drain(t.Context(), r.o.Node.ID, engine.Asked, on); err != nil {
				t.Fatal(err)
			}
		}
		wait(3 * time.Second)
		has("before", some, some)
		drain(a, true)
		wait(2 * time.Second)
		has("a is drained", none, all)
		drain(a, false)
		wait(2 * time.Second)
		has("undone", some, some)
		drain(a, true)
		wait(2 * time.Second)
		b.Leave()
		wait(time.Second)
		if len(a.shards) != 40 {
			t.Errorf("nobody else is left, and a has %d shards", len(a.shards))
		}
		a.Leave()
		wait(time.Second)
	})
}

// A name belongs to whoever beats. A node that was killed and starts anew under its name waits for its own lease.
func TestSameName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := engine.NewMemory(1)
		a := joinMember(m, "a")
		wait(time.Second)
		a.want(t, "joined", "gained 0")
		second := joinMember(m, "a")
		wait(3 * time.Second)
		second.want(t, "ended: the cluster has a node a already, at a")
		a.want(t)
		// The machine of a is gone.
		a.do(func() {
			a.phase = ended
			for _, timer := range a.timers {
				timer.Stop()
			}
		})
		third := joinMember(m, "a")
		wait(4 * time.Second)
		third.want(t)
		wait(2 * time.Second)
		third.want(t, "joined", "gained 0")
		third.Leave()
		wait(time.Second)
	})
}

// All nodes are killed, and one comes again: it waits for the lease of its own earlier process, sees meanwhile that the
// others are silent as well, and has everything as soon as it has joined.
func TestAllKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := engine.NewMemory(30)
		var ways []*awayEngine
		for _, name := range []string{"a", "b", "c"} {
			way := &awayEngine{Memory: m}
			ways = append(ways, way)
			defer joinMember(way, name).Leave()
		}
		wait(5 * time.Second)
		for _, way := range ways {
			way.away.Store(true) // for the store they are dead
		}
		began := time.Now()
		var all time.Duration
		var ended []string
		took := map[string]int{}
		gained := 0
		a := Start(Options{Engine: m, Clock: clock.Real{},
			Node: engine.Node{ID: engine.NewNodeID("a"), Lease: DefaultLease},
			Events: Events{
				Gained: func(*Shard) {
					if gained++; gained == 30 {
						all = time.Since(began)
					}
				},
				Gave: func(dead engine.NodeID) { ended = append(ended, dead.Name()) },
				Took: func(from map[engine.NodeID]int) {
					for id, n := range from {
						took[id.Name()] += n
					}
				},
			}})
		wait(15 * time.Second)
		if patience := time.Duration(float64(DefaultLease) * Patience); all == 0 || all > patience+time.Second/2 {
			t.Errorf("it has %d shards of 30, after %v, with a lease of %v", gained, all, DefaultLease)
		}
		if slices.Sort(ended); !slices.Equal(ended, []string{"a", "b", "c"}) {
			t.Errorf("told as ended: %v", ended)
		}
		if took["b"] == 0 || took["c"] == 0 {
			t.Errorf("told as taken: %v", took)
		}
		a.Leave()
		wait(time.Second)
	})
}

// A node hands over several shards at a time, but not all: what is handed over is silent.
func TestHandsSome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := engine.NewMemory(60)
		var ready []func()
		a := Start(Options{Engine: m, Clock: clock.Real{}, Node: engine.Node{ID: engine.NewNodeID("a"), Ready: true},
			Events: Events{Handing: func(_ *Shard, done func()) { ready = append(ready, done) }}})
		wait(time.Second)
		b := joinMember(m, "b")
		b.Ready()
		wait(3 * time.Second)
		if len(ready) != handing {
			t.Fatalf("%d shards are handed over at a time, want %d", len(ready), handing)
		}
		for len(ready) > 0 {
			next := ready[0]
			ready = ready[1:]
			next()
			synctest.Wait()
			if len(ready) > handing {
				t.Fatalf("%d shards are handed over at a time, want %d", len(ready), handing)
			}
		}
		wait(time.Second)
		if len(b.shards) < 20 {
			t.Errorf("b has %d shards of 60", len(b.shards))
		}
		a.Leave()
		b.Leave()
		wait(time.Second)
	})
}

// beatOf is the number of a node's last beat.
func (a *awayEngine) beatOf(id engine.NodeID) int64 {
	v, _ := a.Memory.Look(context.Background()) // it does not fail
	n, _ := v.Node(id)
	return n.Beat
}

type slowEngine struct {
	*engine.Memory
	batches int
}

func (s *slowEngine) Commit(ctx context.Context, g engine.Grant, n int64, b engine.Batch) error {
	time.Sleep(10 * time.Millisecond)
	s.batches++
	return s.Memory.Commit(ctx, g, n, b)
}

// While the engine is away nobody takes anything over, answers wait, and afterwards all go on as before.
func TestEngineAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := &awayEngine{Memory: engine.NewMemory(1)}
		a, b := joinMember(away, "a"), joinMember(away, "b")
		wait(3 * time.Second)
		owner := a
		if len(b.shards) == 1 {
			owner = b
		}
		a.events, b.events = nil, nil
		s := owner.shards[0]
		away.away.Store(true)
		wait(time.Minute)
		var kept, told atomic.Bool
		s.Commit(engine.Batch{}, func(err error) { kept.Store(err == nil) })
		s.Confirm(func(err error) { told.Store(err == nil) })
		wait(10 * time.Second)
		if owner.Valid() || kept.Load() || told.Load() {
			t.Fatal("an answer went out without the engine")
		}
		away.away.Store(false)
		wait(2 * time.Second)
		if !owner.Valid() || !kept.Load() || !told.Load() {
			t.Fatalf("valid %v, kept %v, told %v", owner.Valid(), kept.Load(), told.Load())
		}
		a.want(t, "lease holds: false", "lease holds: true")
		b.want(t, "lease holds: false", "lease holds: true")
		a.Leave()
		b.Leave()
		wait(time.Second)
	})
}

type awayEngine struct {
	*engine.Memory
	away atomic.Bool
}

var errAway = errors.New("no route to the database")

func (a *awayEngine) Beat(ctx context.Context, n engine.Node) error {
	if a.away.Load() {
		return errAway
	}
	return a.Memory.Beat(ctx, n)
}

func (a *awayEngine) Look(ctx context.Context) (engine.View, error) {
	if a.away.Load() {
		return engine.View{}, errAway
	}
	return a.Memory.Look(ctx)
}

func (a *awayEngine) Read(ctx context.Context, g engine.Grant, from, to engine.Key,
	fn func(engine.Key, engine.Value) error,
) error {
	if a.away.Load() {
		return errAway
	}
	return a.Memory.Read(ctx, g, from, to, fn)
}

func (a *awayEngine) Commit(ctx context.Context, g engine.Grant, n int64, b engine.Batch) error {
	if a.away.Load() {
		return errAway
	}
	return a.Memory.Commit(ctx, g, n, b)
}

// A node with a shorter lease than another one's waits for as long as that one may answer.
func TestLeaseOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := &awayEngine{Memory: engine.NewMemory(32)}
		a := joinMember(away, "a")
		wait(time.Second)
		b := joinLeased(away.Memory, "b", time.Second)
		wait(3 * time.Second)
		if len(a.shards) == 0 {
			t.Fatal("a has none of 32 shards")
		}
		away.away.Store(true)
		for a.Valid() {
			if len(a.shards)+len(b.shards) != 32 {
				t.Fatal("b took shards while the lease of a held")
			}
			wait(100 * time.Millisecond)
		}
		if wait(3 * time.Second); len(b.shards) != 32 {
			t.Errorf("b has %d shards of 32", len(b.shards))
		}
		away.away.Store(false)
		wait(2 * time.Second)
		a.Leave()
		b.Leave()
		wait(time.Second)
	})
}
