package storage_test

import (
	"errors"
	"testing"
	"time"

	"eddy/durableobject/storage"
	"eddy/runtime/sqlite"
)

// Every Sync calls back once; with nothing to wait for, at once.
func TestSync(t *testing.T) {
	for _, d := range []storage.Durability{storage.Strict, storage.Relaxed} {
		s := store(t, storage.Options{Durability: d})
		direct := false
		s.Sync(func(err error) { direct = err == nil })
		if !direct {
			t.Error("nothing to sync, and no answer")
		}
		const n = 50
		done := make(chan error, n)
		for range n {
			put(t, s, "k")
			must(t, s.SetAlarm(time.Unix(1_000_000_000, 0)))
			must(t, s.Commit())
			s.Sync(func(err error) { done <- err })
		}
		for range n {
			must(t, <-done)
		}
	}
}

// A Sync without new commits waits for the one that is under way.
func TestSyncJoinsTheOneUnderWay(t *testing.T) {
	s := store(t, storage.Options{})
	put(t, s, "k")
	must(t, s.Commit())
	var order []string
	first, second := make(chan struct{}), make(chan struct{})
	s.Sync(func(error) { order = append(order, "first"); close(first) })
	s.Sync(func(error) { <-first; order = append(order, "second"); close(second) })
	<-second
	if len(order) != 2 || order[0] != "first" {
		t.Errorf("order %v", order)
	}
}

// Callbacks come before Close returns.
func TestCloseWaitsForSync(t *testing.T) {
	ns, err := storage.OpenNamespace(t.TempDir(), storage.Options{})
	must(t, err)
	answer := errors.New("none")
	for i := range 20 {
		s := ns.Store(id(i))
		put(t, s, "k")
		must(t, s.Commit())
		if i == 19 {
			s.Sync(func(err error) { answer = err })
		} else {
			s.Sync(func(error) {})
		}
	}
	must(t, ns.Close())
	must(t, answer)
}

// After a Sync that failed nobody is told what it was for, by the same Store or the next one of its object, until one
// for the same has succeeded; nor is who asked while it ran, and nothing has changed for him.
func TestSyncFailed(t *testing.T) {
	var f sqlite.Faults
	ns, err := storage.OpenNamespace(t.TempDir(), storage.Options{Faults: &f})
	must(t, err)
	sync := func(s *storage.Store) error {
		done := make(chan error, 1)
		s.Sync(func(err error) { done <- err })
		return <-done
	}
	s := ns.Store(id(1))
	for _, reset := range []bool{false, true} {
		put(t, s, "k")
		must(t, s.SetAlarm(time.Unix(1_000_000_000, 0)))
		must(t, s.Commit())
		stalled := make(chan struct{}, 10)
		resume := f.StallSyncs(func() { stalled <- struct{}{} })
		beside := make(chan error, 2)
		s.Sync(func(err error) { f.FailSyncs(false); beside <- err }) // the disk recovers as soon as one has failed
		<-stalled
		s.Sync(func(err error) { beside <- err })
		f.FailSyncs(true)
		resume()
		for range 2 {
			if <-beside == nil {
				t.Error("a sync that failed, or one beside it, was told as done")
			}
		}
		f.FailSyncs(true)
		if reset {
			s.Close()
			s = ns.Store(id(1))
		}
		for range 2 {
			if sync(s) == nil {
				t.Error("what no sync has made durable was told")
			}
		}
		f.FailSyncs(false)
		must(t, sync(s))
		f.FailSyncs(true)
		must(t, sync(s)) // nothing is owed any more
		f.FailSyncs(false)
	}
	must(t, ns.Close())
}
