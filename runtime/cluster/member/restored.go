package member

import (
	"maps"

	"eddy/runtime/cluster/engine"
)

// floor is what a shard cannot be behind, unless the store was put back to an older state.
type floor struct{ epoch, head int64 }

// floorsLocked is called with mu held, when a look begins: what this node knows to be kept by then.
func (m *Member) floorsLocked() map[int]floor {
	all := maps.Clone(m.floors)
	for id, s := range m.shards {
		if s.gained {
			all[id] = floor{s.grant.Epoch, s.head}
		}
	}
	return all
}

// behind finds a shard that is not where it must be, nil if there is none.
func behind(v engine.View, floors map[int]floor) *engine.RestoredError {
	for _, h := range v.Shards {
		f, known := floors[h.ID]
		if known && (h.Epoch < f.epoch || h.Epoch == f.epoch && h.Head < f.head) {
			return &engine.RestoredError{Shard: h.ID, Head: h.Head, Want: f.head, Epoch: h.Epoch, WantEpoch: f.epoch}
		}
	}
	return nil
}

// restoredLocked is called with mu held: the store was put back to an older state. The node marks it, so that all nodes
// stop, and ends; what it has in memory is of a world that is no more.
func (m *Member) restoredLocked(err *engine.RestoredError) {
	if m.phase == ended {
		return
	}
	m.markLocked(m.o.Node.ID.Name() + " has noticed: " + err.Error())
	m.endLocked(err)
}

// markLocked is called with mu held. It is tried again until the store has it, or another node's mark.
func (m *Member) markLocked(text string) {
	m.calls.mark(text, func(err error) {
		if err != nil {
			m.o.Clock.AfterFunc(callTime/10, func() { m.do(func() { m.markLocked(text) }) })
			return
		}
		close(m.marked)
	})
}

// Marked is closed when the store has the mark of a member that ended with a *[engine.RestoredError]. Until then the
// process must go on: without the mark the next start would serve the older state.
func (m *Member) Marked() <-chan struct{} { return m.marked }
