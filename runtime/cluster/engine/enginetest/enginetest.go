package enginetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"eddy/runtime/cluster/engine"
)

// Store is one fresh store, with four shards that belong to nobody.
type Store struct {
	// Open connects another client.
	Open func(t *testing.T) engine.Engine
	// Damage replaces the bytes under a key behind the engine's back; a change that gives nil removes the key.
	Damage func(shard int, key engine.Key, change func([]byte) []byte)
}

// Run runs the suite; fresh makes a store for each case.
func Run(t *testing.T, fresh func(t *testing.T) Store) {
	for name, test := range map[string]func(*testing.T, *rig){
		"Beat":          beat,
		"SameName":      sameName,
		"Claim":         claim,
		"ClaimFree":     claimFree,
		"ClaimRace":     claimRace,
		"BeatOrClaim":   beatOrClaim,
		"Leave":         leave,
		"Drain":         drain,
		"Take":          take,
		"Ready":         ready,
		"Hand":          hand,
		"Commit":        commit,
		"CommitRepeats": commitRepeats,
		"CommitFenced":  commitFenced,
		"CommitOrClaim": commitOrClaim,
		"Deletes":       deletes,
		"Limits":        limits,
		"ReadOrder":     readOrder,
		"ReadStops":     readStops,
		"Damage":        damage,
		"Restored":      restored,
		"Notes":         notes,
		"Archive":       archive,
		"Model":         model,
	} {
		t.Run(name, func(t *testing.T) {
			s := fresh(t)
			test(t, &rig{t: t, store: s, Engine: s.Open(t)})
		})
	}
}

type rig struct {
	engine.Engine
	t     *testing.T
	store Store
}

func ctx() context.Context { return context.Background() }

func (r *rig) ok(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) is(err, want error) {
	r.t.Helper()
	if !errors.Is(err, want) {
		r.t.Fatalf("got %v, want %v", err, want)
	}
}

// node registers a node and gives its id.
func (r *rig) node(name string) engine.NodeID {
	r.t.Helper()
	id := engine.NewNodeID(name)
	r.ok(r.Beat(ctx(), engine.Node{ID: id, URL: "https://" + name, Cert: []byte(name), Hash: "h", Lease: time.Second}))
	return id
}

func (r *rig) look() engine.View {
	r.t.Helper()
	v, err := r.Look(ctx())
	r.ok(err)
	return v
}

// all claims everything that is free.
func (r *rig) all(me engine.NodeID) []engine.Grant {
	r.t.Helper()
	g, err := r.Claim(ctx(), me, engine.Nobody, 0)
	r.ok(err)
	return g
}

func put(key, data string) engine.Batch {
	return engine.Batch{Puts: []engine.Put{{Key: engine.Key(key), Value: engine.Value{Data: []byte(data), Number: 1}}}}
}

// content is the whole of a shard.
func (r *rig) content(g engine.Grant) string {
	r.t.Helper()
	text := ""
	r.ok(r.Read(ctx(), g, "", "", func(k engine.Key, v engine.Value) error {
		text += fmt.Sprintf("%s=%s ", k, v.Data)
		return nil
	}))
	return text
}

func (r *rig) want(g engine.Grant, want string) {
	r.t.Helper()
	if got := r.content(g); got != want {
		r.t.Fatalf("shard %d holds %q, want %q", g.Shard, got, want)
	}
}

func beat(t *testing.T, r *rig) {
	a := r.node("a")
	r.node("b")
	r.ok(r.Beat(ctx(), engine.Node{ID: a, URL: "https://elsewhere", Cert: []byte{0, 1}, Hash: "other"}))
	v := r.look()
	if len(v.Nodes) != 2 || len(v.Shards) != 4 || v.Shards[3].ID != 3 || v.Shards[3].Owner != engine.Nobody {
		t.Fatalf("view %+v", v)
	}
	n, _ := v.Node(a)
	if n.Beat != 2 || n.URL != "https://elsewhere" || string(n.Cert) != "\x00\x01" || n.Hash != "other" ||
		v.Nodes[1].Lease != time.Second {
		t.Fatalf("a is %+v", n)
	}
}

