package engine

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"
)

// NewNodeID makes an incarnation of a node.
func NewNodeID(name string) NodeID {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return NodeID(fmt.Sprintf("%s/%x", name, b))
}

// Name is the node's name, without the incarnation.
func (n NodeID) Name() string {
	name, _, _ := strings.Cut(string(n), "/")
	return name
}

// CheckName says what is wrong with a node's name.
func CheckName(name string) error {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.' {
			return fmt.Errorf("the name of a node has letters, digits, '-', '_' and '.', but got %q", name)
		}
	}
	if name == "" || len(name) > 63 {
		return fmt.Errorf("the name of a node has 1 to 63 characters, but got %q", name)
	}
	return nil
}

// Node finds a node that was not ended.
func (v View) Node(id NodeID) (Seen, bool) {
	for _, n := range v.Nodes {
		if n.ID == id {
			return n, true
		}
	}
	return Seen{}, false
}

// LongestLease is that of the node which may be silent for longest, 0 without nodes.
func (v View) LongestLease() (longest time.Duration) {
	for _, n := range v.Nodes {
		longest = max(longest, n.Lease)
	}
	return longest
}

// HasBeatSince tells whether a node has beaten since an earlier view, in which it may not have been.
func (n Seen) HasBeatSince(before View) bool {
	was, seen := before.Node(n.ID)
	return !seen || was.Beat != n.Beat
}

func (e *RestoredError) Error() string {
	if e.Epoch < e.WantEpoch {
		return fmt.Sprintf("shard %d is at epoch %d, but had epoch %d: the store was put back to an older state",
			e.Shard, e.Epoch, e.WantEpoch)
	}
	return fmt.Sprintf("the store has lost batches %d to %d of shard %d: it was put back to an older state",
		e.Head+1, e.Want, e.Shard)
}
