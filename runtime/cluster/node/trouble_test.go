package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"eddy/runtime/cluster/engine"
)

// lateEngine is a store whose clock is late.
type lateEngine struct {
	engine.Engine
	late atomic.Int64
}

func (l *lateEngine) Look(ctx context.Context) (engine.View, error) {
	v, err := l.Engine.Look(ctx)
	v.Now = v.Now.Add(-time.Duration(l.late.Load()))
	return v, err
}

// troubleLease is after which time a node looks what is wrong, twice.
const troubleLease = 2 * time.Second

// steady is an engine whose nodes are never taken for dead, however little the machine lets them run.
type steady struct{ engine.Engine }

func (s steady) Beat(ctx context.Context, n engine.Node) error {
	n.Lease = time.Hour // as the others see it
	return s.Engine.Beat(ctx, n)
}

// troubled is a node whose warnings the test hears.
func troubled(t *testing.T, e engine.Engine, name, advertise string) (n *Self, heard func(want string) string) {
	t.Helper()
	warned := make(chan string, 100)
	n, err := Start(t.Context(), Options{Engine: steady{e}, Token: "0123456789abcdef", ObjectShards: 2, Name: name,
		Listen: "127.0.0.1:0", Advertise: advertise, Lease: troubleLease,
		Warn: func(text string) { warned <- text }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close(context.Background()) })
	return n, func(want string) string {
		t.Helper()
		for text := range warned {
			if strings.Contains(text, want) {
				return text
			}
		}
		panic("nobody closes it")
	}
}

