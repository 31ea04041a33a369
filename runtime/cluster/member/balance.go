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
	places := m.placesLocked(takers)
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
		if s.ending || !s.gained || !m.validLocked() {
			continue
		}
		if to := places[id]; to == m.o.Node.ID || m.returnedLocked(s.grant, to) {
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

// gift is how often this node has handed a shard to another one, which has handed it back each time but the last.
type gift struct {
	to    engine.NodeID
	epoch int64 // that the shard has had from the last time on
	times int
}

// giving is how often a shard that comes back is handed over again. Once it may come back because the other node has
// seen something else for a moment.
const giving = 3

// returnedLocked is called with mu held and tells whether a node to which this one has handed the shard has handed it
// back again and again, while the takers were the same: its version of eddy has other places, and the shard would go to
// and fro for as long as both run. Each time a shard is handed over its epoch rises by one.
func (m *Member) returnedLocked(g engine.Grant, to engine.NodeID) bool {
	gave := m.gave[g.Shard]
	return gave.to == to && gave.epoch+1 == g.Epoch && gave.times >= giving
}

// gaveLocked is called with mu held and notes that a shard is handed over.
func (m *Member) gaveLocked(g engine.Grant, to engine.NodeID) {
	gave := m.gave[g.Shard]
	times := 1
	switch {
	case gave.to != to:
	case gave.epoch == g.Epoch+1: // again, as the outcome was unknown
		return
	case gave.epoch+1 == g.Epoch:
		times += gave.times
	}
	m.gave[g.Shard] = gift{to, g.Epoch + 1, times}
}

// handLocked is called with mu held and gives the shard away as soon as its last batch is kept. Its number goes to the
// node that is right by now.
func (s *Shard) handLocked() {
	m := s.m
	if !s.closing || !s.ending || s.lost || s.flying || len(s.queue) > 0 || m.leaving {
		return
	}
	to := m.placesLocked(m.takers())[s.grant.Shard]
	if to == m.o.Node.ID || to == engine.Nobody {
		// Nobody else lives: the shard is free, and this node or another one claims it again.
		to = engine.Nobody
	}
	s.flying = true
	m.gaveLocked(s.grant, to)
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

// placesLocked is called with mu held and gives the node of each shard, as of takers and the last look. All nodes that
// have seen the same come to the same.
func (m *Member) placesLocked(takers []engine.NodeID) []engine.NodeID {
	shards := len(m.view.Shards)
	if len(m.placed.at) != shards || !slices.Equal(m.placed.takers, takers) {
		m.placed = placed{takers, m.places(takers, shards)}
		clear(m.gave)
	}
	return m.placed.at
}

// placed is where shards belong while takers are the ones.
type placed struct{ takers, at []engine.NodeID }

// Places gives the node among takers that should own each shard, by rendezvous hashing of names with a bound: a shard
// goes to the node that has the highest score for it and is not full, so that no node has two shards more than another
// one, and few shards move beside those of a node that comes or goes. The last shard, that of the queues, is placed
// first: it moves only with its node.
func Places(takers []engine.NodeID, shards int) []engine.NodeID {
	at := make([]engine.NodeID, shards) // Nobody, if there are no takers
	if len(takers) == 0 {
		return at
	}
	each, more := shards/len(takers), shards%len(takers) // so many may have one more
	has := make([]int, len(takers))
	for n := range shards {
		shard := (n + shards - 1) % shards
		best, most := -1, uint64(0)
		for i, id := range takers {
			if has[i] > each || has[i] == each && more == 0 {
				continue
			}
			if x := score(id, shard); best < 0 || x > most {
				best, most = i, x
			}
		}
		if has[best] == each {
			more--
		}
		has[best]++
		at[shard] = takers[best]
	}
	return at
}

// score is how much a node should have a shard.
func score(id engine.NodeID, shard int) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte{byte(shard >> 8), byte(shard)}) // a hash takes all
	_, _ = h.Write([]byte(id.Name()))
	// FNV's high bits hardly differ for short texts: mix them (the finalizer of MurmurHash3).
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return x
}
