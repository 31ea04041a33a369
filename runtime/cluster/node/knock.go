package node

import (
	"context"
	"crypto/tls"
	"net/http"
	"slices"
	"sync"
	"time"

	"eddy/runtime/cluster/engine"
)

// knocks tell other nodes that there is something to see, so that they need not wait for their next look. Nothing
// depends on it that one arrives.
type knocks struct {
	running sync.WaitGroup

	mu sync.Mutex // guards the rest
	// of are the nodes that are knocked at; true says once more.
	of map[engine.NodeID]bool
	// ways are kept as long as the node is seen.
	ways map[engine.NodeID]*http.Client
}

const (
	// knockPath is where a node takes knocks.
	knockPath = "/knock"
	// knockTime is how long one may take.
	knockTime = 500 * time.Millisecond
)

// knock knocks at all other nodes. It does not wait.
func (n *Self) knock() {
	n.mu.Lock()
	nodes, me := slices.Clone(n.view.Nodes), n.id
	for _, p := range n.parted {
		nodes = append(nodes, p.Seen)
	}
	n.mu.Unlock()
	k := &n.knocks
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil {
		k.of = map[engine.NodeID]bool{}
	}
	seen := map[engine.NodeID]bool{}
	for _, other := range nodes {
		seen[other.ID] = true
		if other.ID == me || other.URL == "" || n.closing.Err() != nil {
			continue
		}
		if _, under := k.of[other.ID]; under {
			k.of[other.ID] = true
			continue
		}
		k.of[other.ID] = false
		way := k.wayLocked(other)
		k.running.Go(func() {
			for again := true; again; again = k.again(other.ID) {
				n.knockAt(way, other.URL)
			}
		})
	}
	for id, way := range k.ways {
		if _, under := k.of[id]; !seen[id] && !under {
			way.CloseIdleConnections()
			delete(k.ways, id)
		}
	}
}

// again tells whether a node that was knocked at is to be knocked at once more.
func (k *knocks) again(id engine.NodeID) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of[id] {
		k.of[id] = false
		return true
	}
	delete(k.of, id)
	return false
}

func (n *Self) knockAt(way *http.Client, url string) {
	ctx, cancel := context.WithTimeout(n.closing, knockTime)
	defer cancel()
	n.post(ctx, way, url+knockPath) // who does not answer looks by itself
}

// way is how a node is reached.
func (k *knocks) way(to engine.Seen) *http.Client {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.wayLocked(to)
}

// wayLocked is called with mu held.
func (k *knocks) wayLocked(to engine.Seen) *http.Client {
	if k.ways == nil {
		k.ways = map[engine.NodeID]*http.Client{}
	}
	if k.ways[to.ID] == nil {
		k.ways[to.ID] = wayTo(to)
	}
	return k.ways[to.ID]
}

// wayTo makes connections to a node that has the certificate that the cluster knows.
func wayTo(to engine.Seen) *http.Client {
	return &http.Client{Transport: &http.Transport{IdleConnTimeout: time.Minute, TLSClientConfig: &tls.Config{
		InsecureSkipVerify: true, // the certificate is pinned instead
		VerifyConnection:   engine.Pinned(to.URL, string(to.Cert))}}}
}

// knocked hears a knock.
func (n *Self) knocked() {
	n.mu.Lock()
	m := n.member
	n.mu.Unlock()
	m.Knock()
	n.glance()
}

// parted is a node that was a member until lately.
type parted struct {
	engine.Seen
	since time.Time
}

// partedTime is how long a node that has left is told of changes.
const partedTime = time.Second

// partLocked is called with mu held, before view is v, and notes who is no member any more.
func (n *Self) partLocked(v engine.View) {
	now := time.Now()
	for id, p := range n.parted {
		if now.Sub(p.since) > partedTime {
			delete(n.parted, id)
		}
	}
	for _, was := range n.view.Nodes {
		if _, is := v.Node(was.ID); !is {
			n.parted[was.ID] = parted{was, now}
		}
	}
}
