package member

import (
	"errors"
	"hash/fnv"
	"maps"
	"slices"

	"eddy/runtime/cluster/engine"
)

// handing is how many shards are handed over at a time. Each of them is silent meanwhile: a moment, or as long as what
// runs there takes to end.
const handing = 8

// balanceLocked is called with mu held and begins to hand over shards that belong elsewhere, a few at a time.
func (m *Member) balanceLocked() {
	takers := m.takers()
	if len(takers) == 0 { // the last look has failed
		return
	}
	ids := slices.Sorted(maps.Keys(m.shards))
	under := 0
	for _, id := range ids {
		if m.shards[id].ending {
			under++
			m.shards[id].handLocked()
		}
	}
	for _, id := range ids {
		s := m.shards[id]
		if under >= handing {
			return
		}
		if s.ending || !s.gained || !m.validLocked() || Place(takers, id) == m.o.Node.ID {
			continue
		}
		under++
		s.ending = true
		ready := func() { m.do(func() { s.closing = true; s.handLocked() }) }
		if tell := m.o.Events.Handing; tell != nil {
			m.emitLocked(func() { tell(s, ready) })
		} else {
			m.emitLocked(ready)
		}
	}
}

// handLocked is called with mu held and gives the shard away as soon as its last batch is kept. Its number goes to the
// node that is right by now.
func (s *Shard) handLocked() {
	m := s.m
	if !s.closing || !s.ending || s.lost || s.flying || len(s.queue) > 0 || m.leaving {
		return
	}
	to := Place(m.takers(), s.grant.Shard)
	if to == m.o.Node.ID || to == engine.Nobody {
		// Nobody else lives: the shard is free, and this node or another one claims it again.
		to = engine.Nobody
	}
	s.flying = true
	m.calls.hand(s.grant, to, func(err error) {
		m.do(func() {
			s.flying = false
			if err != nil && !errors.Is(err, engine.ErrFenced) {
				return // unknown: the next look shows another owner, or hands it over again
			}
			m.loseLocked(s, nil)
			m.changedLocked()
			m.leaveLocked()
			if m.phase == alive && !m.leaving {
				m.balanceLocked() // the next one need not wait for a look
			}
		})
	})
}

// Place is the node among takers that should own a shard, by rendezvous hashing of names.
func Place(takers []engine.NodeID, shard int) engine.NodeID {
	best, most := engine.Nobody, uint64(0)
	for _, id := range takers {
		h := fnv.New64a()
		_, _ = h.Write([]byte{byte(shard >> 8), byte(shard)})
		_, _ = h.Write([]byte(id.Name()))
		// FNV's high bits hardly differ for short texts: mix them (the finalizer of MurmurHash3).
		x := h.Sum64()
		x ^= x >> 33
		x *= 0xff51afd7ed558ccd
		x ^= x >> 33
		if x >= most {
			best, most = id, x
		}
	}
	return best
}
