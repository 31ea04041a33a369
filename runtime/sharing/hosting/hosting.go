package hosting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"eddy/queues"
	"eddy/queues/logstore"
	"eddy/runtime/clock"
	"eddy/runtime/cluster/files"
	"eddy/runtime/cluster/node"
	"eddy/runtime/report"
	"eddy/runtime/sharing/peer"
)

// New is for [node.Self.Queues].
func New(o Options) *Hosting { return &Hosting{o: o} }

// Options are the arguments of [New]. The functions may be called from any goroutine.
type Options struct {
	Node *node.Self
	// State is the node's scratch directory.
	State  string
	Clock  clock.Clock
	Random io.Reader
	Report *report.Reporter
	// Fire tells event subscriptions of an event; see [peer.Options]. It does not wait any more when leaving is closed:
	// the queues go to another node.
	Fire func(leaving <-chan struct{}, event []byte, done func(error))
	// Opened is called when the queues are here, Closed before they go.
	Opened func() error
	Closed func()
}

// Hosting is the cluster's queues on this node, while it has their shard: the broker, whose log lies in the shard, and
// the hub that serves it to all nodes. It implements [node.Part]. Make one with [New].
type Hosting struct {
	o Options

	mu      sync.Mutex // guards the rest
	current *hosted    // nil while the shard is another node's
	latest  *hosted    // also if it has ended
	ending  bool
	running sync.WaitGroup
}

// hosted is one ownership of the shard.
type hosted struct {
	shard *node.Shard
	// opened is closed when broker and host are there, or err says why not.
	opened chan struct{}
	// gone is closed when the shard is to be another node's, leaving when what is served then begins to end.
	gone, leaving chan struct{}
	// before is the ownership before this one, nil for none; closed is closed when this one has ended.
	before *hosted
	closed chan struct{}
	broker *queues.Broker
	hub    *peer.Hub
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
func (g *Hosting) Gained(shard *node.Shard) {
	h := &hosted{shard: shard, opened: make(chan struct{}), gone: make(chan struct{}), leaving: make(chan struct{}),
		closed: make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ending {
		return
	}
	h.before = g.latest
	g.current, g.latest = h, h
	g.running.Go(func() { g.open(h) })
}

// open reads the log and begins to serve. What fails is tried again for as long as the shard is here: nobody else can
// serve the queues meanwhile.
func (g *Hosting) open(h *hosted) {
	defer close(h.opened)
	if h.before != nil {
		<-h.before.closed
		h.before = nil
	}
	began, told := time.Now(), ""
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := g.serve(h)
		if err == nil {
			break
		}
		if !g.has(h) {
			h.err = err
			return
		}
		if late := time.Since(began) > openPatience || files.Damaged(err); late && err.Error() != told {
			told = err.Error()
			g.o.Report.Line(report.Error, "queues", fmt.Sprintf(
				"The cluster's queues cannot be served here, and nobody else has them; tried again until they can: %v",
				err))
		}
		select {
		case <-time.After(pause):
		case <-h.gone:
		}
	}
	if told != "" {
		g.o.Report.Line(report.Warn, "queues", "The cluster's queues are served here now.")
	}
}

const (
	// openPatience is for how long attempts may fail before that is told: the database may be away for a moment.
	openPatience = 10 * time.Second
	// The pauses between two attempts to open them.
	firstPause, longestPause = 50 * time.Millisecond, 5 * time.Second
)

// serve makes one attempt: if it fails nothing of it is left.
func (g *Hosting) serve(h *hosted) error {
	broker, err := g.replay(h)
	if err != nil {
		return err
	}
	hub, err := peer.NewHub(peer.Options{Token: g.o.Node.Token(),
		Fire:    func(event []byte, done func(error)) { g.o.Fire(h.leaving, event, done) },
		Session: peer.Member{PID: os.Getpid(), Node: string(g.o.Node.ID()), URL: g.o.Node.URL()}}, broker)
	if err != nil {
		return errors.Join(err, broker.Close(), h.fs.Close())
	}
	g.setServed(h, broker, hub)
	if err = g.o.Opened(); err == nil {
		return nil
	}
	g.o.Closed()
	g.setServed(h, nil, nil)
	hub.Cut()
	return errors.Join(err, broker.Close(), h.fs.Close())
}

// setServed says what an ownership serves.
func (g *Hosting) setServed(h *hosted, broker *queues.Broker, hub *peer.Hub) {
	g.mu.Lock()
	defer g.mu.Unlock()
	h.broker, h.hub = broker, hub
}

// replay opens the log's files in the shard, and the broker over them.
func (g *Hosting) replay(h *hosted) (*queues.Broker, error) {
	dir := g.scratch(h)
	err := os.RemoveAll(dir)
	if err == nil {
		h.fs, err = files.Open(context.Background(), h.shard, logstore.MachineFS{}, filepath.ToSlash(dir))
	}
	if err != nil {
		return nil, err
	}
	b, rep, err := queues.Open(queues.Options{Dir: "queues", FS: h.fs, Clock: g.o.Clock, Rand: g.o.Random,
		SnapshotBytes: snapshotBytes,
		Warn:          func(text string) { g.o.Report.Line(report.Warn, "queues", text) }})
	if err != nil {
		return nil, errors.Join(err, h.fs.Close())
	}
	for _, line := range rep.Cut {
		g.o.Report.Line(report.Warn, "queues", "queue log: "+line)
	}
	return b, nil
}

// scratch is where an ownership has its copy of the log's files.
func (g *Hosting) scratch(h *hosted) string {
	return filepath.Join(g.o.State, "cluster", "queues", fmt.Sprint(h.shard.Epoch()))
}

// has tells whether an ownership is the present one.
func (g *Hosting) has(h *hosted) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.current == h
}

