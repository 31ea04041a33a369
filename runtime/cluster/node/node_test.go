package node

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"eddy/runtime/cluster/engine"
)

func start(t *testing.T, e engine.Engine, name string) (*Self, error) {
	t.Helper()
	n, err := Start(t.Context(), Options{Engine: e, Token: "0123456789abcdef", ObjectShards: 2, Name: name,
		Listen: "127.0.0.1:0"})
	if err == nil {
		t.Cleanup(func() { n.Close(context.Background()) })
	}
	return n, err
}

// A stranger is refused at the link port: without the token, and by who pins another certificate.
func TestStrangers(t *testing.T) {
	n, err := start(t, engine.NewMemory(3), "a")
	if err != nil {
		t.Fatal(err)
	}
	n.Handle(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	for token, want := range map[string]int{"": 403, "Bearer ": 403, "Bearer wrong": 403,
		"Bearer 0123456789abcdef": http.StatusTeapot} {
		req, err := http.NewRequest(http.MethodGet, n.URL(), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", token)
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%q: %d, want %d", token, res.StatusCode, want)
		}
		if string(res.TLS.PeerCertificates[0].Raw) != string(n.Place(0).Cert) && n.Place(0).Cert != nil {
			t.Error("the certificate is not the one that the cluster knows")
		}
	}
}

// While one node of a name lives, the second is refused and changes nothing.
func TestTaken(t *testing.T) {
	e := engine.NewMemory(3)
	a := engine.Node{ID: engine.NewNodeID("a"), Lease: time.Hour}
	if err := e.Beat(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	var taken *engine.TakenError
	var warned []string
	_, err := Start(t.Context(), Options{Engine: beating{e, a}, Token: "0123456789abcdef", ObjectShards: 2, Name: "a",
		Listen: "127.0.0.1:0", Lease: 100 * time.Millisecond,
		Warn: func(text string) { warned = append(warned, text) }})
	if !errors.As(err, &taken) || !strings.Contains(err.Error(), "--node") || len(warned) > 0 {
		t.Errorf("a second node of the name: %v, warned of %q", err, warned)
	}
}

// beating is an engine on which a node beats whenever another one does, however little the machine lets it run.
type beating struct {
	engine.Engine
	node engine.Node
}

func (b beating) Beat(ctx context.Context, n engine.Node) error {
	return errors.Join(b.Engine.Beat(ctx, b.node), b.Engine.Beat(ctx, n))
}

// A process does not end before the database has the mark: its next start would go on with the older state.
func TestMarkIsKept(t *testing.T) {
	m := engine.NewMemory(3)
	e := &olderEngine{Engine: m, older: m.Copy()}
	stopped := make(chan error, 1)
	n, err := Start(t.Context(), Options{Engine: e, Token: "0123456789abcdef", ObjectShards: 2, Name: "a",
		Listen: "127.0.0.1:0", Lease: 200 * time.Millisecond, Stopped: func(err error) { stopped <- err }})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close(context.Background())
	for have := 0; have == 0; {
		n.mu.Lock()
		changed := n.changed
		have = len(n.mine)
		n.mu.Unlock()
		if have == 0 {
			<-changed
		}
	}
	e.back.Store(true)
	<-stopped
	if mark, err := m.Note(t.Context(), engine.RestoredNote); err != nil || mark.Version != 1 {
		t.Errorf("it stopped before the mark was kept: %+v, %v", mark, err)
	}
}

// olderEngine can be put back to an older state, and refuses the first mark then.
type olderEngine struct {
	engine.Engine
	older   *engine.Memory
	back    atomic.Bool
	refused atomic.Bool
}

func (o *olderEngine) Look(ctx context.Context) (engine.View, error) {
	if o.back.Load() {
		return o.older.Look(ctx)
	}
	return o.Engine.Look(ctx)
}

func (o *olderEngine) SetNote(ctx context.Context, name string, version int64, value []byte) error {
	if name == engine.RestoredNote && o.refused.CompareAndSwap(false, true) {
		return errors.New("the connection is lost")
	}
	return o.Engine.SetNote(ctx, name, version, value)
}

// An operator hears why nothing is answered, and when it is again.
func TestLeaseIsTold(t *testing.T) {
	e := &silentEngine{Engine: engine.NewMemory(3)}
	heard := make(chan string, 100)
	n, err := Start(t.Context(), Options{Engine: e, Token: "0123456789abcdef", ObjectShards: 2, Name: "a",
		Listen: "127.0.0.1:0", Lease: 100 * time.Millisecond, Warn: func(text string) { heard <- text }})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close(context.Background())
	e.away.Store(true)
	if text := <-heard; !strings.Contains(text, "has not answered for 100ms") {
		t.Errorf("told %q", text)
	}
	e.away.Store(false)
	if text := <-heard; !strings.Contains(text, "answers again") {
		t.Errorf("told %q", text)
	}
}

type silentEngine struct {
	engine.Engine
	away atomic.Bool
}

func (s *silentEngine) Beat(ctx context.Context, n engine.Node) error {
	if s.away.Load() {
		return errors.New("no route to the database")
	}
	return s.Engine.Beat(ctx, n)
}

// A node that was killed stands in the way of no other code, once its lease is over.
func TestCodeOfTheDead(t *testing.T) {
	e := engine.NewMemory(3)
	dead := engine.Node{ID: engine.NewNodeID("dead"), Hash: "old", Lease: 50 * time.Millisecond}
	if err := e.Beat(t.Context(), dead); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := checkCode(t.Context(), Options{Engine: e, Name: "a", Code: "new"}); err != nil {
		t.Error(err)
	}
	if time.Since(began) < dead.Lease {
		t.Error("its lease was not waited for")
	}
}

// Nobody joins a cluster whose database was put back to an older state, and whoever is in it stops for good.
func TestMarked(t *testing.T) {
	e := engine.NewMemory(3)
	stopped := make(chan error, 1)
	n, err := Start(t.Context(), Options{Engine: e, Token: "0123456789abcdef", ObjectShards: 2, Name: "a",
		Listen: "127.0.0.1:0", Lease: 200 * time.Millisecond, Stopped: func(err error) { stopped <- err }})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close(context.Background())
	if err := e.SetNote(t.Context(), engine.RestoredNote, 0, []byte("b has noticed")); err != nil {
		t.Fatal(err)
	}
	var marked *engine.MarkedError
	if err := <-stopped; !errors.As(err, &marked) {
		t.Errorf("stopped by %v", err)
	}
	if _, err := start(t, e, "c"); !errors.As(err, &marked) {
		t.Errorf("a start: %v", err)
	}
}

// A node that has left answers what has reached it and waits for where that is now: it is told of changes, too.
func TestKnocksAtWhoHasLeft(t *testing.T) {
	knocked := make(chan struct{})
	var once sync.Once
	left := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case knockPath:
			once.Do(func() { close(knocked) })
		case reachPath: // while it beat, node a may have asked whether it answers, too
		default:
			t.Errorf("it heard of %s", r.URL.Path)
		}
	}))
	defer left.Close()
	e := engine.NewMemory(3)
	n, err := start(t, e, "a")
	if err != nil {
		t.Fatal(err)
	}
	// On a machine with much to do a knock may take too long, or the node may have forgotten who has left before it
	// knocks. Then another one comes and goes.
	for {
		id := comesAndGoes(t, e, n, left)
		n.knock()
		for n.knocksAt(id) {
			changed := n.Changed()
			select {
			case <-knocked:
				return
			case <-changed:
			}
		}
		select {
		case <-knocked:
			return
		default:
		}
	}
}

