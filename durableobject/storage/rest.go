package storage

import (
	"maps"
	"sync/atomic"
)

// rest is what a Store leaves to the next one of its object if it is closed before all that it has committed is known
// to be safe, because what the object did has failed, or was ended: nobody may be told what the next one reads before
// that is safe.
type rest struct {
	created, changed bool
	syncing          *atomic.Int32
}

// leaveRest is for a Store that was closed.
func (s *Store) leaveRest() {
	r := rest{created: s.created, changed: s.changed, syncing: s.syncing}
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

func (r rest) wanted() bool { return r.created || r.changed || r.syncing.Load() > 0 }

// inherit is for a Store that was made.
func (s *Store) inherit() {
	r, ok := s.ns.rests[s.id]
	if !ok {
		return
	}
	delete(s.ns.rests, s.id)
	s.syncing, s.created, s.changed = r.syncing, r.created, r.created || r.changed
	s.inherited = s.changed
}
