package member

import (
	"errors"
	"maps"
	"slices"
	"time"

	"eddy/runtime/cluster/engine"
)

// lookLocked is called with mu held.
func (m *Member) lookLocked() {
	if m.phase == ended || m.looking || m.leaving {
		return
	}
	m.looking, m.again = true, false
	m.looks++
	number, floors := m.looks, m.floorsLocked()
	sent := m.o.Clock.Now()
	m.calls.look(func(v engine.View, err error) {
		m.do(func() {
			m.looking = false
			if m.again {
				defer m.lookLocked()
			}
			switch {
			case m.phase == ended || m.leaving:
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
				m.clockLocked(v.Now, sent)
			}
		})
	})
}

// clockLocked is called with mu held and compares the engine's clock, as a look has shown it, with the node's own when
// that was sent and when it came back: it was read in between.
func (m *Member) clockLocked(theirs, sent time.Time) {
	tell := m.o.Events.Clock
	if tell == nil || theirs.IsZero() {
		return
	}
	ahead := time.Duration(0)
	theirs = theirs.Round(0) // wall clocks
	if least := sent.Round(0).Sub(theirs); least > 0 {
		ahead = least
	} else if most := m.o.Clock.Now().Round(0).Sub(theirs); most < 0 {
		ahead = most
	}
	m.emitLocked(func() { tell(ahead) })
}

// Look looks now, unless it does: somebody waits for something to see.
func (m *Member) Look() { m.do(m.lookLocked) }

// Knock says that there is something to see since now.
func (m *Member) Knock() {
	m.do(func() {
		m.again = m.looking
		m.lookLocked()
	})
}

// seenLocked is called with mu held and takes up the look of that number. A node that has not joined yet, because an
// earlier process of its name is waited for, sees how long the others are silent meanwhile.
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
	m.rememberLocked(nodes, now)
	m.nodes = nodes
	if m.phase == joining {
		m.dueLocked(now)
		return
	}
	takes := m.validLocked() && m.takesLocked()
	for _, n := range v.Nodes {
		if takes && n.ID != m.o.Node.ID && m.deadLocked(nodes[n.ID], now) {
			m.claimLocked(n.ID, n.Beat) // its shards are free then, and each goes where it belongs
		}
	}
	for _, s := range v.Shards {
		m.seenShardLocked(s, number)
	}
	if list := m.freeLocked(now); takes && len(list) > 0 {
		m.takeFreeLocked(list)
	}
	m.balanceLocked()
	m.dueLocked(now)
	if tell := m.o.Events.Seen; tell != nil {
		m.emitLocked(func() { tell(v) })
	}
}

// rememberLocked is called with mu held, before nodes are those of the newest look, and notes which nodes were lost and
// who has had what, so that a takeover can be told.
func (m *Member) rememberLocked(nodes map[engine.NodeID]*observed, now time.Time) {
	for id, o := range m.nodes {
		if nodes[id] == nil && now.Sub(o.since) >= m.leaseOf(o) {
			m.gone[id] = true
		}
	}
	for _, s := range m.view.Shards {
		if s.Owner != engine.Nobody {
			m.owners[s.ID] = s.Owner
		}
	}
}

