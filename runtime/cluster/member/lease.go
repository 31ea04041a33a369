package member

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"eddy/runtime/cluster/engine"
)

// beatLocked is called with mu held.
func (m *Member) beatLocked() {
	if m.phase == ended || m.beating || m.claiming[m.o.Node.ID] {
		return
	}
	m.beating = true
	m.tellLeaseLocked()
	sent, n := m.o.Clock.Now(), m.o.Node
	m.calls.beat(n, func(err error) {
		m.do(func() {
			m.beatenLocked(sent, err)
			switch {
			case n.Ready != m.o.Node.Ready:
				m.beatLocked() // Ready was called meanwhile
			case err == nil && n.Ready && !m.told:
				m.told = true
				m.changedLocked()
			}
		})
	})
}

// beatenLocked is called with mu held.
func (m *Member) beatenLocked(sent time.Time, err error) {
	m.beating = false
	defer m.leaveLocked()
	var taken *engine.TakenError
	switch {
	case m.phase == ended:
	case err == nil:
		m.until = sent.Add(m.o.Lease)
		if m.phase == joining {
			m.phase = alive
			if tell := m.o.Events.Joined; tell != nil {
				m.emitLocked(tell)
			}
			m.again = m.looking // one under way may not show this node
			m.lookLocked()
		}
		m.tellLeaseLocked()
		if m.validLocked() {
			for _, id := range slices.Sorted(maps.Keys(m.shards)) {
				m.shards[id].confirmLocked()
			}
		}
	case errors.Is(err, engine.ErrEnded):
		m.endLocked(err)
	case errors.As(err, &taken):
		m.rivalLocked(taken)
	default:
		m.rival = nil // what could not be read is counted anew
	}
}

// tellLeaseLocked is called with mu held and says if the lease of a member has ended, or holds again.
func (m *Member) tellLeaseLocked() {
	if silent := !m.validLocked(); m.phase == alive && silent != m.silent {
		m.silent = silent
		if tell := m.o.Events.Lease; tell != nil {
			m.emitLocked(func() { tell(!silent) })
		}
	}
}

// Ready says that the node serves: it gets its part of the shards.
func (m *Member) Ready() {
	m.do(func() {
		m.o.Node.Ready = true
		m.beatLocked() // one that is on its way is followed by the next
	})
}

// rivalLocked is called with mu held when another incarnation has the name: the node's own from before a crash, which
// does not beat any more, or another node.
func (m *Member) rivalLocked(taken *engine.TakenError) {
	now := m.o.Clock.Now()
	switch {
	case m.rival == nil || m.rival.ID != taken.By.ID:
		m.rival = &observed{taken.By, now}
		left := time.Duration(float64(m.leaseOf(m.rival)) * Patience)
		m.o.Clock.AfterFunc(left+time.Millisecond, func() { m.do(m.rivalBeatLocked) })
	case m.rival.Beat != taken.By.Beat:
		m.endLocked(taken)
	case m.deadLocked(m.rival, now):
		m.claimLocked(m.rival.ID, m.rival.Beat)
	}
}

// rivalBeatLocked is called with mu held when another incarnation of the name can be dead.
func (m *Member) rivalBeatLocked() {
	if m.phase == joining {
		m.beatLocked()
	}
}

// deadLocked is called with mu held.
func (m *Member) deadLocked(o *observed, now time.Time) bool {
	return now.Sub(o.since) >= time.Duration(float64(m.leaseOf(o))*Patience)
}

// leaseOf is the lease that a node has told: it answers reads for as long, whatever this node's is.
func (m *Member) leaseOf(o *observed) time.Duration { return cmp.Or(o.Lease, m.o.Lease) }

// validLocked is called with mu held.
func (m *Member) validLocked() bool { return m.phase == alive && m.o.Clock.Now().Before(m.until) }

// Valid tells whether the lease holds: nobody else can have claimed the node's shards yet.
func (m *Member) Valid() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.validLocked()
}
