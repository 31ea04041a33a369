package explorer

import (
	"context"
	"sync"
	"time"

	"eddy/runtime/journal"
)

const (
	// windowEntries is how many of the latest events are held, windowRoom how many bytes of each journal are read for
	// them when somebody begins to look.
	windowEntries = 2000
	windowRoom    = 4 << 20
	// windowRest is how long the window is kept up after the last look.
	windowRest = 30 * time.Second
)

// window holds the latest events of the journals of a state directory while somebody looks. Any goroutine.
type window struct {
	ctx context.Context
	dir string

	mu       sync.Mutex // guards what follows
	entries  []*journal.Entry
	open     chan struct{} // closed when what was there is read; nil while nobody looks
	failed   error         // why the window ended
	looked   int           // looks since the timer was set
	watchers map[int]func()
	next     int
}

func newWindow(ctx context.Context, o Options) *window {
	return &window{ctx: ctx, dir: o.State.Journals(), watchers: map[int]func(){}}
}

// latest returns the latest events, oldest first. The slice is the caller's, the entries are not.
func (n *window) latest(ctx context.Context) ([]*journal.Entry, error) {
	open := n.look()
	select {
	case <-open:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-n.ctx.Done():
		return nil, n.ctx.Err()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]*journal.Entry(nil), n.entries...), n.failed
}

// watch calls a function after each new event, until the function that it returns is called.
func (n *window) watch(f func()) (cancel func()) {
	n.mu.Lock()
	id := n.next
	n.next++
	n.watchers[id] = f
	n.mu.Unlock()
	n.look()
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.watchers, id)
	}
}

// look opens the window if it is closed, and keeps it open for a while longer.
func (n *window) look() (open chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.looked++
	if n.open == nil {
		n.open, n.failed = make(chan struct{}), nil
		go n.follow(n.open)
	}
	return n.open
}

// follow reads the journals until nobody has looked for a while.
func (n *window) follow(open chan struct{}) {
	ctx, cancel := context.WithCancel(n.ctx)
	defer cancel()
	go n.rest(ctx, cancel)
	err := journal.FollowRecent(ctx, n.dir, windowRoom, n.add, func() { close(open) }, nil,
		func(e *journal.Entry) error { return n.add(e) })
	n.mu.Lock()
	defer n.mu.Unlock()
	if ctx.Err() == nil {
		n.failed = err
	}
	select {
	case <-open:
	default:
		close(open)
	}
	n.open, n.entries = nil, nil
}

// rest ends the window when a whole rest has passed without a look and without a watcher.
func (n *window) rest(ctx context.Context, end func()) {
	tick := time.NewTicker(windowRest)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n.mu.Lock()
		idle := n.looked == 0 && len(n.watchers) == 0
		n.looked = 0
		n.mu.Unlock()
		if idle {
			end()
			return
		}
	}
}

func (n *window) add(e *journal.Entry) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.entries) >= 2*windowEntries {
		n.entries = append(n.entries[:0:0], n.entries[windowEntries:]...)
	}
	n.entries = append(n.entries, e)
	for _, f := range n.watchers {
		f()
	}
	return nil
}
