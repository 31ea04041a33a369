package explorer

import (
	"context"
	"sync"
	"time"

	"eddy/runtime/journal"
)

const (
	// windowEntries is how many of the latest events are held, windowRoom how many bytes of each journal are read for
	// them when somebody looks: a session under load writes more than anybody sees.
	windowEntries = 2000
	windowRoom    = 2 << 20
	// windowRest is how long they are held after the last look.
	windowRest = 30 * time.Second
	// windowPoll is how often a stream asks whether a journal has grown. The journal may be another process's.
	windowPoll = 100 * time.Millisecond
)

// happened is where what has happened is read: the journals of a state directory, or those of all nodes.
type happened interface {
	// latest returns the latest events, oldest first. The slice is the caller's, the entries are not.
	latest(ctx context.Context) ([]*journal.Entry, error)
	// watch calls a function when there may be more, until ctx ends.
	watch(ctx context.Context, changed func())
	// read gives all that was recorded.
	read(ctx context.Context, f func(*journal.Entry) error) error
	// tree is [journal.Tree].
	tree(ctx context.Context, id string) (roots []*journal.TreeNode, traces int, err error)
	// missing says what is not among it.
	missing() []string
}

// window holds the latest events of the journals of a state directory. They are read when somebody looks. Any
// goroutine.
type window struct {
	dir string

	mu      sync.Mutex // guards what follows
	recent  *journal.Recent
	entries []*journal.Entry
	rest    *time.Timer
}

func newWindow(ctx context.Context, o Options) *window {
	n := &window{dir: o.State.Journals()}
	context.AfterFunc(ctx, n.drop)
	return n
}

// read implements [happened].
func (n *window) read(_ context.Context, f func(*journal.Entry) error) error {
	return journal.Read(n.dir, nil, f)
}

// tree implements [happened].
func (n *window) tree(_ context.Context, id string) ([]*journal.TreeNode, int, error) {
	return journal.Tree(n.dir, id, nil)
}

// missing implements [happened].
func (n *window) missing() []string { return nil }

// latest implements [happened].
func (n *window) latest(ctx context.Context) ([]*journal.Entry, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.recent == nil {
		n.recent = journal.NewRecent(n.dir, windowRoom)
		n.rest = time.AfterFunc(windowRest, n.drop)
	}
	n.rest.Reset(windowRest)
	_, err := n.recent.Read(func(e *journal.Entry) error {
		if len(n.entries) >= 2*windowEntries {
			n.entries = append(n.entries[:0:0], n.entries[windowEntries:]...)
		}
		n.entries = append(n.entries, e)
		return ctx.Err()
	})
	return append([]*journal.Entry(nil), n.entries...), err
}

// drop forgets what is held.
func (n *window) drop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.recent != nil {
		n.recent.Close()
		n.rest.Stop()
		n.recent, n.entries = nil, nil
	}
}

// watch implements [happened].
func (n *window) watch(ctx context.Context, changed func()) {
	look := journal.NewRecent(n.dir, 0)
	tick := time.NewTicker(windowPoll)
	defer tick.Stop()
	for {
		// A folder that cannot be read has not grown; whoever looks into it is told why.
		if grown, err := look.Grown(); grown && err == nil {
			changed()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
