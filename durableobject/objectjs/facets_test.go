package objectjs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// CL14: a facet has a class, props and a database of its own, lives with its parent, and can be dropped.
func TestFacets(t *testing.T) {
	facts(t, config{classes: []string{"Parent"}}, script("facets.js"), [][2]string{
		{"both", `parent,child,{"p":1},facet,`},
		{"abort", "Error: why durableObjectReset|kept|0"},
		{"delete", "undefined"},
		{"refuse", "TypeError: Facet name is too long (max 256 characters).|TypeError: Incorrect type for the " +
			"'class' field on 'StartupOptions': the provided value is not of type 'DurableObjectClass'. " +
			"remote|Error: alarms are not yet implemented for SQLite-backed Durable Objects durableObjectReset"},
	})
}

// CL14: files are numbered in the order of first use, at any depth; four levels are the limit; the id is the parent's
// or what the start callback says; deleteAll of the object takes its facets along.
func TestFacetTree(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"Parent", "Other"}}, prelude+script("facets_facet_tree.js"))
	for _, c := range [][2]string{
		{"tree", "bottom"},
		{"tooDeep", "thrown Error: Facet nesting depth limit exceeded. The maximum depth including the root Durable " +
			"Object is 4. remote"},
		{"ids", ",own,ids,object|,abc,,string|,other,o,object"},
		{"namespaced", "a class with a namespace"},
		{"deleted", "Error: Facet was deleted. durableObjectReset|,own,deleted,object|,own,deleted,object"},
		{"wiped", ",own,wiped,object"},
		{"refuse", "TypeError: Facet name cannot be empty.|TypeError: Facet name is too long (max 256 " +
			"characters).|TypeError: Facet name is too long (max 256 characters)."},
	} {
		got, _, _ := strings.Cut(b.get(w, "/"+c[0]), "\n")
		for _, name := range []string{"deleted", "wiped"} {
			got = strings.ReplaceAll(got, b.objs.ID("w-Parent", name), "own")
		}
		if got != c[1] {
			t.Errorf("%s\n got: %s\nwant: %s", c[0], got, c[1])
		}
	}
	id := b.objs.ID("w-Parent", "tree")
	files, err := filepath.Glob(filepath.Join(b.root, "v3/do/w-Parent", id+"*.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		files[i] = strings.TrimPrefix(filepath.Base(f), id)
	}
	if want := []string{".1.sqlite", ".2.sqlite", ".3.sqlite", ".4.sqlite"}; !slices.Equal(files, want) {
		t.Errorf("files %v, want %v", files, want)
	}
	if _, err := os.Stat(filepath.Join(b.root, "v3/do/w-Parent", id+".facets")); err != nil {
		t.Error(err)
	}
	// A facet with hibernatable sockets hibernates (WS17); its parent, without which it could not be woken, stays.
	b.clock.WaitIdle(t.Context())
	b.clock.Pause()
	ws, other := b.dial(w, "/socket"), b.dial(w, "/socket")
	b.talk(ws, "hello", "facet hello 1 of 1 tag parent 1")
	b.talk(ws, "again", "facet again 1 of 1 tag parent 1")
	b.clock.Advance(t.Context(), 11*time.Second)
	b.talk(ws, "later", "facet later 2 of 1 tag parent 1")
	b.clock.Advance(t.Context(), 11*time.Second)
	if state := b.state("w-Parent", "socket"); state != "running" {
		t.Errorf("the parent is %s", state)
	}
	b.expect(w, "/dropSocket", "dropped") // while it hibernates
	if got := b.next(ws) + b.next(other); got != "lostlost" {
		t.Errorf("dropped: %s", got)
	}
	b.clock.Advance(t.Context(), 11*time.Second)
	if state := b.state("w-Parent", "socket"); state != "" {
		t.Errorf("without sockets the parent is still %s", state)
	}
}

// state is what an object is doing, "" for one that is neither in memory nor stored.
func (b *bench) state(key, name string) string {
	b.t.Helper()
	d, err := b.objs.Show(context.Background(), key, name)
	if err != nil && !errors.Is(err, ErrNoObject) {
		b.t.Fatal(err)
	}
	return d.State
}
