package storage

import (
	"errors"
	"maps"
	"sync"
	"sync/atomic"
)

// rest is what a Store leaves to the next one of its object if it is closed before all that it has committed is known
// to be safe, because what the object did has failed, or was ended: nobody may be told what the next one reads before
// that is safe.
type rest struct {
	created, changed bool
	syncs            *syncs
}

// leaveRest is for a Store that was closed.
func (s *Store) leaveRest() {
	r := rest{created: s.created, changed: s.changed, syncs: s.syncs}
	if !r.wanted() {
		return
	}
	ns := s.ns
	if len(ns.rests) >= ns.sweepRests {
		maps.DeleteFunc(ns.rests, func(_ string, r rest) bool { return !r.wanted() })
		ns.sweepRests = 2*len(ns.rests) + 64
	}
	ns.rests[s.id] = r
}

func (r rest) wanted() bool { return r.created || r.changed || r.syncs.some() }

// inherit is for a Store that was made.
func (s *Store) inherit() {
	r, ok := s.ns.rests[s.id]
	if !ok {
		return
	}
	delete(s.ns.rests, s.id)
	s.syncs, s.created, s.changed = r.syncs, r.created, r.created || r.changed
	s.inherited = s.changed
	s.again()
}

// syncs are those of an object, whichever of its Stores has begun them.
type syncs struct {
	running atomic.Int32 // those that have not called back
	failed  atomic.Int32 // how many have failed
	owed    atomic.Bool  // one has failed, and what it was to make safe is in no other one

	mu             sync.Mutex // guards what follows: what those that have failed were for
	created, index bool
}

// some tells whether any run, or what they were for may not be safe.
func (y *syncs) some() bool { return y.running.Load() > 0 || y.owed.Load() }

// begin is for one that begins, for a file that was made or removed, and for the index of alarms. It gives what hears
// how it has ended, and gives the error to tell: one that ran beside a Sync that has failed is no better.
func (y *syncs) begin(created, index bool) (ended func(error) error) {
	y.running.Add(1)
	failed := y.failed.Load()
	return func(err error) error {
		if err != nil {
			y.mu.Lock()
			y.created, y.index = y.created || created, y.index || index
			y.mu.Unlock()
			y.failed.Add(1)
			y.owed.Store(true)
		} else if y.failed.Load() != failed {
			err = errEarlier
		}
		y.running.Add(-1) // only now nothing is some
		return err
	}
}

var errEarlier = errors.New("an earlier change of the object could not be made safe")

// again takes what Syncs that have failed were for: the next one is for that, too.
func (s *Store) again() {
	y := s.syncs
	if !y.owed.Load() {
		return
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	y.owed.Store(false)
	s.changed = true
	s.inherited = s.inherited || s.handle == nil // with an open file all that was committed is still in the log
	s.created, s.alarm.indexChanged = s.created || y.created, s.alarm.indexChanged || y.index
	y.created, y.index = false, false
}
