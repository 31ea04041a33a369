package engine

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Memory is an engine in memory, for tests and simulations. Make one with [NewMemory]. It never gives an unknown
// outcome.
type Memory struct {
	mu     sync.Mutex
	nodes  map[NodeID]*memoryNode // guarded by mu, as is all below; ended ones stay
	shards []memoryShard
	notes  map[string]Note
}

type memoryNode struct {
	Seen
	ended bool
}

type memoryShard struct {
	Holding
	data map[Key][]byte // sealed
}

// NewMemory returns an engine with so many shards, which belong to nobody.
func NewMemory(shards int) *Memory {
	m := &Memory{nodes: map[NodeID]*memoryNode{}, shards: make([]memoryShard, shards), notes: map[string]Note{}}
	for i := range m.shards {
		m.shards[i] = memoryShard{Holding{ID: i, Owner: Nobody}, map[Key][]byte{}}
	}
	return m
}

// Copy returns another engine with the same content.
func (m *Memory) Copy() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := &Memory{nodes: map[NodeID]*memoryNode{}, shards: slices.Clone(m.shards), notes: maps.Clone(m.notes)}
	for id, n := range m.nodes {
		other := *n
		c.nodes[id] = &other
	}
	for i := range c.shards {
		c.shards[i].data = maps.Clone(c.shards[i].data)
	}
	return c
}

// Damage replaces the bytes under a key by what change makes of them; nil removes the key. It is for tests.
func (m *Memory) Damage(shard int, key Key, change func([]byte) []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data := m.shards[shard].data
	if b := change(slices.Clone(data[key])); b != nil {
		data[key] = b
	} else {
		delete(data, key)
	}
}

// Beat implements [Engine].
func (m *Memory) Beat(_ context.Context, n Node) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	mine := m.nodes[n.ID]
	if mine == nil {
		for _, other := range m.nodes {
			if !other.ended && other.ID.Name() == n.ID.Name() {
				return &TakenError{other.Seen}
			}
		}
		mine = &memoryNode{}
		m.nodes[n.ID] = mine
	}
	if mine.ended {
		return ErrEnded
	}
	mine.Node = n
	mine.Beat++
	return nil
}

// Look implements [Engine].
func (m *Memory) Look(context.Context) (View, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := View{Restored: string(m.notes[RestoredNote].Value), Now: time.Now()}
	for _, id := range slices.Sorted(maps.Keys(m.nodes)) {
		if n := m.nodes[id]; !n.ended {
			v.Nodes = append(v.Nodes, n.Seen)
		}
	}
	for _, s := range m.shards {
		v.Shards = append(v.Shards, s.Holding)
	}
	return v, nil
}

// Holds implements [Engine].
func (m *Memory) Holds(_ context.Context, shards []int) (list []Holding, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range shards {
		list = append(list, m.shards[id].Holding)
	}
	return list, nil
}

// livesLocked is called with mu held.
func (m *Memory) livesLocked(id NodeID) bool {
	n := m.nodes[id]
	return n != nil && !n.ended
}

// Claim implements [Engine].
func (m *Memory) Claim(_ context.Context, me, dead NodeID, beat int64) ([]Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if me != Nobody && !m.livesLocked(me) {
		return nil, ErrEnded
	}
	if dead != Nobody {
		if !m.livesLocked(dead) || m.nodes[dead].Beat != beat {
			return nil, ErrAlive
		}
		m.nodes[dead].ended = true
	}
	var grants []Grant
	for i := range m.shards {
		s := &m.shards[i]
		if s.Owner == dead || dead == Nobody && !m.livesLocked(s.Owner) {
			s.Owner = me
			s.Epoch++
			grants = append(grants, Grant{s.ID, s.Epoch, me, s.Head})
		}
	}
	return grants, nil
}

// Take implements [Engine].
func (m *Memory) Take(_ context.Context, me NodeID, shards []int) ([]Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.livesLocked(me) {
		return nil, ErrEnded
	}
	var grants []Grant
	for i := range m.shards {
		s := &m.shards[i]
		if slices.Contains(shards, s.ID) && !m.livesLocked(s.Owner) {
			s.Owner = me
			s.Epoch++
			grants = append(grants, Grant{s.ID, s.Epoch, me, s.Head})
		}
	}
	return grants, nil
}

// Drain implements [Engine].
func (m *Memory) Drain(_ context.Context, id NodeID, why Drain, on bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.livesLocked(id) {
		return ErrEnded
	}
	if m.nodes[id].Drain |= why; !on {
		m.nodes[id].Drain &^= why
	}
	return nil
}

// Hand implements [Engine].
func (m *Memory) Hand(_ context.Context, g Grant, to NodeID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &m.shards[g.Shard]
	if s.Epoch != g.Epoch || s.Owner != g.Owner {
		return ErrFenced
	}
	s.Owner = to
	s.Epoch++
	return nil
}

// Commit implements [Engine].
func (m *Memory) Commit(_ context.Context, g Grant, n int64, b Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &m.shards[g.Shard]
	switch {
	case s.Epoch != g.Epoch || s.Owner != g.Owner || s.Head > n:
		return ErrFenced
	case s.Head < n-1:
		return &RestoredError{Shard: g.Shard, Head: s.Head, Want: n - 1}
	}
	m.applyLocked(s, n, b)
	return nil
}

// applyLocked is called with mu held.
func (*Memory) applyLocked(s *memoryShard, n int64, b Batch) {
	s.Head = n
	for _, r := range b.Deletes {
		for k := range s.data {
			if r.Has(k) {
				delete(s.data, k)
			}
		}
	}
	for _, p := range b.Puts {
		s.data[p.Key] = Seal(s.ID, p)
	}
}

// CommitUnfenced is Commit for whoever wants to see a simulation fail: it asks for no epoch and no number.
func (m *Memory) CommitUnfenced(g Grant, n int64, b Batch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.applyLocked(&m.shards[g.Shard], n, b)
}

// Read implements [Engine].
func (m *Memory) Read(_ context.Context, g Grant, from, to Key, fn func(Key, Value) error) error {
	m.mu.Lock()
	data := maps.Clone(m.shards[g.Shard].data)
	m.mu.Unlock()
	chain := Chain{Shard: g.Shard}
	for _, k := range slices.Sorted(maps.Keys(data)) {
		if !(Range{from, to}).Has(k) {
			continue
		}
		v, err := chain.Next(k, data[k])
		if err == nil {
			err = fn(k, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