// tookLocked is called with mu held and tells which shards of lost nodes this one has taken.
func (m *Member) tookLocked(grants []engine.Grant) {
	took := map[engine.NodeID]int{}
	for _, g := range grants {
		if from := m.owners[g.Shard]; m.gone[from] {
			took[from]++
			delete(m.owners, g.Shard)
		}
	}
	if tell := m.o.Events.Took; tell != nil && len(took) > 0 {
		m.emitLocked(func() { tell(took) })
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

// freeLocked is called with mu held and gives the shards that nobody has and this node should: those that belong here,
// and those that whoever they belong to has not taken for a lease.
func (m *Member) freeLocked(now time.Time) (list []int) {
	since := map[int]time.Time{}
	places := m.placesLocked(m.takers())
	for _, s := range m.view.Shards {
		if _, owned := m.nodes[s.Owner]; owned || s.Owner == m.o.Node.ID {
			continue
		}
		first, ok := m.free[s.ID]
		if !ok {
			first = now
		}
		since[s.ID] = first
		if places[s.ID] == m.o.Node.ID || now.Sub(first) >= m.o.Lease {
			list = append(list, s.ID)
		}
	}
	m.free = since
	return list
}

// dueLocked is called with mu held and looks again when the next node can be dead.
func (m *Member) dueLocked(now time.Time) {
	if m.due != nil {
		m.due.Stop()
		m.due = nil
	}
	next := time.Duration(0)
	for id, o := range m.nodes {
		left := time.Duration(float64(m.leaseOf(o))*Patience) - now.Sub(o.since)
		if id != m.o.Node.ID && left > 0 && (next == 0 || left < next) {
			next = left
		}
	}
	if next > 0 {
		m.due = m.o.Clock.AfterFunc(next+time.Millisecond, m.Look)
	}
}

// claimLocked is called with mu held and ends a node that is dead. An outcome that stays unknown shows in the next
// look.
func (m *Member) claimLocked(dead engine.NodeID, beat int64) {
	if m.claiming[dead] || m.leaving {
		return
	}
	m.claiming[dead] = true
	m.calls.claim(engine.Nobody, dead, beat, func(_ []engine.Grant, err error) {
		m.do(func() {
			delete(m.claiming, dead)
			if m.phase == ended || m.leaving || err != nil {
				return
			}
			if tell := m.o.Events.Gave; tell != nil {
				m.emitLocked(func() { tell(dead) })
			}
			if m.phase == joining {
				m.rival = nil
				m.beatLocked()
				return
			}
			m.changedLocked()
			m.again = m.looking
			m.lookLocked()
		})
	})
}

// takeFreeLocked is called with mu held. An outcome that stays unknown shows in the next look.
func (m *Member) takeFreeLocked(list []int) {
	if m.claiming[engine.Nobody] || m.leaving {
		return
	}
	m.claiming[engine.Nobody] = true
	m.calls.take(m.o.Node.ID, list, func(grants []engine.Grant, err error) {
		m.do(func() {
			delete(m.claiming, engine.Nobody)
			if m.phase == ended || m.leaving {
				return
			}
			if errors.Is(err, engine.ErrEnded) {
				m.endLocked(err)
				return
			}
			if err != nil {
				return
			}
			for _, g := range grants {
				if m.shards[g.Shard] == nil && g.Epoch > m.known[g.Shard].epoch {
					m.takeLocked(g, false)
				}
			}
			if len(grants) > 0 {
				m.tookLocked(grants)
				m.changedLocked()
			}
		})
	})
}

// changedLocked is called with mu held after this node has changed who has what.
func (m *Member) changedLocked() {
	if tell := m.o.Events.Changed; tell != nil {
		m.emitLocked(tell)
	}
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

// takers are the nodes that should own shards, by id: those that seem to live, this one among them, are ready and not
// drained. If there is none, those that are starting; if all are drained, a cluster that serves is worth more than what
// was asked for. It is called with mu held.
func (m *Member) takers() []engine.NodeID {
	now := m.o.Clock.Now()
	var live, open, ready []engine.NodeID
	for _, id := range slices.Sorted(maps.Keys(m.nodes)) {
		n := m.nodes[id]
		if id != m.o.Node.ID && now.Sub(n.since) >= m.leaseOf(n) {
			continue
		}
		live = append(live, id)
		if n.Drain != 0 {
			continue
		}
		open = append(open, id)
		if n.Ready || id == m.o.Node.ID && m.o.Node.Ready {
			ready = append(ready, id)
		}
	}
	switch {
	case len(ready) > 0:
		return ready
	case len(open) > 0:
		return open
	}
	return live
}

// takesLocked tells whether this node may take shards. It is called with mu held.
func (m *Member) takesLocked() bool { return slices.Contains(m.takers(), m.o.Node.ID) }
