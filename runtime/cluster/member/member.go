package member

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/cluster/engine"
)

// DefaultLease is how long a node's word is good after a beat, if nothing else is said.
const DefaultLease = 4 * time.Second

// Patience is for how many leases the same beat must have been seen before a node counts as dead. It is more than one
// because clocks run at different rates: up to 10 % are allowed for.
const Patience = 1.1

// Options are the options of [Start].
type Options struct {
	Engine engine.Engine
	// Node is this node as others see it.
	Node engine.Node
	// Lease is DefaultLease if it is zero.
	Lease  time.Duration
	Clock  clock.Clock
	Events Events
	// Confirmed says that Confirm asks the engine whose the shard is, instead of the lease: that assumes nothing about
	// clocks.
	Confirmed bool
}

// Events are what happens to a member. Each may be nil.
type Events struct {
	// Joined says that the node is registered and its lease runs.
	Joined func()
	// Gained says that the node owns a shard.
	Gained func(*Shard)
	// Handing asks to come to an end with a shard: after ready was called nobody may hand in a batch.
	Handing func(s *Shard, ready func())
	// Lost says that a shard is another node's, or will be. err is nil if it was handed over in order.
	Lost func(s *Shard, err error)
	// Lease says that the node's lease has ended, as the engine does not answer, and that it holds again.
	Lease func(holds bool)
	// Changed says that this node has just changed who has what: the others may look.
	Changed func()
	// Seen is told what each look has shown.
	Seen func(engine.View)
	// Clock says, after each look, by how much the node's wall clock is ahead of the engine's at least; negative if it
	// is behind, 0 if both may agree, for all that the time of the look tells.
	Clock func(ahead time.Duration)
	// Gave says that this node has ended an incarnation that does not beat any more.
	Gave func(dead engine.NodeID)
	// Took says how many shards this node has taken that lost ones have had.
	Took func(from map[engine.NodeID]int)
	// Ended says that the node is no member any more, after Lost for each of its shards: given up by others, refused
	// (err says why), or gone in order (nil).
	Ended func(err error)
}

// Member is this node's part in a cluster.
type Member struct {
	o     Options
	calls calls
	// places is [Places], or that of another version in tests.
	places func(takers []engine.NodeID, shards int) []engine.NodeID

	mu       sync.Mutex // guards all below
	phase    phase
	end      error
	until    time.Time // the end of the lease
	beating  bool
	silent   bool // it was told that the lease has ended
	told     bool // others were told that this node is ready
	looking  bool
	again    bool // there is something to see that the look under way may not show
	looks    int  // how many were begun
	claiming map[engine.NodeID]bool
	nodes    map[engine.NodeID]*observed
	rival    *observed // another incarnation that has our name
	view     engine.View
	placed   placed
	shards   map[int]*Shard
	known    map[int]past      // what became of shards that this node had
	floors   map[int]floor     // where shards were when this node lost them
	free     map[int]time.Time // since when nobody has a shard
	owners   map[int]engine.NodeID
	gave     map[int]gift           // what this node has handed to whom, since the takers are the same
	gone     map[engine.NodeID]bool // those that were ended because they were silent
	due      clock.Timer            // looks when the next node can be dead; nil if none can
	leaving  bool
	askers   []asker // Confirmed: who waits for the next read of epochs
	asking   bool    // a read is under way
	askTries int
	timers   []clock.Timer
	marked   chan struct{}

	out      []func() // events to tell
	emitting bool     // somebody tells them
}

type phase int

const (
	joining phase = iota
	alive
	ended
)

// observed is a node with its last beat, and since when that one was seen.
type observed struct {
	engine.Seen
	since time.Time
}

// past is the last epoch of a shard that this node knows to be over, and the newest look that had been begun then.
type past struct {
	epoch int64
	looks int
}

// ErrLost says that a batch may or may not be kept: the node has lost the shard before it knew.
var ErrLost = errors.New("the node has lost the shard")