// comesAndGoes lets a node see another one that is at a server, and then that it has left.
func comesAndGoes(t *testing.T, e engine.Engine, n *Self, at *httptest.Server) engine.NodeID {
	t.Helper()
	b := engine.Node{ID: engine.NewNodeID("b"), URL: at.URL, Cert: at.Certificate().Raw, Lease: time.Hour}
	if err := e.Beat(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	sees := func(want bool) {
		for {
			changed := n.Changed()
			if nodes, _, _ := n.Counts(); n.Lives(string(b.ID)) == want && nodes > 0 {
				return
			}
			n.Look()
			<-changed
		}
	}
	sees(true)
	v, err := e.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	was, _ := v.Node(b.ID)
	if _, err := e.Claim(t.Context(), engine.Nobody, b.ID, was.Beat); err != nil {
		t.Fatal(err)
	}
	sees(false)
	return b.ID
}

// knocksAt tells whether a node is knocked at now.
func (n *Self) knocksAt(id engine.NodeID) bool {
	n.knocks.mu.Lock()
	defer n.knocks.mu.Unlock()
	_, under := n.knocks.of[id]
	return under
}

// What still runs on a node that has left looks when it asks or is knocked at, and does not wait for the next look.
func TestLooksAfterItHasLeft(t *testing.T) {
	n, err := start(t, engine.NewMemory(3), "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, look := range []func(){n.Look, n.knocked} {
		look()
		<-n.glances
	}
}
