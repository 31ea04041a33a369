package node

import (
	"context"
	"slices"
	"strings"
	"time"

	"eddy/runtime/cluster/engine"
)

// Status is a node as an operator sees it.
type Status struct {
	Name  string `json:"name"`
	URL   string `json:"url"`
	Beats int64  `json:"beats"`
	// Silent says that it has not beaten for half of its lease, in which it beats twice.
	Silent bool `json:"silent"`
	// Quiet is for how many seconds no beat of it was seen; 0 where nobody has watched.
	Quiet float64 `json:"quietSeconds,omitempty"`
	Drain bool    `json:"drain"`
	// Shards counts what it has, Owned has the numbers; the highest number there is is that of the queues.
	Shards int    `json:"shards"`
	Owned  []int  `json:"owned"`
	Queues bool   `json:"queues"`
	Code   string `json:"code"`
	// Trouble is what the node tells of itself.
	Trouble Trouble `json:"trouble"`
}

// State is what it does, in a word or two.
func (s Status) State() string {
	switch {
	case s.Silent:
		return "silent"
	case s.Drain && s.Shards > 0:
		return "gives back"
	case s.Drain:
		return "drained"
	}
	return "beats"
}

// StatusOf are the nodes of a view, by name, and how many shards are nobody's. silent tells of each whether it beats.
func StatusOf(ctx context.Context, e engine.Engine, v engine.View, silent func(engine.Seen) bool) (
	list []Status, free int, err error) {
	free = len(v.Shards)
	for _, n := range v.Nodes {
		is := Status{Name: n.ID.Name(), URL: n.URL, Beats: n.Beat, Silent: silent(n), Drain: n.Drain != 0, Code: n.Hash,
			Owned: []int{}}
		for _, s := range v.Shards {
			if s.Owner == n.ID {
				is.Owned = append(is.Owned, s.ID)
				is.Queues = is.Queues || s.ID == len(v.Shards)-1
			}
		}
		is.Shards = len(is.Owned)
		free -= is.Shards
		if is.Trouble, err = TroubleOf(ctx, e, n.ID); err != nil {
			return nil, 0, err
		}
		list = append(list, is)
	}
	slices.SortFunc(list, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
	return list, free, nil
}

// Sight is the cluster as a node sees it.
type Sight struct {
	Nodes []Status `json:"nodes"`
	// Free of Shards shards belong to nobody.
	Free   int `json:"freeShards"`
	Shards int `json:"allShards"`
	// Restored says that the database was put back to an older state, so that no node serves.
	Restored string `json:"restored,omitempty"`
}

// heard is the last beat of a node, and since when there was no other one.
type heard struct {
	beat  int64
	since time.Time
}

// hearLocked notes the beats of a view. It is called with mu held.
func (n *Self) hearLocked(v engine.View) {
	before := n.heard
	n.heard = map[engine.NodeID]heard{}
	for _, x := range v.Nodes {
		h, ok := before[x.ID]
		if !ok || h.beat != x.Beat {
			h = heard{x.Beat, time.Now()}
		}
		n.heard[x.ID] = h
	}
}

// Status looks at the cluster.
func (n *Self) Status(ctx context.Context) (s Sight, err error) {
	v, err := n.o.Engine.Look(ctx)
	if err != nil {
		return s, err
	}
	n.mu.Lock()
	n.hearLocked(v)
	last := n.heard // it is replaced, never changed
	n.mu.Unlock()
	now := time.Now()
	quiet := map[string]time.Duration{}
	s.Shards, s.Restored = len(v.Shards), v.Restored
	s.Nodes, s.Free, err = StatusOf(ctx, n.o.Engine, v, func(x engine.Seen) bool {
		quiet[x.ID.Name()] = now.Sub(last[x.ID].since)
		return quiet[x.ID.Name()] > x.Lease/2
	})
	for i := range s.Nodes {
		s.Nodes[i].Quiet = quiet[s.Nodes[i].Name].Seconds()
	}
	return s, err
}

// Engine is what keeps the cluster.
func (n *Self) Engine() engine.Engine { return n.o.Engine }