func sameName(t *testing.T, r *rig) {
	a := r.node("a")
	second := engine.NewNodeID("a")
	var taken *engine.TakenError
	err := r.Beat(ctx(), engine.Node{ID: second})
	if !errors.As(err, &taken) || taken.By.ID != a || taken.By.Beat != 1 {
		t.Fatalf("got %v", err)
	}
	_, err = r.Claim(ctx(), engine.Nobody, a, taken.By.Beat)
	r.ok(err)
	r.ok(r.Beat(ctx(), engine.Node{ID: second}))
	r.is(r.Beat(ctx(), engine.Node{ID: a}), engine.ErrEnded)
	// Nor does it beat again when the name is free once more.
	_, err = r.Claim(ctx(), engine.Nobody, second, 1)
	r.ok(err)
	r.is(r.Beat(ctx(), engine.Node{ID: a}), engine.ErrEnded)
	if len(r.look().Nodes) != 0 {
		t.Fatal("a node that was ended is seen")
	}
}

func claim(t *testing.T, r *rig) {
	a, b := r.node("a"), r.node("b")
	if g := r.all(a); len(g) != 4 || g[0] != (engine.Grant{Shard: 0, Epoch: 1, Owner: a}) {
		t.Fatalf("granted %v", g)
	}
	r.ok(r.Commit(ctx(), engine.Grant{Shard: 2, Epoch: 1, Owner: a}, 1, put("k", "v")))
	r.ok(r.Beat(ctx(), engine.Node{ID: a}))
	_, err := r.Claim(ctx(), b, a, 1)
	r.is(err, engine.ErrAlive)
	grants, err := r.Claim(ctx(), b, a, 2)
	r.ok(err)
	slices.SortFunc(grants, func(x, y engine.Grant) int { return x.Shard - y.Shard })
	if len(grants) != 4 || grants[2] != (engine.Grant{Shard: 2, Epoch: 2, Owner: b, Head: 1}) {
		t.Fatalf("granted %v", grants)
	}
	r.is(r.Beat(ctx(), engine.Node{ID: a}), engine.ErrEnded)
	_, err = r.Claim(ctx(), b, a, 2)
	r.is(err, engine.ErrAlive)
	for _, s := range r.look().Shards {
		if s.Owner != b || s.Epoch != 2 {
			t.Fatalf("shard %+v", s)
		}
	}
	// Whoever was ended claims nothing.
	c := r.node("c")
	if _, err = r.Claim(ctx(), a, c, 1); err == nil {
		t.Fatal("a node that was ended has claimed another one")
	}
	r.ok(r.Beat(ctx(), engine.Node{ID: c}))
}

func claimFree(t *testing.T, r *rig) {
	a, b := r.node("a"), r.node("b")
	grants := r.all(a)
	if g := r.all(b); len(g) != 0 {
		t.Fatalf("granted %v, which another node has", g)
	}
	r.ok(r.Hand(ctx(), grants[1], engine.Nobody))
	if g := r.all(b); len(g) != 1 || g[0].Shard != 1 || g[0].Epoch != 3 {
		t.Fatalf("granted %v", g)
	}
	// What was handed to a node that is no more is free as well.
	gone := engine.NewNodeID("gone")
	r.ok(r.Hand(ctx(), grants[0], gone))
	if g := r.all(b); len(g) != 1 || g[0].Shard != 0 {
		t.Fatalf("granted %v", g)
	}
}

// claimRace: of many that claim one node, one gets all of it.
func claimRace(t *testing.T, r *rig) {
	dead := r.node("dead")
	r.all(dead)
	got := make([]int, 6)
	var all sync.WaitGroup
	for i := range got {
		me, client := r.node(fmt.Sprint("n", i)), r.store.Open(t)
		all.Go(func() {
			g, err := client.Claim(ctx(), me, dead, 1)
			if got[i] = len(g); err != nil && !errors.Is(err, engine.ErrAlive) {
				got[i] = -1
			}
		})
	}
	all.Wait()
	slices.Sort(got)
	if !slices.Equal(got, []int{0, 0, 0, 0, 0, 4}) {
		t.Fatalf("granted %v", got)
	}
}

