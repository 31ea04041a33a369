package sharing

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"eddy/queues"
	"eddy/queues/logstore"
	"eddy/runtime/cluster/files"
	"eddy/runtime/cluster/member"
	"eddy/runtime/cluster/node"
	"eddy/runtime/report"
	"eddy/runtime/sharing/peer"
)

// hosting is the cluster's queues on this node, while it has their shard: the broker, whose log lies in the shard, and
// the host that serves it to all nodes. It implements [node.Part].
type hosting struct {
	s    *Sharing
	node *node.Node

	mu      sync.Mutex // guards the rest
	current *hosted    // nil while the shard is another node's
	latest  *hosted    // also if it has ended
	ending  bool
	running sync.WaitGroup
}

// hosted is one ownership of the shard.
type hosted struct {
	shard *member.Shard
	// opened is closed when broker and host are there, or err says why not.
	opened chan struct{}
	// before is the ownership before this one, nil for none; closed is closed when this one has ended.
	before *hosted
	closed chan struct{}
	broker *queues.Broker
	host   *peer.Host
	fs     *files.FS
	err    error
	ended  sync.Once
}

// snapshotBytes is how much is written to the log between two snapshots: each of them crosses the network.
const snapshotBytes = 8 << 20

// handOverTime is how long deliveries in flight may take when the queues go to another node; what has not ended by then
// is delivered again.
const handOverTime = 250 * time.Millisecond

// Gained implements [node.Part].
func (g *hosting) Gained(shard *member.Shard) {
	h := &hosted{shard: shard, opened: make(chan struct{}), closed: make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ending {
		return
	}
	h.before = g.latest
	g.current, g.latest = h, h
	g.running.Go(func() { g.open(h) })
}

// open reads the log and begins to serve.
func (g *hosting) open(h *hosted) {
	defer close(h.opened)
	if h.before != nil {
		<-h.before.closed
		h.before = nil
	}
	dir := filepath.Join(string(g.s.o.State), "cluster", "queues", fmt.Sprint(h.shard.Epoch()))
	err := os.RemoveAll(dir)
	if err == nil {
		h.fs, err = files.Open(context.Background(), h.shard, logstore.MachineFS{}, filepath.ToSlash(dir))
	}
	var broker *queues.Broker
	var host *peer.Host
	if err == nil {
		var rep logstore.Report
		broker, rep, err = queues.Open(queues.Options{Dir: "queues", FS: h.fs, Clock: g.s.o.Clock, Rand: g.s.o.Random,
			SnapshotBytes: snapshotBytes,
			Warn:          func(text string) { g.s.o.Report.Line(report.Warn, "queues", text) }})
		for _, line := range rep.Cut {
			g.s.o.Report.Line(report.Warn, "queues", "queue log: "+line)
		}
	}
	if err == nil {
		host, err = peer.NewHost(peer.Options{Token: g.node.Token(), Fire: g.s.fired,
			Session: peer.Member{PID: os.Getpid(), Node: string(g.node.ID()), URL: g.node.URL()}}, broker)
	}
	g.mu.Lock()
	h.broker, h.host = broker, host
	g.mu.Unlock()
	if err == nil {
		err = g.s.openDoor()
	}
	if h.err = err; err != nil {
		g.s.o.Report.Line(report.Error, "queues", fmt.Sprintf("The cluster's queues cannot be served here: %v", err))
	}
}

// openHost is the host and its broker, nil while the queues are not here.
func (g *hosting) openHost() *hosted {
	g.mu.Lock()
	h := g.current
	g.mu.Unlock()
	if h == nil {
		return nil
	}
	select {
	case <-h.opened:
		if h.err == nil {
			return h
		}
	default:
	}
	return nil
}

// broker is the one that is served here, nil while the queues are another node's. While it is being opened, openDoor
// asks for it.
func (g *hosting) broker() *queues.Broker {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current == nil || g.current.host == nil {
		return nil
	}
	return g.current.broker
}

// Lost implements [node.Part].
func (g *hosting) Lost(shard *member.Shard) { g.leave(shard, false, func() {}) }

// Handing implements [node.Part].
func (g *hosting) Handing(shard *member.Shard, ready func()) { g.leave(shard, true, ready) }

// leave ends an ownership; done is called when nothing is written any more. In order, what is in flight may end and the
// other nodes are told; otherwise nothing that happens from now on counts.
func (g *hosting) leave(shard *member.Shard, inOrder bool, done func()) {
	g.mu.Lock()
	h := g.current
	if h == nil || h.shard != shard {
		g.mu.Unlock()
		done()
		return
	}
	g.current = nil
	g.running.Add(1)
	g.mu.Unlock()
	go func() {
		defer g.running.Done()
		h.end(g, inOrder)
		done()
	}()
}

func (h *hosted) end(g *hosting, inOrder bool) {
	<-h.opened
	h.ended.Do(func() {
		defer close(h.closed)
		g.s.closeDoor()
		if h.host != nil {
			if inOrder {
				ctx, cancel := context.WithTimeout(context.Background(), handOverTime)
				h.host.Close(ctx)
				cancel()
			} else {
				h.host.Cut()
			}
		}
		var err error
		if h.broker != nil {
			err = h.broker.Close()
		}
		if h.fs != nil {
			err = errors.Join(err, h.fs.Close())
		}
		if err != nil && inOrder {
			g.s.o.Report.Line(report.Warn, "queues", fmt.Sprintf("hand over the queues: %v", err))
		}
		_ = os.RemoveAll(filepath.Join(string(g.s.o.State), "cluster", "queues", fmt.Sprint(h.shard.Epoch())))
	})
}

// stop ends what is served here, in order, and takes nothing any more.
func (g *hosting) stop() {
	g.mu.Lock()
	g.ending = true
	h := g.current
	g.current = nil
	g.mu.Unlock()
	if h != nil {
		h.end(g, true)
	}
	g.running.Wait()
}

// find looks up who has the queues.
func (g *hosting) find(context.Context) (peer.Address, error) {
	if at, ok := g.where(); ok {
		return at, nil
	}
	g.node.Look()
	return peer.Address{}, errors.New("no node of the cluster has the queues now")
}

func (g *hosting) where() (peer.Address, bool) {
	p := g.node.Place(g.node.QueueShard())
	return peer.Address{URL: p.URL, Token: g.node.Token(), Cert: string(p.Cert)}, p.URL != ""
}

// follow keeps the link of this node's guest and the guests of its host in line with what the cluster knows, until the
// session ends. A node that was lost does not say so.
func (g *hosting) follow() {
	for {
		changed := g.node.Changed()
		if at, ok := g.where(); ok {
			g.s.Queues.Moved(at)
		}
		if h := g.openHost(); h != nil {
			h.host.Keep(g.node.Lives)
		}
		select {
		case <-changed:
		case <-g.s.ending:
			return
		}
	}
}

// ServeHTTP takes links.
func (g *hosting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := g.openHost(); h != nil {
		h.host.ServeHTTP(w, r)
		return
	}
	http.Error(w, "The queues of the cluster are not on this node, or not yet.", http.StatusServiceUnavailable)
}
