package objectjs

import (
	"sync/atomic"
	"testing"

	"eddy/durableobject/storage"
)

// oneNode is a cluster whose only node has all objects.
type oneNode struct{ brought atomic.Int32 }

func (*oneNode) Here(string, string) bool                     { return true }
func (*oneNode) Keeper(string) storage.Keeper                 { return keptAtOnce{} }
func (*oneNode) Valid() bool                                  { return true }
func (*oneNode) Each() bool                                   { return false }
func (*oneNode) Confirm(_, _ string, done func(error))        { done(nil) }
func (*oneNode) Present(_, _ string) bool                     { return false }
func (c *oneNode) Bring(_, _, _ string, done func(err error)) { c.brought.Add(1); done(nil) }

type keptAtOnce struct{}

func (keptAtOnce) Keep(_ storage.Commit, done func(error)) { done(nil) }

func (keptAtOnce) KeepFacet(string, int, []byte) {}

// In a cluster a connection waits as a call does until the object's file is on the node: without it the object would
// begin with nothing stored.
func TestConnectBringsTheObject(t *testing.T) {
	c := &oneNode{}
	b := newBenchAt(t, t.TempDir(), Options{Cluster: c})
	w := b.start(config{classes: []string{"L"}}, prelude+script("connect_brings_the_object.js"))
	b.expect(w, "/connect", "hello")
	if n := c.brought.Load(); n != 1 {
		t.Errorf("the object was brought %d times", n)
	}
}
