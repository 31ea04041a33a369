package engine

import (
	"context"
	"maps"
	"slices"
)

// Note implements [Engine].
func (m *Memory) Note(_ context.Context, name string) (Note, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.notes[name], nil
}

// SetNote implements [Engine].
func (m *Memory) SetNote(_ context.Context, name string, after int64, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notes[name].Version != after {
		return ErrStale
	}
	m.notes[name] = Note{after + 1, slices.Clone(value)}
	return nil
}

// Snapshot implements [Archive].
func (m *Memory) Snapshot(_ context.Context, fn func(Contents) error) error {
	return fn(memoryContents{m.Copy()})
}

// Replace implements [Archive].
func (m *Memory) Replace(_ context.Context, fn func(Contents) error) error {
	next := m.Copy()
	for i := range next.shards {
		s := &next.shards[i]
		s.Owner, s.Epoch, s.Head, s.data = Nobody, s.Epoch+1, s.Head+1, map[Key][]byte{}
	}
	clear(next.notes)
	if err := fn(memoryContents{next}); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var alive []NodeID
	for _, id := range slices.Sorted(maps.Keys(m.nodes)) {
		if m.livesLocked(id) {
			alive = append(alive, id)
		}
	}
	if len(alive) > 0 {
		return &AliveError{alive}
	}
	m.shards, m.notes = next.shards, next.notes
	return nil
}

// memoryContents is a copy of an engine that nobody else has.
type memoryContents struct{ m *Memory }

func (c memoryContents) Shards() (list []Holding) {
	for _, s := range c.m.shards {
		list = append(list, s.Holding)
	}
	return list
}

func (c memoryContents) Read(ctx context.Context, shard int, from, to Key, fn func(Key, Value) error) error {
	return c.m.Read(ctx, Grant{Shard: shard}, from, to, fn)
}

func (c memoryContents) ReadAll(ctx context.Context, r Range, fn func(int, Key, Value) error) error {
	for shard := range c.m.shards {
		err := c.Read(ctx, shard, r.From, r.To, func(k Key, v Value) error { return fn(shard, k, v) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (c memoryContents) Change(_ context.Context, shard int, b Batch) error {
	s := &c.m.shards[shard]
	c.m.applyLocked(s, s.Head, b)
	return nil
}

func (c memoryContents) Note(ctx context.Context, name string) ([]byte, error) {
	n, err := c.m.Note(ctx, name)
	return n.Value, err
}

func (c memoryContents) SetNote(_ context.Context, name string, value []byte) error {
	c.m.notes[name] = Note{c.m.notes[name].Version + 1, value}
	return nil
}
