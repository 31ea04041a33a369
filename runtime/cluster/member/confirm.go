package member

import (
	"slices"
	"time"

	"eddy/runtime/cluster/engine"
)

// asker is somebody who waits for a read of a shard's epoch.
type asker struct {
	shard *Shard
	done  func(error)
}

// askLocked is called with mu held. It reads the epochs of all shards of which somebody waits, unless a read is under
// way: who comes meanwhile waits for the next one, since what the shard held then may be newer than this one's answer.
func (m *Member) askLocked() {
	if m.asking || len(m.askers) == 0 {
		return
	}
	going := m.askers
	m.askers = nil
	m.asking = true
	var shards []int
	for _, a := range going {
		if !slices.Contains(shards, a.shard.ID()) {
			shards = append(shards, a.shard.ID())
		}
	}
	m.calls.holds(shards, func(list []engine.Holding, err error) {
		m.do(func() {
			m.asking = false
			if err != nil {
				m.askers = append(going, m.askers...)
				m.askTries++
				pause := min(time.Duration(m.askTries)*20*time.Millisecond, time.Second)
				m.o.Clock.AfterFunc(pause, func() { m.do(m.askLocked) })
				return
			}
			m.askTries = 0
			for _, a := range going {
				m.answerLocked(a, list)
			}
			m.askLocked()
		})
	})
}

// answerLocked is called with mu held.
func (m *Member) answerLocked(a asker, list []engine.Holding) {
	g := a.shard.grant
	for _, h := range list {
		if h.ID == g.Shard && (h.Epoch != g.Epoch || h.Owner != g.Owner) {
			m.loseLocked(a.shard, engine.ErrFenced)
		}
	}
	err := error(nil)
	if a.shard.lost {
		if err = a.shard.err; err == nil {
			err = engine.ErrFenced
		}
	}
	m.emitLocked(func() { a.done(err) })
}