// Hub serves the queues, nil while they are not here.
func (g *Hosting) Hub() *peer.Hub {
	g.mu.Lock()
	h := g.current
	g.mu.Unlock()
	if h == nil {
		return nil
	}
	select {
	case <-h.opened:
		if h.err == nil {
			return h.hub
		}
	default:
	}
	return nil
}

// Broker is the one that is served here, nil while the queues are another node's. While it is being opened, Opened
// asks for it.
func (g *Hosting) Broker() *queues.Broker {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current == nil || g.current.hub == nil {
		return nil
	}
	return g.current.broker
}

// Lost implements [node.Part].
func (g *Hosting) Lost(shard *node.Shard) { g.leave(shard, false, func() {}) }

// Handing implements [node.Part].
func (g *Hosting) Handing(shard *node.Shard, ready func()) { g.leave(shard, true, ready) }

// leave ends an ownership; done is called when nothing is written any more. In order, what is in flight may end and the
// other nodes are told; otherwise nothing that happens from now on counts.
func (g *Hosting) leave(shard *node.Shard, inOrder bool, done func()) {
	g.mu.Lock()
	h := g.current
	if h == nil || h.shard != shard {
		g.mu.Unlock()
		done()
		return
	}
	g.current = nil
	close(h.gone)
	g.running.Add(1)
	g.mu.Unlock()
	go func() {
		defer g.running.Done()
		h.end(g, inOrder)
		done()
	}()
}

func (h *hosted) end(g *Hosting, inOrder bool) {
	<-h.opened
	h.ended.Do(func() {
		defer close(h.closed)
		close(h.leaving)
		g.o.Closed()
		if h.hub != nil {
			if inOrder {
				ctx, cancel := context.WithTimeout(context.Background(), handOverTime)
				h.hub.Close(ctx)
				cancel()
			} else {
				h.hub.Cut()
			}
		}
		var err error
		if h.broker != nil {
			err = errors.Join(h.broker.Close(), h.fs.Close())
		}
		if err != nil && inOrder {
			g.o.Report.Line(report.Warn, "queues", fmt.Sprintf("hand over the queues: %v", err))
		}
		_ = os.RemoveAll(g.scratch(h))
	})
}

// Stop ends what is served here, in order, and takes nothing any more.
func (g *Hosting) Stop() {
	g.mu.Lock()
	g.ending = true
	h := g.current
	g.current = nil
	if h != nil {
		close(h.gone)
	}
	g.mu.Unlock()
	if h != nil {
		h.end(g, true)
	}
	g.running.Wait()
}

// Find looks up who has the queues. Who had them as of the last look may not have them any more, so it looks again for
// who asks next.
func (g *Hosting) Find(context.Context) (peer.Address, error) {
	defer g.o.Node.Look()
	if at, ok := g.Where(); ok {
		return at, nil
	}
	return peer.Address{}, errors.New("no node of the cluster has the queues now")
}

// Where says who has the queues, as of the last look.
func (g *Hosting) Where() (peer.Address, bool) {
	p := g.o.Node.Place(g.o.Node.QueueShard())
	return peer.Address{URL: p.URL, Token: g.o.Node.Token(), Cert: string(p.Cert)}, p.URL != ""
}

// Follow keeps the link of this node's guest and the guests of its host in line with what the cluster knows, until the
// session ends. A node that was lost does not say so.
func (g *Hosting) Follow(q *peer.Queues, ending <-chan struct{}) {
	for {
		changed := g.o.Node.Changed()
		if at, ok := g.Where(); ok {
			q.Moved(at)
		}
		if h := g.Hub(); h != nil {
			h.Keep(g.o.Node.Lives)
		}
		select {
		case <-changed:
		case <-ending:
			return
		}
	}
}

// openingTime is how long a link waits for queues that are being opened, while this process does not stand still:
// longer than that takes while the database answers, shorter than a guest's patience.
const openingTime = time.Second

// ServeHTTP takes links. One that comes while the queues are being opened here waits for them.
func (g *Hosting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	h := g.current
	g.mu.Unlock()
	if h != nil {
		patient, cancel := clock.WithPatience(r.Context(), openingTime)
		select {
		case <-h.opened:
		case <-patient.Done():
		}
		cancel()
	}
	if h := g.Hub(); h != nil {
		h.ServeHTTP(w, r)
		return
	}
	http.Error(w, "The queues of the cluster are not on this node, or not yet.", http.StatusServiceUnavailable)
}
