package node

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/member"
)

// Shard is a shard that this node owns, during one epoch.
type Shard = member.Shard

// Place is where a shard is, as of the last look.
type Place struct {
	// Shard is set if it is here.
	Shard *Shard
	// Node, URL and Cert are the node's that has it; Node is Nobody's if none does.
	Node engine.NodeID
	URL  string
	Cert []byte
}

// Place says where a shard is.
func (n *Self) Place(shard int) Place {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s := n.mine[shard]; s != nil {
		return Place{Shard: s, Node: n.id, URL: "https://" + n.o.Advertise, Cert: n.cert.Certificate[0]}
	}
	if shard >= len(n.view.Shards) {
		return Place{}
	}
	owner, ok := n.view.Node(n.view.Shards[shard].Owner)
	if !ok || owner.ID.Name() == n.o.Name { // it is on its way to this node, or away from an incarnation of it
		return Place{}
	}
	return Place{Node: owner.ID, URL: owner.URL, Cert: owner.Cert}
}

// QueueShard is the number of the queues' shard.
func (n *Self) QueueShard() int { return n.o.ObjectShards }

// ShardOf is the number of an object's shard, by the unique key of its namespace and its id.
func (n *Self) ShardOf(key, id string) int { return ShardOf(key, id, n.o.ObjectShards) }

// ShardOf is the number of an object's shard, of so many.
func ShardOf(key, id string, shards int) int {
	var room [256]byte // of the stack: it is asked for with each event of an object
	sum := sha256.Sum256(append(append(append(room[:0], key...), '/'), id...))
	return int(binary.BigEndian.Uint16(sum[:])) % shards
}

// Look asks the database now: somebody has heard that there is something to see.
func (n *Self) Look() {
	n.mu.Lock()
	m := n.member
	n.mu.Unlock()
	m.Look()
	n.glance()
}

// glance makes the watch of a node that has left look now.
func (n *Self) glance() {
	select {
	case n.glances <- struct{}{}:
	default: // it will
	}
}

// Serves says that what a shard needs is read: calls that wait for what is in it find it here now.
func (n *Self) Serves() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.changedLocked()
}

// Changed is closed when nodes or places may be others than before.
func (n *Self) Changed() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changed
}

// Valid tells whether the node's lease holds.
func (n *Self) Valid() bool {
	n.mu.Lock()
	m := n.member
	n.mu.Unlock()
	return m.Valid()
}

// MigrationsNote is the note that says which migrations were applied, as a state directory has it.
const MigrationsNote = "migrations"

// Note reads a note of the cluster; see [engine.Engine].
func (n *Self) Note(ctx context.Context, name string) (engine.Note, error) {
	return n.o.Engine.Note(ctx, name)
}

// SetNote changes it.
func (n *Self) SetNote(ctx context.Context, name string, after int64, value []byte) error {
	return n.o.Engine.SetNote(ctx, name, after, value)
}

// Archive is all that the cluster keeps; nil if its engine cannot show it.
func (n *Self) Archive() engine.Archive {
	kept, _ := n.o.Engine.(engine.Archive)
	return kept
}

// Drained tells whether the node is to have nothing, as of the last look.
func (n *Self) Drained() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	me, _ := n.view.Node(n.id)
	return me.Drain != 0
}

// Confirmed tells whether the epoch is read for what is told, in the place of the lease.
func (n *Self) Confirmed() bool { return n.o.Confirmed }

// ID is this incarnation.
func (n *Self) ID() engine.NodeID {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.id
}

// Guest is what a guest of the queues' hub calls itself: this incarnation, nothing once it has left in order.
func (n *Self) Guest() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.leaving {
		return ""
	}
	return string(n.id)
}

// Name is the node's.
func (n *Self) Name() string { return n.o.Name }

// URL is where other nodes reach it.
func (n *Self) URL() string { return "https://" + n.o.Advertise }

// Token is the cluster's.
func (n *Self) Token() string { return n.o.Token }

// Lives tells whether an incarnation is in the cluster, as of the last look.
func (n *Self) Lives(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if string(n.id) == id {
		return true
	}
	_, ok := n.view.Node(engine.NodeID(id))
	return ok || len(n.view.Shards) == 0
}

// Counts are how many nodes there are, how many shards this one has, and how many there are, as of the last look.
func (n *Self) Counts() (nodes, mine, shards int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.view.Nodes), len(n.mine), len(n.view.Shards)
}