// beatOrClaim: a beat and a claim at the same time never both succeed, if the claim does not know of the beat.
func beatOrClaim(t *testing.T, r *rig) {
	me, other := r.node("me"), r.store.Open(t)
	for i := range 8 {
		a := r.node(fmt.Sprint("a", i))
		beat := make(chan error)
		go func() { beat <- other.Beat(ctx(), engine.Node{ID: a}) }()
		_, claimed := r.Claim(ctx(), me, a, 1)
		if err := <-beat; (err == nil) == (claimed == nil) {
			t.Fatalf("the beat gave %v, the claim %v", err, claimed)
		}
	}
}

func leave(t *testing.T, r *rig) {
	a := r.node("a")
	r.all(a)
	_, err := r.Claim(ctx(), engine.Nobody, a, 1)
	r.ok(err)
	r.is(r.Beat(ctx(), engine.Node{ID: a}), engine.ErrEnded)
	if g := r.all(r.node("b")); len(g) != 4 || g[0].Epoch != 3 {
		t.Fatalf("granted %v", g)
	}
}

// take: shards that a node has are not given, those of one that has left are, and only those that are asked for.
func take(t *testing.T, r *rig) {
	a, b := r.node("a"), r.node("b")
	r.all(a)
	if g, err := r.Take(ctx(), b, []int{0, 1}); err != nil || len(g) != 0 {
		t.Fatalf("granted %v, %v", g, err)
	}
	_, err := r.Claim(ctx(), engine.Nobody, a, 1)
	r.ok(err)
	g, err := r.Take(ctx(), b, []int{2, 1})
	r.ok(err)
	if len(g) != 2 || g[0].Shard != 1 || g[0].Epoch != 3 || g[0].Owner != b || g[1].Shard != 2 {
		t.Fatalf("granted %v", g)
	}
	r.ok(r.Commit(ctx(), g[0], g[0].Head+1, put("k", "v")))
	_, err = r.Take(ctx(), a, []int{0})
	r.is(err, engine.ErrEnded)
	if v := r.look(); v.Shards[1].Owner != b || v.Shards[0].Owner != engine.Nobody {
		t.Fatalf("owners are %+v", v.Shards)
	}
}

// ready: what a node says of itself is what its last beat has said.
func ready(t *testing.T, r *rig) {
	a := r.node("a")
	for _, is := range []bool{false, true} {
		r.ok(r.Beat(ctx(), engine.Node{ID: a, Ready: is}))
		if n, _ := r.look().Node(a); n.Ready != is {
			t.Fatalf("ready is %v, want %v", n.Ready, is)
		}
	}
}

func drain(t *testing.T, r *rig) {
	a := r.node("a")
	for i, step := range []struct {
		why  engine.Drain
		on   bool
		want engine.Drain
	}{
		{engine.Asked, true, engine.Asked}, {engine.Asked, false, 0}, {engine.Unusable, true, engine.Unusable},
		{engine.Asked, true, engine.Asked | engine.Unusable}, {engine.Asked, true, engine.Asked | engine.Unusable},
		{engine.Unusable, false, engine.Asked},
	} {
		r.ok(r.Drain(ctx(), a, step.why, step.on))
		r.ok(r.Beat(ctx(), engine.Node{ID: a}))
		if n, _ := r.look().Node(a); n.Drain != step.want {
			t.Fatalf("step %d: drain is %v, want %v", i, n.Drain, step.want)
		}
	}
	_, err := r.Claim(ctx(), engine.Nobody, a, 7)
	r.ok(err)
	r.is(r.Drain(ctx(), a, engine.Asked, true), engine.ErrEnded)
	next := r.node("a")
	if n, _ := r.look().Node(next); n.Drain != 0 {
		t.Fatal("the next incarnation is drained, too")
	}
}

