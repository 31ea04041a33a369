package member

import (
	"errors"
	"maps"
	"slices"

	"eddy/runtime/cluster/engine"
)

// lookLocked is called with mu held.
func (m *Member) lookLocked() {
	if m.phase != alive || m.looking || m.leaving {
		return
	}
	m.looking = true
	m.looks++
	number, floors := m.looks, m.floorsLocked()
	m.calls.look(func(v engine.View, err error) {
		m.do(func() {
			m.looking = false
			switch {
			case m.phase != alive || m.leaving:
			case err != nil:
				// Beats may have been missed: what was seen before is counted anew.
				clear(m.nodes)
			case v.Restored != "":
				m.endLocked(&engine.MarkedError{Mark: v.Restored})
			default:
				if err := behind(v, floors); err != nil {
					m.restoredLocked(err)
					return
				}
				m.seenLocked(v, number)
			}
		})
	})
}

// Look looks now: somebody has heard that there is something to see.
func (m *Member) Look() { m.do(m.lookLocked) }

// seenLocked is called with mu held and takes up the look of that number.
func (m *Member) seenLocked(v engine.View, number int) {
	m.view = v
	now := m.o.Clock.Now()
	nodes := map[engine.NodeID]*observed{}
	for _, n := range v.Nodes {
		o := m.nodes[n.ID]
		if o == nil || o.Beat != n.Beat {
			o = &observed{n, now}
		}
		o.Seen = n // it may be drained between two beats
		nodes[n.ID] = o
	}
	m.nodes = nodes
	takes := m.validLocked() && m.takesLocked()
	for _, n := range v.Nodes {
		if takes && n.ID != m.o.Node.ID && m.deadLocked(nodes[n.ID], now) {
			m.claimLocked(m.o.Node.ID, n.ID, n.Beat)
		}
	}
	free := false
	for _, s := range v.Shards {
		m.seenShardLocked(s, number)
		_, owned := nodes[s.Owner]
		free = free || !owned && s.Owner != m.o.Node.ID
	}
	if free && takes {
		m.claimLocked(m.o.Node.ID, engine.Nobody, 0)
	}
	m.balanceLocked()
	if tell := m.o.Events.Seen; tell != nil {
		m.emitLocked(func() { tell(v) })
	}
}

// seenShardLocked is called with mu held. What a look shows may be older than what this node has learnt since it was
// begun, so it must show a newer epoch, or have been begun after that.
func (m *Member) seenShardLocked(s engine.Holding, number int) {
	if mine := m.shards[s.ID]; mine != nil {
		if s.Epoch > mine.grant.Epoch {
			m.loseLocked(mine, engine.ErrFenced)
		}
	}
	old := m.known[s.ID]
	if s.Owner == m.o.Node.ID && m.shards[s.ID] == nil && (s.Epoch > old.epoch || number > old.looks) {
		m.takeLocked(engine.Grant{Shard: s.ID, Epoch: s.Epoch, Owner: s.Owner, Head: s.Head}, true)
	}
}

// claimLocked is called with mu held. An outcome that stays unknown shows in the next look.
func (m *Member) claimLocked(me, dead engine.NodeID, beat int64) {
	if m.claiming[dead] || m.leaving {
		return
	}
	m.claiming[dead] = true
	m.calls.claim(me, dead, beat, func(grants []engine.Grant, err error) {
		m.do(func() {
			delete(m.claiming, dead)
			if m.phase == ended || m.leaving {
				return
			}
			if errors.Is(err, engine.ErrEnded) {
				m.endLocked(err)
				return
			}
			if err == nil && m.phase == joining {
				m.rival = nil
				m.beatLocked()
			}
			if err != nil || me != m.o.Node.ID {
				return
			}
			for _, g := range grants {
				if m.shards[g.Shard] == nil && g.Epoch > m.known[g.Shard].epoch {
					m.takeLocked(g, false)
				}
			}
		})
	})
}

// takeLocked is called with mu held. A grant that was only seen begins with a write.
func (m *Member) takeLocked(g engine.Grant, seen bool) {
	s := &Shard{m: m, grant: g, head: g.Head, number: engine.FirstNumber(g.Head)}
	m.shards[g.Shard] = s
	gained := func(err error) {
		if err == nil && !s.lost {
			s.gained = true
			if tell := m.o.Events.Gained; tell != nil {
				m.emitLocked(func() { tell(s) })
			}
		}
	}
	if !seen {
		gained(nil)
		return
	}
	s.queue = append(s.queue, queued{taken: gained})
	s.flyLocked()
}

// takers are the nodes that should own shards, by id: those that seem to live, this one among them, and are not
// drained. If all are, a cluster that serves is worth more than what was asked for. It is called with mu held.
func (m *Member) takers() []engine.NodeID {
	now := m.o.Clock.Now()
	var live, takers []engine.NodeID
	for _, id := range slices.Sorted(maps.Keys(m.nodes)) {
		n := m.nodes[id]
		if id != m.o.Node.ID && now.Sub(n.since) >= m.o.Lease {
			continue
		}
		live = append(live, id)
		if !n.Drain {
			takers = append(takers, id)
		}
	}
	if len(takers) == 0 {
		return live
	}
	return takers
}

// takesLocked tells whether this node may take shards. It is called with mu held.
func (m *Member) takesLocked() bool { return slices.Contains(m.takers(), m.o.Node.ID) }
