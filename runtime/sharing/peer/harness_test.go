package peer

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	"eddy/queues"
	"eddy/queues/logstore"
)

// world is a state directory in memory: its log, and what its running file would say.
type world struct {
	t  testing.TB
	fs *logstore.MemFS

	mu    sync.Mutex // guards the rest
	owner Address
	pids  int
}

func newWorld(t testing.TB) *world { return &world{t: t, fs: logstore.NewMemFS(), pids: os.Getpid()} }

func (w *world) announce(a Address) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.owner = a
}

// node is a session.
type node struct {
	*Queues
	w       *world
	web     *httptest.Server
	changes chan Change
	sent    chan string // lane queues that LaneSent was told of
	served  chan string // queues that Serve was told of
}

// options are those of a session that runs the Workers named.
func (w *world) options(n *node, workers ...string) Options {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pids++
	s := Member{PID: w.pids}
	for _, name := range workers {
		s.Workers = append(s.Workers, Worker{Name: name})
	}
	token := "token of " + workers[0]
	return Options{
		OpenLog: func() (*queues.Broker, error) {
			b, _, err := queues.Open(queues.Options{Dir: "log", FS: w.fs})
			return b, err
		},
		Find: func(context.Context) (Address, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.owner.URL == "" {
				return w.owner, errors.New("nobody is announced")
			}
			return w.owner, nil
		},
		Token: token, Session: s,
		Took:     func(*queues.Broker) error { w.announce(Address{URL: n.web.URL, Token: token}); return nil },
		Serve:    func(_, queue string) { n.served <- queue },
		LaneSent: func(queue string) { n.sent <- queue },
		Changed:  func(c Change) { n.changes <- c },
	}
}

// join starts a session; the first one owns the log.
func (w *world) join(workers ...string) *node {
	w.t.Helper()
	n, err := w.tryJoin(workers...)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *world) tryJoin(workers ...string) (*node, error) {
	n := &node{w: w, changes: make(chan Change, 1000), sent: make(chan string, 1000), served: make(chan string, 10)}
	n.web = httptest.NewUnstartedServer(nil)
	n.web.Config.Handler = n // set before it serves; its Queues come below
	o := w.options(n, workers...)
	var err error
	if n.Queues, err = Open(context.Background(), o); err != nil {
		return nil, err
	}
	n.web.Start()
	n.Announce(Member{PID: o.Session.PID, URL: n.web.URL, Workers: o.Session.Workers})
	if n.Broker() != nil {
		w.announce(Address{URL: n.web.URL, Token: o.Token})
	}
	w.t.Cleanup(func() {
		if err := n.Close(); err != nil {
			w.t.Error(err)
		}
		n.web.Close()
	})
	return n, nil
}

// await waits for a change.
func (n *node) await(kind ChangeKind) Change {
	n.w.t.Helper()
	for {
		select {
		case change := <-n.changes:
			if change.Kind == kind {
				return change
			}
		case <-n.w.t.Context().Done():
			n.w.t.Fatalf("no change %q", kind)
		}
	}
}

// crash ends an owner as a kill does: nothing is said, and the log's lock is free.
func (n *node) crash() {
	n.w.announce(Address{})
	h := n.owner.Load()
	h.mu.Lock()
	h.closed = true
	for c := range h.conns {
		_ = c.pipe.ws.CloseNow()
	}
	h.mu.Unlock()
	if err := n.Broker().Close(); err != nil {
		n.w.t.Error(err)
	}
}

// cut ends a guest as a kill does.
func (n *node) cut() {
	n.hold()
	n.mu.Lock()
	defer n.mu.Unlock()
	_ = n.mu.link.pipe.ws.CloseNow()
}

func (n *node) declare(t queues.Topology) {
	n.w.t.Helper()
	if err := n.Declare(context.Background(), t); err != nil {
		n.w.t.Fatal(err)
	}
}

func (n *node) attach(queue string, c queues.Consumer) (detach func()) {
	n.w.t.Helper()
	detach, err := n.Attach(queue, c)
	if err != nil {
		n.w.t.Fatal(err)
	}
	return detach
}

// answer is what a send came to.
type answer struct {
	m   queues.Metrics
	err error
}

// start begins a send; its answer comes through the channel.
func (n *node) start(queue string, bodies ...string) <-chan answer {
	ch := make(chan answer, 1)
	n.SendAsync(queue, texts(bodies...), queues.SendOptions{Batch: len(bodies) > 1},
		func(m queues.Metrics, err error) { ch <- answer{m, err} })
	return ch
}

func (n *node) send(queue string, bodies ...string) queues.Metrics {
	n.w.t.Helper()
	a := <-n.start(queue, bodies...)
	if a.err != nil {
		n.w.t.Fatal(a.err)
	}
	return a.m
}

func (n *node) metrics(queue string) queues.Metrics {
	n.w.t.Helper()
	ch := make(chan answer, 1)
	n.MetricsAsync(queue, func(m queues.Metrics, err error) { ch <- answer{m, err} })
	a := <-ch
	if a.err != nil {
		n.w.t.Fatal(a.err)
	}
	return a.m
}

func texts(bodies ...string) []queues.Outgoing {
	var out []queues.Outgoing
	for _, b := range bodies {
		out = append(out, queues.Outgoing{Body: []byte(b), ContentType: queues.ContentText})
	}
	return out
}

// consuming declares a queue with a consumer that takes every message at once, alone, and retries without delay.
func consuming(queue, script string) queues.Topology {
	c := queues.DefaultConsumer(queue, queues.WorkerConsumer)
	c.Script, c.MaxBatchTimeout, c.MaxBatchSize, c.MaxConcurrency = script, 0, 1, 1
	return queues.Topology{Consumers: []queues.ConsumerConfig{c}}
}

func producing(names ...string) queues.Topology { return queues.Topology{Queues: names} }

// probe is a consumer that hands on what it gets, to be settled by the test.
type probe chan flight

type flight struct {
	*queues.Batch
	ctx  context.Context
	done func(queues.Outcome)
}

func newProbe() probe { return make(probe, 1000) }

// Deliver implements [queues.Consumer].
func (p probe) Deliver(ctx context.Context, b *queues.Batch, done func(queues.Outcome)) {
	p <- flight{b, ctx, done}
}

// ack takes the next batch, checks its only message, and acknowledges it.
func (p probe) ack(t *testing.T, body string) {
	t.Helper()
	f := <-p
	if got := string(f.Messages[0].Body); got != body {
		t.Errorf("got %q, want %q", got, body)
	}
	f.done(queues.Outcome{})
}