func hand(t *testing.T, r *rig) {
	a, b := r.node("a"), r.node("b")
	g := r.all(a)[0]
	r.ok(r.Commit(ctx(), g, 1, put("k", "v")))
	r.ok(r.Hand(ctx(), g, b))
	r.is(r.Commit(ctx(), g, 2, put("k", "late")), engine.ErrFenced)
	r.is(r.Hand(ctx(), g, b), engine.ErrFenced)
	s := r.look().Shards[0]
	if held, err := r.Holds(ctx(), []int{0}); err != nil || len(held) != 1 || held[0] != s {
		t.Fatalf("held are %+v, %v", held, err)
	}
	if s.Owner != b || s.Epoch != 2 || s.Head != 1 {
		t.Fatalf("shard %+v", s)
	}
	next := engine.Grant{Shard: 0, Epoch: s.Epoch, Owner: b, Head: s.Head}
	r.ok(r.Commit(ctx(), next, 2, put("k", "new")))
	r.want(next, "k=new ")
}

func commit(t *testing.T, r *rig) {
	grants := r.all(r.node("a"))
	r.ok(r.Commit(ctx(), grants[0], 1, put("b", "1")))
	r.ok(r.Commit(ctx(), grants[0], 2, engine.Batch{}))
	r.ok(r.Commit(ctx(), grants[0], 3, put("a", "\x00\xff")))
	r.ok(r.Commit(ctx(), grants[1], 1, put("a", "other shard")))
	r.want(grants[0], "a=\x00\xff b=1 ")
	r.want(grants[1], "a=other shard ")
	if s := r.look().Shards[0]; s.Head != 3 {
		t.Fatalf("the head is %d", s.Head)
	}
}

// commitRepeats: the same number changes the shard once, and not any more when the next one is there.
func commitRepeats(_ *testing.T, r *rig) {
	g := r.all(r.node("a"))[0]
	for range 3 {
		r.ok(r.Commit(ctx(), g, 1, put("k", "one")))
	}
	r.ok(r.Commit(ctx(), g, 2, put("k", "two")))
	r.is(r.Commit(ctx(), g, 1, put("k", "one")), engine.ErrFenced)
	r.want(g, "k=two ")
	b := engine.Batch{Deletes: []engine.Range{{From: "k"}}, Puts: put("l", "three").Puts}
	for range 2 {
		r.ok(r.Commit(ctx(), g, 3, b))
	}
	r.want(g, "l=three ")
}

func commitFenced(_ *testing.T, r *rig) {
	a, b := r.node("a"), r.node("b")
	old := r.all(a)[0]
	r.ok(r.Commit(ctx(), old, 1, put("k", "1")))
	g, err := r.Claim(ctx(), b, a, 1)
	r.ok(err)
	both := engine.Batch{Deletes: []engine.Range{{}}, Puts: put("k", "late").Puts}
	for _, n := range []int64{1, 2} {
		r.is(r.Commit(ctx(), old, n, put("k", "late")), engine.ErrFenced)
		r.is(r.Commit(ctx(), old, n, both), engine.ErrFenced)
	}
	// Nor is an epoch enough that another node has by now.
	old.Epoch++
	r.is(r.Commit(ctx(), old, 2, put("k", "late")), engine.ErrFenced)
	r.is(r.Commit(ctx(), old, 2, both), engine.ErrFenced)
	r.is(r.Hand(ctx(), old, a), engine.ErrFenced)
	i := slices.IndexFunc(g, func(g engine.Grant) bool { return g.Shard == old.Shard })
	r.want(g[i], "k=1 ")
}

