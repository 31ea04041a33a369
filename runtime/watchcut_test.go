package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/journal"
	nodes "eddy/runtime/sharing"
)

// cuttable passes connections to an address on, until it is cut; then it refuses them.
type cuttable struct {
	net.Listener
	to string

	mu    sync.Mutex // guards the rest
	cut   bool
	conns []net.Conn
}

func newCuttable(t *testing.T, to string) *cuttable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &cuttable{Listener: l, to: to}
	t.Cleanup(func() { _ = l.Close(); p.setCut(true) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(c)
		}
	}()
	return p
}

func (p *cuttable) pass(c net.Conn) {
	defer func() { _ = c.Close() }()
	there, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer func() { _ = there.Close() }()
	p.mu.Lock()
	cut := p.cut
	p.conns = append(p.conns, c, there)
	p.mu.Unlock()
	if cut {
		return
	}
	go func() {
		_, _ = io.Copy(there, c) // it was cut, or is over
		_ = there.Close()
		_ = c.Close()
	}()
	_, _ = io.Copy(c, there)
}

func (p *cuttable) setCut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

// seenThrough is an engine that shows nodes behind proxies, and each time as other incarnations.
type seenThrough struct {
	engine.Engine
	at    map[string]string // by name of a node
	looks atomic.Int64
}

func (e *seenThrough) Look(ctx context.Context) (engine.View, error) {
	v, err := e.Engine.Look(ctx)
	look := e.looks.Add(1)
	for i, n := range v.Nodes {
		v.Nodes[i].URL = e.at[n.ID.Name()]
		v.Nodes[i].ID = engine.NodeID(fmt.Sprint(n.ID.Name(), "/", look))
	}
	return v, err
}

// watched is what one call of Watch has told.
type watched struct {
	told    chan string
	entries chan string // paths that were asked for
	over    chan error
	end     context.CancelFunc
}

func (c *testCluster) watch(e engine.Engine) *watched {
	c.t.Helper()
	ctx, end := context.WithCancel(context.Background())
	w := &watched{told: make(chan string, 100), entries: make(chan string, 1000), over: make(chan error, 1), end: end}
	opened := make(chan struct{})
	go func() {
		w.over <- nodes.Watch(ctx, e, testToken, func() error { close(opened); return nil },
			func(node string, how journal.Following, why error) {
				w.told <- fmt.Sprintf("%s: %d, %v", node, how, why)
			}, func(x *journal.Entry) error {
				if x.Kind == journal.Fetch && x.Request != nil {
					at, err := url.Parse(x.Request.URL)
					if err != nil {
						return err
					}
					if x.Object == nil {
						w.entries <- at.Path
					}
				}
				return nil
			})
	}()
	select {
	case <-opened:
	case err := <-w.over:
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		end()
		if err := <-w.over; !errors.Is(err, context.Canceled) {
			c.t.Errorf("the watch ended with %v", err)
		}
	})
	return w
}

func (w *watched) hears(t *testing.T, want string) {
	t.Helper()
	if got := <-w.told; !strings.HasPrefix(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// A stream from a node that breaks goes on when the node can be reached again, with all that the node has recorded
// meanwhile and nothing twice, also if nothing had come before or its process has another incarnation; a node that has
// nothing to give is told once.
func TestWatchIsCut(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", script("explorercluster", "wrangler.jsonc"), "index.js",
		script("explorercluster", "index.js"))
	c := newTestCluster(t)
	c.journal = JournalOn
	c.silent = map[int]bool{2: true}
	if err := c.start(p.dir, false); err != nil {
		t.Fatal(err)
	}
	v, err := c.kept.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	proxies, at := map[string]*cuttable{}, map[string]string{}
	for _, n := range v.Nodes {
		u, err := url.Parse(n.URL)
		if err != nil {
			t.Fatal(err)
		}
		proxies[n.ID.Name()] = newCuttable(t, u.Host)
		at[n.ID.Name()] = "https://" + proxies[n.ID.Name()].Addr().String()
	}
	asked := 0
	ask := func(node int) string {
		t.Helper()
		asked++
		path := fmt.Sprintf("/asked%d", asked)
		res, err := http.Get(c.webs[node].URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatal(res.Status)
		}
		return path
	}
	through := &seenThrough{Engine: c.kept, at: at}
	w := c.watch(through)
	w.hears(t, "n2: 3, node n2 records nothing: it runs with --journal=off")
	gets := func(paths ...string) {
		t.Helper()
		for _, want := range paths {
			if got := <-w.entries; got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
	}
	for round := range 3 { // in the first nothing has come before
		proxies["n1"].setCut(true)
		w.hears(t, "n1: 0, node n1")
		meanwhile := []string{ask(1), ask(1)}
		gets(ask(0)) // the others go on
		proxies["n1"].setCut(false)
		w.hears(t, "n1: 1, <nil>")
		gets(append(meanwhile, ask(1))...)
		if round == 1 { // a stream that begins behind entries, and gets none before it breaks
			w.end()
			if err := <-w.over; !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			w.over <- context.Canceled
			w = c.watch(through)
			w.hears(t, "n2: 3")
		}
	}
	list, err := nodes.Recorded(t.Context(), c.kept, testToken)
	if err == nil || !strings.Contains(err.Error(), "node n2 records nothing") || len(list) < asked {
		t.Errorf("%d entries, %v", len(list), err)
	}
	for text := ""; !strings.Contains(text, "Node n2 gives no events"); {
		_, text = c.page(0, "events", "text/html", testToken)
	}
}
