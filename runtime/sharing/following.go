package sharing

import (
	"context"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"time"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/journal"
	"eddy/runtime/sharing/peer"
)

// joinPause is how often Watch looks for nodes that have come. A node whose stream broke is asked again after
// resumePause, then after twice as long each time until something has come, up to resumeMost.
const (
	joinPause   = time.Second
	resumePause = 100 * time.Millisecond
	resumeMost  = 5 * time.Second
)

// Watch is [Watch], for this node.
func (s *Sharing) Watch(ctx context.Context, opened func() error,
	told func(node string, how journal.Following, why error), f func(*journal.Entry) error) error {
	return Watch(ctx, s.o.Cluster.Engine(), s.token, opened, told, f)
}

// Watch calls f with what happens from now on at all nodes of a cluster, also at those that come later, until ctx ends
// or f returns an error; opened when it has begun, which may show what was before; and told with the name of a node
// that gives nothing any more, and why, or gives it again. A stream that breaks goes on behind the last entry that has
// come, for as long as the node's process lives, whichever its incarnation: no entry comes twice, and told hears it if
// one may be missing. The calls are made one at a time.
func Watch(ctx context.Context, e engine.Engine, token string, opened func() error,
	told func(node string, how journal.Following, why error), f func(*journal.Entry) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	w := &watching{token: token, f: f, told: told, end: end, processes: map[string]*nodeStream{}}
	var begun, all sync.WaitGroup
	for first := true; ; first = false {
		v, err := e.Look(ctx)
		if first && err != nil {
			return err
		}
		if first && len(v.Nodes) == 0 {
			return errors.New("no node of the cluster runs")
		}
		if err == nil {
			for _, p := range w.see(v, first) {
				begun.Add(1)
				all.Go(func() {
					ready := sync.OnceFunc(begun.Done)
					defer ready()
					w.follow(ctx, p, ready)
				})
			}
		}
		if first {
			begun.Wait()
			w.mu.Lock()
			err := opened()
			w.mu.Unlock()
			if err != nil {
				end(err)
			}
		}
		select {
		case <-time.After(joinPause):
		case <-ctx.Done():
			all.Wait()
			return context.Cause(ctx)
		}
	}
}

// watching is one call of Watch.
type watching struct {
	token string
	f     func(*journal.Entry) error
	told  func(node string, how journal.Following, why error)
	end   context.CancelCauseFunc

	mu        sync.Mutex             // held while something is told; guards what follows, too
	processes map[string]*nodeStream // by name and certificate, which each process has its own
}

// nodeStream is what comes from a process that is followed. The process may leave the cluster and join it again as
// another incarnation; its journal is one.
type nodeStream struct {
	node   engine.Seen
	seen   bool   // by the last look
	runs   bool   // somebody follows it
	over   bool   // nothing will come
	broken bool   // that its stream broke was told
	last   string // the span of the last entry before those that are to come; "" if it is unknown
}

// see takes up a look, and gives the processes that are to be followed from now on.
func (w *watching) see(v engine.View, first bool) (fresh []*nodeStream) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.processes {
		p.seen = false
	}
	for _, n := range v.Nodes {
		key := n.ID.Name() + "/" + string(n.Cert)
		p := w.processes[key]
		if p == nil {
			p = &nodeStream{}
			if !first { // all that it records is from now on
				p.last = peer.JournalEmpty
			}
			w.processes[key] = p
		}
		p.node, p.seen = n, true
		if !p.runs && !p.over {
			p.runs = true
			fresh = append(fresh, p)
		}
	}
	return fresh
}

// follow reads the stream of a process, again and again. ready is called when it has come, or has failed for the first
// time.
func (w *watching) follow(ctx context.Context, p *nodeStream, ready func()) {
	for pause := resumePause; ; pause = min(2*pause, resumeMost) {
		w.mu.Lock()
		n, ask := p.node, url.Values{"follow": {"1"}}
		switch p.last {
		case "":
			ask.Set("past", "0")
		case peer.JournalEmpty:
		default: // a node of an earlier version does not know after
			ask.Set("past", "0")
			ask.Set("after", p.last)
		}
		w.mu.Unlock()
		err := entriesOf(ctx, n, w.token, ask, func(h http.Header) {
			w.came(p, h)
			ready()
		}, func(x *journal.Entry) error {
			pause = resumePause
			return w.give(ctx, p, x)
		})
		if w.failed(ctx, p, err) {
			return
		}
		ready()
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		if w.left(ctx, p) {
			return
		}
	}
}

// came hears that the stream of a process has begun, with the headers of the answer.
func (w *watching) came(p *nodeStream, h http.Header) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := p.last
	if before == "" {
		p.last = h.Get(peer.JournalLast)
	}
	if !p.broken {
		return
	}
	p.broken = false
	how := journal.ResumedInPart
	if before == peer.JournalEmpty || h.Get(peer.JournalResumed) == peer.JournalWhole {
		how = journal.Resumed
	}
	w.told(p.node.ID.Name(), how, nil)
}

// give hands an entry on.
func (w *watching) give(ctx context.Context, p *nodeStream, x *journal.Entry) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := w.f(x); err != nil {
		w.end(err)
		return err
	}
	p.last = hex.EncodeToString(x.Span[:])
	return nil
}

// failed hears how a stream has ended, and tells whether that is all.
func (w *watching) failed(ctx context.Context, p *nodeStream, err error) (over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := p.node.ID.Name()
	switch {
	case ctx.Err() != nil:
		return true
	case err == nil || errors.Is(err, errOff): // it leaves in order, or has nothing to give
		p.over = true
		w.told(name, journal.Over, err)
		return true
	case !p.broken:
		p.broken = true
		w.told(name, journal.Broken, err)
	}
	return false
}

// left tells whether a process whose stream broke is not in the cluster any more. If it comes back it is followed
// again.
func (w *watching) left(ctx context.Context, p *nodeStream) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return true
	}
	if !p.seen {
		p.runs = false
		w.told(p.node.ID.Name(), journal.Over, nil)
	}
	return !p.seen
}
