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
