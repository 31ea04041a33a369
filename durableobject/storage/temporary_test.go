package storage_test

import (
	"testing"

	"eddy/durableobject/storage"
)

// A Store of a temporary namespace keeps its file open when it is released, and what was committed is there for the
// next Namespace; what was not committed is lost.
func TestTemporary(t *testing.T) {
	dir := t.TempDir()
	open := func() *storage.Namespace {
		ns, err := storage.OpenNamespace(dir, storage.Options{Temporary: true, Durability: storage.Relaxed})
		must(t, err)
		return ns
	}
	ns := open()
	first := ns.Store(id(1))
	put(t, first, "a")
	must(t, first.Commit())
	first.Release()
	if n := ns.OpenFiles(); n != 1 {
		t.Errorf("%d files are open, expected that of the released Store", n)
	}
	put(t, first, "b")
	first.Close()
	second := ns.Store(id(1))
	if got := keys(t, second, storage.ListOptions{}); got != "a" {
		t.Errorf("after a write that was not committed there is %q", got)
	}
	put(t, second, "c")
	must(t, second.Commit())
	must(t, ns.Close())
	again := open()
	if got := keys(t, again.Store(id(1)), storage.ListOptions{}); got != "a c" {
		t.Errorf("the next Namespace has %q", got)
	}
	must(t, again.Close())
}