// commitOrClaim: what a claim does not show was not committed, however close the two come.
func commitOrClaim(t *testing.T, r *rig) {
	me := r.node("me")
	writer := r.store.Open(t)
	for i := range 6 {
		a := r.node(fmt.Sprint("a", i))
		grants := r.all(a)
		if i > 0 {
			var err error
			if grants, err = r.Claim(ctx(), a, me, int64(i)); err != nil {
				t.Fatal(err)
			}
			me = engine.NewNodeID("me")
			for n := 0; n <= i; n++ {
				r.ok(r.Beat(ctx(), engine.Node{ID: me}))
			}
		}
		g := grants[0]
		acknowledged := make(chan int64)
		go func() {
			n := g.Head
			for writer.Commit(ctx(), g, n+1, put("n", fmt.Sprint(n+1))) == nil {
				n++
			}
			acknowledged <- n
		}()
		taken, err := r.Claim(ctx(), me, a, 1)
		r.ok(err)
		i := slices.IndexFunc(taken, func(t engine.Grant) bool { return t.Shard == g.Shard })
		if n := <-acknowledged; n != taken[i].Head {
			t.Fatalf("%d was acknowledged, the claim shows %d", n, taken[i].Head)
		}
	}
}

func deletes(_ *testing.T, r *rig) {
	g := r.all(r.node("a"))[0]
	b := engine.Batch{}
	for _, k := range []string{"a", "b/1", "b/2", "b0", "c", "\xff", "\xff\xff"} {
		b.Add(put(k, "x"))
	}
	r.ok(r.Commit(ctx(), g, 1, b))
	r.ok(r.Commit(ctx(), g, 2, engine.Batch{Deletes: []engine.Range{engine.Prefix("b/")}}))
	r.want(g, "a=x b0=x c=x \xff=x \xff\xff=x ")
	r.ok(r.Commit(ctx(), g, 3, engine.Batch{
		Deletes: []engine.Range{engine.Prefix("\xff"), {From: "a", To: "b0"}}, Puts: put("a", "again").Puts,
	}))
	r.want(g, "a=again b0=x c=x ")
}

func limits(t *testing.T, r *rig) {
	g := r.all(r.node("a"))[0]
	big := func(n int) engine.Batch {
		var b engine.Batch
		for i := range n {
			b.Puts = append(b.Puts, engine.Put{Key: engine.Key(fmt.Sprint("k", i)),
				Value: engine.Value{Data: make([]byte, engine.MaxValue-2), Number: 1}})
		}
		return b
	}
	r.ok(r.Commit(ctx(), g, 1, big(8)))
	var size *engine.SizeError
	over := put("k", string(make([]byte, engine.MaxValue+1)))
	for _, b := range []engine.Batch{big(9), over, put(string(make([]byte, engine.MaxKey+1)), "")} {
		if err := r.Commit(ctx(), g, 2, b); !errors.As(err, &size) {
			t.Fatalf("got %v", err)
		}
	}
	r.ok(r.Commit(ctx(), g, 2, put("k", "")))
}

func readOrder(t *testing.T, r *rig) {
	g := r.all(r.node("a"))[0]
	var b engine.Batch
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(256) {
		b.Add(put(string([]byte{byte(i)}), "x"))
	}
	r.ok(r.Commit(ctx(), g, 1, b))
	var got []byte
	r.ok(r.Read(ctx(), g, "\x10", "\xf0", func(k engine.Key, _ engine.Value) error {
		got = append(got, k[0])
		return nil
	}))
	if len(got) != 0xe0 || got[0] != 0x10 || !slices.IsSorted(got) {
		t.Fatalf("read %x", got)
	}
}

func readStops(t *testing.T, r *rig) {
	g := r.all(r.node("a"))[0]
	b := put("a", "1")
	b.Add(put("b", "2"))
	r.ok(r.Commit(ctx(), g, 1, b))
	enough, n := errors.New("enough"), 0
	r.is(r.Read(ctx(), g, "", "", func(engine.Key, engine.Value) error { n++; return enough }), enough)
	if n != 1 {
		t.Fatalf("read on for %d values", n)
	}
	r.want(g, "a=1 b=2 ") // the connection is whole
}

