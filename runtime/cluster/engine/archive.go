package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Archive is an engine whose data can be taken out and replaced as a whole.
type Archive interface {
	Engine
	// Snapshot calls fn with all that is kept as of one moment, which fn only reads. Nodes may go on meanwhile.
	Snapshot(ctx context.Context, fn func(Contents) error) error
	// Replace calls fn with an empty store, and puts what fn has made of it in the place of all that is kept, at once;
	// if anything fails, also this process, all stays as it was. All shards are free afterwards, with the next epoch
	// and a higher head. It fails with an *AliveError while there are nodes that were not ended, and keeps out those
	// that start meanwhile.
	Replace(ctx context.Context, fn func(Contents) error) error
}

// Contents is all that an engine keeps. It is used by one goroutine, until the function that was called with it
// returns.
type Contents interface {
	// Shards are all shards, by number.
	Shards() []Holding
	Read(ctx context.Context, shard int, from, to Key, fn func(Key, Value) error) error
	// ReadAll calls fn for the keys of a range in every shard, by shard and key, with one query: what is in the range
	// is small.
	ReadAll(ctx context.Context, r Range, fn func(shard int, k Key, v Value) error) error
	// Change carries out a batch.
	Change(ctx context.Context, shard int, b Batch) error
	Note(ctx context.Context, name string) ([]byte, error)
	SetNote(ctx context.Context, name string, value []byte) error
}

// Note is a small value that belongs to the cluster, not to a shard.
type Note struct {
	// Version is 0 if there is none yet, and rises with each change.
	Version int64
	Value   []byte
}

// ErrStale says that a note has another version by now.
var ErrStale = errors.New("another node has changed it meanwhile")

// AliveError says that there are nodes where there must be none.
type AliveError struct{ Nodes []NodeID }

func (e *AliveError) Error() string {
	var names []string
	for _, n := range e.Nodes {
		names = append(names, n.Name())
	}
	return fmt.Sprintf("nodes run: %s", strings.Join(names, ", "))
}

// Slice is one shard of [Contents], for who writes to a shard as its owner does.
type Slice struct {
	ctx      context.Context
	contents Contents
	shard    Holding
	number   int64
}

// SliceOf gives a shard of contents.
func SliceOf(ctx context.Context, c Contents, shard int) *Slice {
	h := c.Shards()[shard]
	return &Slice{ctx: ctx, contents: c, shard: h, number: FirstNumber(h.Head)}
}

// numberBits leaves room for as many values as a batch can have.
const numberBits = 24

// FirstNumber is the number before those that values get in an epoch which began with a head, so that they are above
// those of the epochs before.
func FirstNumber(head int64) int64 { return (head + 2) << numberBits }

// ID is the shard's number.
func (p *Slice) ID() int { return p.shard.ID }

// Number gives a number for a value that no other value of the shard has.
func (p *Slice) Number() int64 { p.number++; return p.number }

// Commit carries out a batch, and then calls done.
func (p *Slice) Commit(b Batch, done func(error)) { done(p.Keep(b)) }

// Keep carries out a batch.
func (p *Slice) Keep(b Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	return p.contents.Change(p.ctx, p.shard.ID, b)
}

// Read reads from the shard.
func (p *Slice) Read(ctx context.Context, from, to Key, fn func(Key, Value) error) error {
	return p.contents.Read(ctx, p.shard.ID, from, to, fn)
}

// Confirm calls done: nobody else has the shard.
func (*Slice) Confirm(done func(error)) { done(nil) }
