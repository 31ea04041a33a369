package objects

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"eddy/durableobject/storage"
	"eddy/runtime/cluster/engine"
)

// unopened is a keeper that cannot open one of an object's files for a while, as in a process that has too many open.
type unopened struct {
	storage.Keeper
	suffix string // of the file; "none" if all can be opened
}

func (k *unopened) Keep(c storage.Commit, done func(error)) {
	path := c.Path + k.suffix
	away := os.Rename(path, path+".away") == nil
	k.Keeper.Keep(c, done)
	if away {
		if err := os.Rename(path+".away", path); err != nil {
			panic(err)
		}
	}
}

// A node that cannot read what an object has committed does not keep it, and nobody is told of it, neither by the
// object as it is nor by the one that is made after a reset, until it is kept: the next node finds what is told.
func TestCommitThatCannotBeRead(t *testing.T) {
	for _, begin := range []string{"anew", "there", "long"} {
		for _, suffix := range []string{"", "-wal"} {
			for _, how := range []string{"synced", "released", "closed"} {
				for _, reset := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, %s%s, reset %t", begin, how, suffix, reset), func(t *testing.T) {
						unreadCommit(t, begin, suffix, how, reset)
					})
				}
			}
		}
	}
}

func unreadCommit(t *testing.T, begin, suffix, how string, reset bool) {
	w := newWorld(t, engine.NewMemory(3), "first")
	k := &unopened{Keeper: w.shipped.Keeper(key), suffix: "none"}
	var err error
	if w.ns, err = storage.OpenNamespace(w.dir, storage.Options{Keeper: k, Faults: &w.faults}); err != nil {
		t.Fatal(err)
	}
	s := w.bring(id)
	want := map[string]string{}
	put := func(k, v string) {
		t.Helper()
		if err := errors.Join(s.Put(k, []byte(v)), s.Commit()); err != nil {
			t.Fatal(err)
		}
		want[k] = v
	}
	if begin != "anew" {
		put("before", "1")
		w.keep(s)
	}
	size := 9
	if begin == "long" { // it is folded after the commit
		size = foldBytes
	}
	k.suffix = suffix
	put("unread", strings.Repeat("x", size))
	failed := make(chan error, 1)
	switch how {
	case "synced":
		s.Sync(func(err error) { failed <- err })
	case "released":
		s.Release()
		failed <- nil
	case "closed":
		s.Close()
		failed <- nil
	}
	if reset || how == "closed" {
		s.Close()
		s = w.ns.Store(id)
	}
	// As long as the file cannot be opened, what is told must be kept, too.
	told := make(chan error, 1)
	got := contents(t, s)
	s.Sync(func(err error) { told <- err })
	if <-told == nil && <-failed == nil {
		if found := contents(t, w.next("second").bring(id)); !maps.Equal(found, got) {
			t.Fatalf("%.60v was told, the next node finds %.60v", got, found)
		}
	}
	k.suffix = "none"
	if s.Broken() != nil {
		s.Close()
		s = w.ns.Store(id)
	}
	got = contents(t, s)
	w.keep(s)
	if !maps.Equal(got, want) {
		t.Errorf("there is %.60v, want %.60v", got, want)
	}
	if found := contents(t, w.next("third").bring(id)); !maps.Equal(found, got) {
		t.Fatalf("%.60v was told, the third node finds %.60v", got, found)
	}
	put("after", "2")
	w.keep(s)
	if found := contents(t, w.next("fourth").bring(id)); !maps.Equal(found, want) {
		t.Fatalf("%.60v was told, the fourth node finds %.60v", want, found)
	}
}

// The whole of a large database comes in several batches, also where no log that is kept has what it has. A node that
// is lost between them leaves what was there before.
func TestPartOfAWholeDatabase(t *testing.T) {
	e := &watched{Memory: engine.NewMemory(3)}
	w := newWorldThrough(t, e.Memory, e, "first")
	k := &unopened{Keeper: w.shipped.Keeper(key), suffix: "none"}
	var err error
	if w.ns, err = storage.OpenNamespace(w.dir, storage.Options{Keeper: k}); err != nil {
		t.Fatal(err)
	}
	s := w.bring(id)
	write := func(s *storage.Store, n int, letter string) {
		t.Helper()
		for i := range n {
			if err := s.Put(fmt.Sprint(i), []byte(strings.Repeat(letter, 300_000))); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	write(s, 30, "a")
	w.keep(s)
	states := []map[string]string{contents(t, s)}
	for round, n := range []int{30, 20} {
		e.mu.Lock()
		before := len(e.copies)
		e.mu.Unlock()
		k.suffix = "-wal"
		write(s, n, string(rune('b'+round)))
		s.Sync(func(error) {})
		k.suffix = "none"
		s.Close()
		s = w.ns.Store(id)
		w.keep(s)
		states = append(states, contents(t, s))
		e.mu.Lock()
		copies := e.copies[before:]
		e.mu.Unlock()
		if len(copies) < 2 {
			t.Fatalf("%d batches are too few to see anything", len(copies))
		}
		for i, c := range copies {
			w.engine = c
			other := w.next("second")
			found := other.bring(id)
			want := states[round]
			if i == len(copies)-1 {
				want = states[round+1]
			}
			if got := contents(t, found); !maps.Equal(got, want) {
				t.Fatalf("round %d, after batch %d of %d there are %d keys, which is no state that was kept",
					round, i+1, len(copies), len(got))
			}
			write(found, 3, "z")
			other.keep(found)
			want = contents(t, found)
			if got := contents(t, other.next("third").bring(id)); !maps.Equal(got, want) {
				t.Fatalf("round %d, after batch %d and more there are %d keys, want %d",
					round, i+1, len(got), len(want))
			}
		}
	}
	if n := len(w.keys(t, "e/")) + len(w.keys(t, "E/")); n > 160 {
		t.Errorf("%d extents are kept", n)
	}
}

// keys are those that are kept with a prefix.
func (w *world) keys(t *testing.T, prefix engine.Key) (keys []engine.Key) {
	t.Helper()
	all := engine.Prefix(prefix)
	for shard := range 2 {
		if err := w.engine.Read(t.Context(), engine.Grant{Shard: shard}, all.From, all.To,
			func(k engine.Key, _ engine.Value) error { keys = append(keys, k); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}
