package engine

import (
	"context"
	"errors"
	"time"
)

// Engine keeps a cluster's data. All methods may be called from any goroutine. An error that is none of this
// package's says that the outcome is unknown: the call may have been carried out, or may be yet, until another one
// makes it impossible.
type Engine interface {
	// Beat says that a node lives. The first one registers it. It fails with ErrEnded if the incarnation was ended,
	// and with a *TakenError if another incarnation has the name.
	Beat(ctx context.Context, n Node) error
	// Look reads nodes and shards, all as of one moment.
	Look(ctx context.Context) (View, error)
	// Holds reads who holds some shards. It shows each claim and each hand-over that had succeeded when it was called.
	Holds(ctx context.Context, shards []int) ([]Holding, error)
	// Claim ends the incarnation dead and gives all its shards to me, each with the next epoch, if dead has not
	// beaten since the beat that is given; else it fails with ErrAlive. With Nobody as dead it takes the shards that
	// belong to no node that lives. With Nobody as me the shards are free afterwards: so a node leaves in order.
	Claim(ctx context.Context, me, dead NodeID, beat int64) ([]Grant, error)
	// Take gives me those of the shards that belong to no node that lives, each with the next epoch.
	Take(ctx context.Context, me NodeID, shards []int) ([]Grant, error)
	// Drain says whether a node is to give back what it has and take nothing new, for a reason; other reasons stay. It
	// fails with ErrEnded if the incarnation was ended. The next incarnation of the node is not drained.
	Drain(ctx context.Context, id NodeID, why Drain, on bool) error
	// Hand gives a shard to another node, or to Nobody, with the next epoch. It fails with ErrFenced if the grant is
	// not the shard's any more, also if that is so because an earlier Hand whose outcome was unknown has succeeded.
	Hand(ctx context.Context, g Grant, to NodeID) error
	// Commit makes batch n of a shard durable, all of it or nothing. n is the number after the shard's head, or the
	// head itself, to repeat a batch whose outcome is unknown. It fails with ErrFenced if the grant is over, with a
	// *RestoredError if the store is older than what the caller knows, and with a *SizeError for a batch that is too
	// large.
	Commit(ctx context.Context, g Grant, n int64, b Batch) error
	// Note reads a note of the cluster. SetNote changes one that has a version, or makes it after version 0; it fails
	// with ErrStale if the note has another one.
	Note(ctx context.Context, name string) (Note, error)
	SetNote(ctx context.Context, name string, after int64, value []byte) error
	// Read calls fn for each key from from up to, but not including, to, in order; an empty to means to the end. After
	// Claim it shows all that earlier epochs have committed. It fails with a *DamageError at a value that is not what
	// was written, or that continues one that is missing.
	Read(ctx context.Context, g Grant, from, to Key, fn func(Key, Value) error) error
}

// NodeID is one incarnation of a node: "name/incarnation".
type NodeID string

// Nobody is no node: the owner of a free shard.
const Nobody NodeID = ""

// Node is what a node says of itself with each beat.
type Node struct {
	ID NodeID
	// URL is where other nodes reach it, Cert the certificate (DER) by which they know it, Hash what code it runs.
	URL  string
	Cert []byte
	Hash string
	// Lease is how long it keeps what it has after a beat, in whole milliseconds.
	Lease time.Duration
	// Ready says that it serves. One that is starting takes shards only if no other node is ready.
	Ready bool
}

// View is nodes and shards as of one moment.
type View struct {
	// Nodes are those that were not ended, by name.
	Nodes []Seen
	// Shards are all shards, by number.
	Shards []Holding
	// Restored is what the note RestoredNote says.
	Restored string
	// Now is the store's wall clock. Nothing is decided by it; it tells a node whose own is wrong.
	Now time.Time
}

// Drain is why a node is drained: a set of reasons, each of which is said and taken back by whoever has it.
type Drain int16

const (
	// Asked is the word of an operator.
	Asked Drain = 1 << iota
	// Unusable is what a node says of itself while it cannot write its files.
	Unusable
)

// Seen is a node, the number of its last beat, and why it is drained; 0 if it is not.
type Seen struct {
	Node
	Beat  int64
	Drain Drain
}

// Holding is who holds a shard, and how far it is.
type Holding struct {
	ID    int
	Owner NodeID
	Epoch int64
	Head  int64
}

// Grant is the right of one owner to commit to a shard during one epoch. The epoch alone is not enough: a hand-over
// that a look has shown may be taken back by a failover, and the next one, to another node, has its epoch.
type Grant struct {
	Shard int
	Epoch int64
	Owner NodeID
	// Head is the number of the last batch of the epochs before.
	Head int64
}

// Key is a key within a shard. Keys are ordered by their bytes.
type Key string

// MaxKey is how long a key may be, in bytes.
const MaxKey = 1024

var (
	// ErrFenced says that the grant is over: the batch is not in the store, and never will be.
	ErrFenced = errors.New("the shard has another owner")
	// ErrEnded says that the node's incarnation was ended: others have taken its shards.
	ErrEnded = errors.New("the cluster has given up this node")
	// ErrAlive says that a node has beaten, or was claimed by another one before.
	ErrAlive = errors.New("the node has beaten since")
)

// TakenError says that a node of that name is in the cluster already.
type TakenError struct{ By Seen }

func (e *TakenError) Error() string {
	return "the cluster has a node " + e.By.ID.Name() + " already, at " + e.By.URL
}

// RestoredError says that a store has a lower head than it must have: it was put back to an older state.
type RestoredError struct {
	Shard      int
	Head, Want int64
	// Epoch and WantEpoch are 0 if they are not known to differ.
	Epoch, WantEpoch int64
}

// RestoredNote is the note of a node that has met a *RestoredError. While it is there no node serves.
const RestoredNote = "restored"

// MarkedError says that a node has noticed that the store was put back to an older state.
type MarkedError struct{ Mark string }

func (e *MarkedError) Error() string {
	return "the cluster's database was put back to an older state; " + e.Mark + "\n" +
		"  what was acknowledged since is lost, and nodes do not go on by themselves: look whether the state is the " +
		"right one\n  then let them: eddy cluster init --accept-restore"
}