// Start makes a node join the cluster. It returns at once; Joined or Ended say what became of it.
func Start(o Options) *Member { return start(o, newWorkers(o.Engine, o.Lease)) }

func start(o Options, c calls) *Member {
	if o.Lease == 0 {
		o.Lease = DefaultLease
	}
	m := &Member{o: o, calls: c, places: Places, claiming: map[engine.NodeID]bool{},
		nodes:  map[engine.NodeID]*observed{},
		shards: map[int]*Shard{}, known: map[int]past{}, floors: map[int]floor{},
		gave: map[int]gift{}, owners: map[int]engine.NodeID{}, gone: map[engine.NodeID]bool{},
		marked: make(chan struct{})}
	m.do(func() {
		m.beatLocked()
		m.lookLocked()
		m.everyLocked(o.Lease/4, m.beatLocked)
		m.everyLocked(o.Lease/8, m.lookLocked)
	})
	return m
}

// do runs f with the lock and then tells events, in their order, whoever else is at it.
func (m *Member) do(f func()) {
	m.mu.Lock()
	f()
	for !m.emitting && len(m.out) > 0 {
		m.emitting = true
		out := m.out
		m.out = nil
		m.mu.Unlock()
		for _, tell := range out {
			tell()
		}
		m.mu.Lock()
		m.emitting = false
	}
	m.mu.Unlock()
}

// everyLocked is called with mu held. Timers end with the member.
func (m *Member) everyLocked(d time.Duration, f func()) {
	at := len(m.timers)
	m.timers = append(m.timers, nil)
	var again func()
	again = func() {
		m.do(func() {
			if m.phase != ended {
				f()
				m.timers[at] = m.o.Clock.AfterFunc(d, again)
			}
		})
	}
	m.timers[at] = m.o.Clock.AfterFunc(d, again)
}

// emitLocked is called with mu held.
func (m *Member) emitLocked(f func()) { m.out = append(m.out, f) }

// endLocked is called with mu held: all that the node had is lost.
func (m *Member) endLocked(err error) {
	if m.phase == ended {
		return
	}
	m.phase, m.end = ended, err
	for _, t := range append(m.timers, m.due) {
		if t != nil {
			t.Stop()
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.shards)) {
		m.loseLocked(m.shards[id], err)
	}
	if tell := m.o.Events.Ended; tell != nil {
		m.emitLocked(func() { tell(err) })
	}
}

// Leave ends the membership in order: the node's shards are free at once. The user has come to an end with them
// before. Ended says when it is done; if the engine does not answer, others take the shards when the lease is over.
func (m *Member) Leave() {
	m.do(func() {
		if m.phase == ended || m.leaving {
			return
		}
		m.leaving = true
		if m.phase == joining {
			m.endLocked(nil)
		}
	})
	m.do(m.leaveLocked)
}

// leaveLocked is called with mu held, after each thing that may have been waited for.
func (m *Member) leaveLocked() {
	if !m.leaving || m.phase != alive || m.claiming[m.o.Node.ID] || m.beating {
		return
	}
	me, beat := m.o.Node.ID, int64(0)
	for _, s := range m.shards {
		if s.flying {
			return
		}
	}
	for _, s := range m.shards {
		s.closing = true // nothing is confirmed from here on
	}
	m.claiming[me] = true
	m.calls.look(func(v engine.View, err error) {
		m.do(func() {
			if n, ok := v.Node(me); ok {
				beat = n.Beat
			}
			if err != nil {
				m.endLocked(fmt.Errorf("leave the cluster: %w", err))
				return
			}
			m.calls.claim(engine.Nobody, me, beat, func(_ []engine.Grant, err error) {
				m.do(func() {
					if errors.Is(err, engine.ErrAlive) {
						err = engine.ErrEnded
					}
					m.endLocked(err)
				})
			})
		})
	})
}

// View is what the last look has shown.
func (m *Member) View() engine.View {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.view
}