// kept waits until the database has what a node tells of itself.
func (n *Self) kept(t *testing.T, want func(Trouble) bool) {
	t.Helper()
	for {
		got, err := TroubleOf(t.Context(), n.o.Engine, n.ID())
		if err != nil {
			t.Fatal(err)
		}
		if want(got) {
			return
		}
		select {
		case <-n.Changed():
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

// A clock that is wrong is told, by the node and in the database, and that it is right again.
func TestClock(t *testing.T) {
	t.Parallel()
	e := &lateEngine{Engine: engine.NewMemory(3)}
	e.late.Store(int64(5*time.Second + 100*time.Millisecond))
	n, heard := troubled(t, e, "a", "")
	// What a look tells is less by as much as the machine has let it wait.
	told := 0
	text := heard("The clock of node a is at least ")
	if _, err := fmt.Sscanf(text, "The clock of node a is at least %d s ahead of the database's", &told); err != nil ||
		told < 1 || told > 5 {
		t.Errorf("told: %s", text)
	}
	n.kept(t, func(tr Trouble) bool { return tr.Ahead == 5 })
	for changed := n.Changed(); n.Ahead() < 5*time.Second; changed = n.Changed() {
		<-changed
	}
	if ahead := n.Ahead(); ahead > 5*time.Second+100*time.Millisecond {
		t.Errorf("ahead by %v", ahead)
	}
	e.late.Store(0)
	heard("agrees with the database's again")
	n.kept(t, func(tr Trouble) bool { return tr.Ahead == 0 && tr.ID == n.ID() })
	e.late.Store(int64(-time.Minute))
	heard("s behind the database's")
}

// A node that beats and does not answer is told, and that it answers again; who does not beat is not told.
func TestUnreached(t *testing.T) {
	t.Parallel()
	e := engine.NewMemory(3)
	between, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = between.Close() }()
	var to atomic.Pointer[string]
	go forward(between, &to)
	a, heard := troubled(t, e, "a", "")
	b, _ := troubled(t, e, "b", between.Addr().String())
	heard("Node a does not reach node b")
	a.kept(t, func(tr Trouble) bool { return slices.Equal(tr.Unreached, []string{"b"}) })
	if got := a.Reached(); len(got) != 1 || got["b"] {
		t.Errorf("a reaches %v", got)
	}
	for changed := b.Changed(); !b.Reached()["a"]; changed = b.Changed() { // its first attempt may have taken too long
		<-changed
	}
	address := b.listener.Addr().String()
	to.Store(&address)
	heard("Node b answers this node again")
	a.kept(t, func(tr Trouble) bool { return len(tr.Unreached) == 0 && tr.ID == a.ID() })
}

// forward takes connections to another address, and ends them as long as there is none.
func forward(from net.Listener, at *atomic.Pointer[string]) {
	for {
		c, err := from.Accept()
		if err != nil {
			return
		}
		to := at.Load()
		if to == nil {
			_ = c.Close()
			continue
		}
		d, err := net.Dial("tcp", *to)
		if err != nil {
			_ = c.Close()
			continue
		}
		pump := func(to, from net.Conn) {
			b := make([]byte, 4096)
			for {
				n, err := from.Read(b)
				if err == nil {
					_, err = to.Write(b[:n])
				}
				if err != nil {
					_, _ = to.Close(), from.Close()
					return
				}
			}
		}
		go pump(c, d)
		go pump(d, c)
	}
}

// A node whose files cannot be written gives back what it has, and gets it again when they can, unless an operator has
// drained it meanwhile: that holds until the operator takes it back.
func TestScratch(t *testing.T) {
	t.Parallel()
	e := engine.NewMemory(20)
	var full atomic.Bool
	warned := make(chan string, 100)
	n, err := Start(t.Context(), Options{Engine: steady{e}, Token: "0123456789abcdef", ObjectShards: 19, Name: "a",
		Listen: "127.0.0.1:0", Lease: troubleLease, Warn: func(text string) { warned <- text },
		Scratch: func() error {
			if full.Load() {
				return errors.New("no space left on device")
			}
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close(context.Background()) })
	b, _ := troubled(t, e, "b", "")
	for _, node := range []*Self{n, b} {
		node.Queues(quiet{})
		node.Objects(quiet{})
	}
	// has waits until the node has some shards, or none.
	has := func(some bool) {
		t.Helper()
		for {
			changed := n.Changed()
			if _, mine, _ := n.Counts(); mine > 0 == some {
				return
			}
			<-changed
		}
	}
	has(true)
	full.Store(true)
	has(false)
	n.kept(t, func(tr Trouble) bool { return tr.Scratch == "no space left on device" })
	if !n.Drained() {
		t.Error("it has nothing and is not drained")
	}
	operator := func(on bool) {
		t.Helper()
		if err := e.Drain(t.Context(), n.ID(), engine.Asked, on); err != nil {
			t.Fatal(err)
		}
	}
	operator(true)
	full.Store(false)
	n.kept(t, func(tr Trouble) bool { return tr.Scratch == "" && tr.ID == n.ID() })
	v, err := e.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if is, _ := v.Node(n.ID()); is.Drain != engine.Asked {
		t.Errorf("an operator has drained it, and it is drained for %b, want %b", is.Drain, engine.Asked)
	}
	has(false)
	operator(false)
	has(true)
	n.kept(t, func(tr Trouble) bool { return tr.Scratch == "" && tr.ID == n.ID() })
	for text := range warned { // on a slow machine there are others
		if strings.Contains(text, "gives back what it has until it can: no space left") {
			break
		}
	}
}

// quiet is a part that has nothing to do.
type quiet struct{}

func (quiet) Gained(*Shard)                  {}
func (quiet) Handing(_ *Shard, ready func()) { ready() }
func (quiet) Lost(*Shard)                    {}

// What an earlier incarnation has told is not this one's.
func TestTroubleOf(t *testing.T) {
	e := engine.NewMemory(1)
	if err := e.SetNote(t.Context(), TroubleNote("a"), 0, []byte(`{"id":"a/1","clockAheadSeconds":3}`)); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[engine.NodeID]int{"a/1": 3, "a/2": 0, "b/1": 0} {
		got, err := TroubleOf(t.Context(), e, id)
		if err != nil || got.Ahead != want || len(got.Lines()) != min(want, 1) {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
}