// damage: no change of a stored value goes unnoticed, nor does one that is missing in a chain.
func damage(t *testing.T, r *rig) {
	g := r.all(r.node("a"))[0]
	var b engine.Batch
	for i := int64(1); i <= 3; i++ {
		b.Puts = append(b.Puts, engine.Put{Key: engine.Key(fmt.Sprint("f/", i)),
			Value: engine.Value{Data: []byte("data"), Number: i + 10, After: i + 9}})
	}
	b.Puts[0].After = 0
	r.ok(r.Commit(ctx(), g, 1, b))
	damaged := func(what, key string) {
		t.Helper()
		err := r.Read(ctx(), g, "", "", func(engine.Key, engine.Value) error { return nil })
		var d *engine.DamageError
		if !errors.As(err, &d) || d.Key != engine.Key(key) || d.Shard != g.Shard {
			t.Fatalf("%s: %v", what, err)
		}
	}
	var whole []byte
	put := func([]byte) []byte { return whole }
	r.store.Damage(g.Shard, "f/2", func(b []byte) []byte { whole = slices.Clone(b); return b })
	for i := range whole {
		r.store.Damage(g.Shard, "f/2", func(b []byte) []byte { b[i] ^= 0x10; return b })
		damaged(fmt.Sprint("byte ", i), "f/2")
		r.store.Damage(g.Shard, "f/2", put)
	}
	r.store.Damage(g.Shard, "f/2", func([]byte) []byte { return []byte{1, 2} })
	damaged("too short", "f/2")
	r.store.Damage(g.Shard, "f/2", func([]byte) []byte { return nil })
	damaged("one is missing", "f/3")
	r.store.Damage(g.Shard, "f/3", put)
	damaged("a whole value in another place", "f/3")
}

func restored(t *testing.T, r *rig) {
	g := r.all(r.node("a"))[0]
	r.ok(r.Commit(ctx(), g, 1, put("k", "1")))
	var old *engine.RestoredError
	if err := r.Commit(ctx(), g, 3, put("k", "3")); !errors.As(err, &old) || old.Head != 1 || old.Want != 2 {
		t.Fatalf("got %v", err)
	}
}

func notes(t *testing.T, r *rig) {
	want := func(version int64, value string) {
		t.Helper()
		if n, err := r.Note(ctx(), "n"); err != nil || n.Version != version || string(n.Value) != value {
			t.Fatalf("got %d %q, %v", n.Version, n.Value, err)
		}
	}
	want(0, "")
	r.is(r.SetNote(ctx(), "n", 1, []byte("x")), engine.ErrStale)
	r.ok(r.SetNote(ctx(), "n", 0, []byte("one")))
	r.is(r.SetNote(ctx(), "n", 0, []byte("again")), engine.ErrStale)
	r.ok(r.SetNote(ctx(), "n", 1, []byte("two")))
	r.is(r.SetNote(ctx(), "n", 1, []byte("late")), engine.ErrStale)
	want(2, "two")
	if n, err := r.Note(ctx(), "other"); err != nil || n.Value != nil {
		t.Fatalf("another note: %+v, %v", n, err)
	}
}

