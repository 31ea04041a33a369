package explorer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"eddy/runtime/journal"
)

// nodesPatience is how long nodes may take to give what they have recorded; missingTime how long it is said that one
// gives nothing any more.
const (
	nodesPatience = 5 * time.Second
	missingTime   = time.Minute
)

// nodeWindow holds the latest events of all nodes of a cluster. They are followed while somebody looks. Any goroutine.
type nodeWindow struct {
	c *Nodes

	mu      sync.Mutex // guards what follows
	looks   *nodeLook  // nil while nobody looks
	rest    *time.Timer
	hear    map[int]func()
	next    int
	absent  map[string]absence // by node
	stopped bool
}

// absence says why a node gives nothing, and since when. One that lasts is said until the node gives something again.
type absence struct {
	text  string
	at    time.Time
	lasts bool
}

// nodeLook is one time in which nodes are followed.
type nodeLook struct {
	end context.CancelFunc
	// ready is closed when there is what was before, or err says why not.
	ready   chan struct{}
	once    sync.Once
	err     error
	entries []*journal.Entry // guarded by the window's mu
	has     map[[8]byte]bool
}

func newNodeWindow(ctx context.Context, c *Nodes) *nodeWindow {
	n := &nodeWindow{c: c, hear: map[int]func(){}, absent: map[string]absence{}}
	context.AfterFunc(ctx, func() {
		n.mu.Lock()
		n.stopped = true
		n.mu.Unlock()
		n.drop()
	})
	return n
}

// look begins to follow the nodes, or goes on.
func (n *nodeWindow) look() *nodeLook {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.looks != nil {
		n.rest.Reset(windowRest)
		return n.looks
	}
	ctx, end := context.WithCancel(context.Background())
	l := &nodeLook{end: end, ready: make(chan struct{}), has: map[[8]byte]bool{}}
	if n.stopped {
		end()
	}
	n.looks, n.rest = l, time.AfterFunc(windowRest, n.drop)
	go func() {
		err := n.c.Watch(ctx, func() error { return n.before(ctx, l) }, n.told, func(e *journal.Entry) error {
			n.add(l, e)
			return nil
		})
		l.once.Do(func() { l.err = err; close(l.ready) })
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.looks == l { // the next look begins anew
			n.endLocked()
		}
	}()
	return l
}

// before adds what nodes have recorded before they were followed.
func (n *nodeWindow) before(ctx context.Context, l *nodeLook) error {
	ctx, cancel := context.WithTimeout(ctx, nodesPatience)
	defer cancel()
	list, err := n.c.Recorded(ctx, windowRoom)
	for _, e := range list {
		n.add(l, e)
	}
	if err != nil {
		n.lacks("", err.Error(), false)
	}
	l.once.Do(func() { close(l.ready) })
	return nil
}

func (n *nodeWindow) add(l *nodeLook, e *journal.Entry) {
	n.mu.Lock()
	if !l.has[e.Span] {
		l.has[e.Span] = true
		l.entries = append(l.entries, e)
	}
	if len(l.entries) > 2*windowEntries {
		sortByEnd(l.entries)
		l.entries = append(l.entries[:0:0], l.entries[len(l.entries)-windowEntries:]...)
		clear(l.has)
		for _, x := range l.entries {
			l.has[x.Span] = true
		}
	}
	hear := make([]func(), 0, len(n.hear))
	for _, f := range n.hear {
		hear = append(hear, f)
	}
	n.mu.Unlock()
	for _, f := range hear {
		f()
	}
}

func sortByEnd(list []*journal.Entry) {
	slices.SortStableFunc(list, func(a, b *journal.Entry) int { return a.End().Compare(b.End()) })
}

// told hears how a node gives its events.
func (n *nodeWindow) told(node string, how journal.Following, why error) {
	switch {
	case how == journal.Broken:
		n.lacks(node, fmt.Sprintf("Node %s gives no events for now, and is asked again: %v.", node, why), true)
	case how == journal.Resumed:
		n.mu.Lock()
		delete(n.absent, node)
		n.mu.Unlock()
	case how == journal.ResumedInPart:
		n.lacks(node, fmt.Sprintf("Node %s gives events again; some of what has happened meanwhile is missing.", node),
			false)
	case why != nil:
		n.lacks(node, fmt.Sprintf("Node %s gives no events: %v.", node, why), true)
	default:
		n.lacks(node, fmt.Sprintf("Node %s has ended, and what was recorded on it has gone with it.", node), false)
	}
}

func (n *nodeWindow) lacks(node, text string, lasts bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.absent[node] = absence{text, time.Now(), lasts}
}

// latest implements [happened].
func (n *nodeWindow) latest(ctx context.Context) ([]*journal.Entry, error) {
	l := n.look()
	select {
	case <-l.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l.err != nil {
		return nil, l.err
	}
	n.mu.Lock()
	list := slices.Clone(l.entries)
	n.mu.Unlock()
	sortByEnd(list)
	return list, nil
}

// watch implements [happened].
func (n *nodeWindow) watch(ctx context.Context, changed func()) {
	n.mu.Lock()
	id := n.next
	n.next++
	n.hear[id] = changed
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.hear, id)
	}()
	tick := time.NewTicker(windowRest / 3)
	defer tick.Stop()
	for {
		n.look()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// read implements [happened].
func (n *nodeWindow) read(ctx context.Context, f func(*journal.Entry) error) error {
	list, err := n.all(ctx)
	for _, e := range list {
		if err := f(e); err != nil {
			return err
		}
	}
	return err
}

// all is what was recorded on the nodes that answer.
func (n *nodeWindow) all(ctx context.Context) ([]*journal.Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, nodesPatience)
	defer cancel()
	list, err := n.c.Recorded(ctx, 0)
	if err != nil && len(list) > 0 {
		n.lacks("", err.Error(), false)
		err = nil
	}
	return list, err
}

// tree implements [happened].
func (n *nodeWindow) tree(ctx context.Context, id string) ([]*journal.TreeNode, int, error) {
	list, err := n.all(ctx)
	roots, traces := journal.TreeOf(list, id)
	return roots, traces, err
}

// missing implements [happened].
func (n *nodeWindow) missing() (list []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for node, a := range n.absent {
		if !a.lasts && time.Since(a.at) > missingTime {
			delete(n.absent, node)
		} else {
			list = append(list, a.text)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// drop forgets what is held.
func (n *nodeWindow) drop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.looks != nil {
		n.looks.end()
		n.endLocked()
	}
}

// endLocked is called with mu held when nobody follows the nodes any more: whether they give events is unknown.
func (n *nodeWindow) endLocked() {
	n.rest.Stop()
	n.looks = nil
	maps.DeleteFunc(n.absent, func(_ string, a absence) bool { return a.lasts })
}
