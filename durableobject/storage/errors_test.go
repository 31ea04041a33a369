package storage_test

import (
	"errors"
	"strings"
	"testing"

	"eddy/durableobject/storage"
	"eddy/runtime/sqlite"
)

// keeps keeps everything at once.
type keeps struct{}

func (keeps) Keep(_ storage.Commit, done func(error)) { done(nil) }

func (keeps) KeepFacet(string, int, []byte) {}

// A file that is a cache is not named: who hears of it is on another machine. The call may be made again (RPC17).
func TestFullCache(t *testing.T) {
	var f sqlite.Faults
	dir := t.TempDir()
	ns, err := storage.OpenNamespace(dir, storage.Options{Faults: &f, Keeper: keeps{}})
	must(t, err)
	defer func() { must(t, ns.Close()) }()
	s := ns.Store(objectID)
	put(t, s, "before")
	must(t, s.Commit())
	f.SetFull(true)
	put(t, s, "during")
	err = s.Commit()
	var broken *storage.BrokenError
	if !errors.As(err, &broken) || !broken.Passing() || strings.Contains(err.Error(), dir) ||
		!strings.Contains(err.Error(), "database or disk is full: SQLITE_FULL") {
		t.Errorf("a full disk: %v", err)
	}
	if here := (&storage.BrokenError{Path: dir, Err: broken.Err}); here.Passing() {
		t.Error("a full disk of the only machine is not over when the caller tries again")
	}
	f.SetFull(false)
	s.Close()
}