// archive: what is taken out is one moment's, and what replaces it comes whole or not at all.
func archive(t *testing.T, r *rig) {
	store := r.Engine.(engine.Archive)
	a := r.node("a")
	grants := r.all(a)
	g := grants[1]
	r.ok(r.Commit(ctx(), grants[2], 1, put("k", "1")))
	r.ok(r.Commit(ctx(), grants[2], 2, put("m", "1")))
	r.ok(r.Commit(ctx(), g, 1, put("k", "1")))
	r.ok(r.Commit(ctx(), g, 2, put("l", "1")))
	r.ok(r.SetNote(ctx(), "n", 0, []byte("old")))
	r.ok(store.Snapshot(ctx(), func(c engine.Contents) error {
		if s := c.Shards(); len(s) != 4 || s[1].Head != 2 || s[1].Owner != a {
			t.Fatalf("shards %+v", s)
		}
		other := r.store.Open(t)
		r.ok(other.Commit(ctx(), g, 3, put("l", "2")))
		p, text := engine.SliceOf(ctx(), c, 1), ""
		r.ok(p.Read(ctx(), "", "", func(k engine.Key, v engine.Value) error {
			text += fmt.Sprintf("%s=%s ", k, v.Data)
			return nil
		}))
		all := ""
		r.ok(c.ReadAll(ctx(), engine.Range{From: "k", To: "m"}, func(shard int, k engine.Key, v engine.Value) error {
			all += fmt.Sprintf("%d %s=%s ", shard, k, v.Data)
			return nil
		}))
		if want := "1 k=1 1 l=1 2 k=1 "; all != want {
			t.Fatalf("all shards have %q, want %q", all, want)
		}
		if n, err := c.Note(ctx(), "n"); text != "k=1 l=1 " || string(n) != "old" || err != nil {
			t.Fatalf("the snapshot has %q, note %q, %v", text, n, err)
		}
		return nil
	}))
	fill := func(c engine.Contents) error {
		p := engine.SliceOf(ctx(), c, 1)
		for _, b := range []engine.Batch{put("x", "1"), put("y", "1"),
			{Deletes: []engine.Range{{From: "x", To: "y"}}, Puts: put("z", "1").Puts}} {
			b.Puts[0].Number = p.Number()
			p.Commit(b, r.ok)
		}
		if b := put("w", "1"); true {
			p.Commit(b, r.ok)
			p.Commit(engine.Batch{Deletes: []engine.Range{{From: "z"}}}, r.ok)
		}
		r.ok(c.SetNote(ctx(), "n", []byte("a")))
		return c.SetNote(ctx(), "n", []byte("new"))
	}
	var alive *engine.AliveError
	if err := store.Replace(ctx(), fill); !errors.As(err, &alive) || alive.Nodes[0] != a {
		t.Fatalf("while a node runs: %v", err)
	}
	_, err := r.Claim(ctx(), engine.Nobody, a, 1)
	r.ok(err)
	failed := errors.New("no more")
	r.is(store.Replace(ctx(), func(c engine.Contents) error { return errors.Join(fill(c), failed) }), failed)
	r.want(g, "k=1 l=2 ")
	r.ok(store.Replace(ctx(), fill))
	r.want(g, "w=1 y=1 ")
	if n, err := r.Note(ctx(), "n"); err != nil || string(n.Value) != "new" {
		t.Fatalf("the note is %q, %v", n.Value, err)
	}
	r.is(r.Commit(ctx(), g, 4, put("k", "late")), engine.ErrFenced)
	if s := r.look().Shards[1]; s.Owner != engine.Nobody || s.Epoch != 3 || s.Head != 4 {
		t.Fatalf("shard %+v", s)
	}
	if g := r.all(r.node("b")); len(g) != 4 {
		t.Fatalf("granted %v", g)
	}
}

// model compares a shard with a map under random batches.
func model(t *testing.T, r *rig) {
	g := r.all(r.node("a"))[0]
	rng := rand.New(rand.NewPCG(7, 7))
	key := func() engine.Key { return engine.Key(fmt.Sprintf("%c%c", 'a'+rng.IntN(3), 'a'+rng.IntN(8))) }
	want := map[engine.Key]string{}
	for n := int64(1); n <= 30; n++ {
		var b engine.Batch
		for range 1 + rng.IntN(3) { // what waits is put together
			var next engine.Batch
			if rng.IntN(3) == 0 {
				cut := engine.Range{From: key(), To: key()}
				next.Deletes = append(next.Deletes, cut)
				maps.DeleteFunc(want, func(k engine.Key, _ string) bool { return cut.Has(k) })
			}
			for i := range rng.IntN(4) {
				k, data := key(), fmt.Sprint(n, i)
				next.Add(put(string(k), data))
				want[k] = data
			}
			b.Add(next)
		}
		r.ok(r.Commit(ctx(), g, n, b))
		text := ""
		for _, k := range slices.Sorted(maps.Keys(want)) {
			text += fmt.Sprintf("%s=%s ", k, want[k])
		}
		r.want(g, text)
	}
}
