package runtime

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"eddy/queues/workqueue/servers"
	"eddy/runtime/clock"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/member"
	"eddy/runtime/cluster/postgres"
	"eddy/runtime/report"
)

// testCluster is a cluster whose nodes are sessions of this process, kept in memory or by a PostgreSQL of its own.
type testCluster struct {
	t      *testing.T
	kept   engine.Engine
	shards int // of objects
	token  string
	webs   []*httptest.Server
	out    printedLines
	nodes  []*Session
	turn   atomic.Int64 // counts calls
	// journal is what the nodes record; nothing without it.
	journal JournalMode
	// silent are those that record nothing in spite of it.
	silent map[int]bool
	// clock is that of the Workers; nil is the machine's.
	clock clock.Clock
}

const (
	testShards = 16
	testToken  = "a-token-of-tests"
)

func newTestCluster(t *testing.T) *testCluster {
	c := &testCluster{t: t, kept: engine.NewMemory(testShards + 1), shards: testShards, token: testToken,
		nodes: make([]*Session, 3), out: printedLines{newLines()}}
	if *clusterOnPostgres {
		c.keepInPostgres()
	}
	for range c.nodes {
		web := httptest.NewUnstartedServer(nil)
		t.Cleanup(web.Close)
		c.webs = append(c.webs, web)
	}
	return c
}

// keepInPostgres gives the cluster a database server of its own.
func (c *testCluster) keepInPostgres() {
	c.t.Helper()
	s, err := servers.Postgres()
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(s.Stop)
	e, err := postgres.Open(s.URL)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(e.Close)
	made, err := e.Init(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	c.kept, c.shards, c.token = e, made.ObjectShards, made.Token
}

// start starts the nodes with the Worker in dir, and waits until each has the shards that are its own.
func (c *testCluster) start(dir string, scheduled bool) error {
	c.t.Helper()
	errs := make([]error, len(c.nodes))
	var starting sync.WaitGroup
	for i := range c.nodes {
		mode := c.journal
		if c.silent[i] {
			mode = JournalOff
		}
		starting.Go(func() {
			c.nodes[i], errs[i] = Start(context.Background(), Options{Dir: dir, TestScheduled: scheduled,
				Journal: mode, Clock: c.clock,
				Reporter: report.New(report.Options{Out: c.out, Level: report.Log}),
				// Nothing here depends on the lease: it is longer than any machine is slow.
				Cluster: &ClusterOptions{Engine: c.kept, Token: c.token, ObjectShards: c.shards,
					Name: fmt.Sprint("n", i), Listen: "127.0.0.1:0", Lease: time.Hour}})
		})
	}
	starting.Wait()
	all := c.nodes
	c.t.Cleanup(func() {
		for _, s := range all {
			if s == nil {
				continue
			}
			if err := s.Stop(context.Background()); err != nil {
				c.t.Error(err)
			}
		}
	})
	for i, err := range errs {
		if err != nil {
			return err
		}
		h, err := c.nodes[i].Handler("")
		if err != nil {
			c.t.Fatal(err)
		}
		c.webs[i].Config.Handler = h
		c.webs[i].Start()
	}
	c.settle()
	return nil
}

// kill takes a node away as others do with one that they have not heard of for too long: all that it has is theirs, and
// what it still writes is refused. Then it is ended.
func (c *testCluster) kill(i int) {
	c.t.Helper()
	c.claim(i)
	c.leave(i)
}

// lose is kill without the end: the node runs on, and nobody calls it.
func (c *testCluster) lose(i int) {
	c.t.Helper()
	c.claim(i)
	c.forget(i)
	c.settle()
}

// leave ends a node.
func (c *testCluster) leave(i int) {
	c.t.Helper()
	s := c.nodes[i]
	c.forget(i)
	if err := s.Stop(context.Background()); err != nil {
		c.t.Error(err)
	}
	c.settle()
}

// forget takes a node out of those that are called.
func (c *testCluster) forget(i int) {
	c.webs[i].Close()
	c.nodes, c.webs = slices.Concat(c.nodes[:i], c.nodes[i+1:]), slices.Concat(c.webs[:i], c.webs[i+1:])
}

// claim gives all that a node has to nobody.
func (c *testCluster) claim(i int) {
	c.t.Helper()
	id := c.nodes[i].Node().ID()
	v, err := c.kept.Look(context.Background())
	if err != nil {
		c.t.Fatal(err)
	}
	n, _ := v.Node(id)
	if _, err := c.kept.Claim(context.Background(), engine.Nobody, id, n.Beat); err != nil {
		c.t.Fatal(err)
	}
}

// settle waits until each node serves the shards that are its own, has seen that all are ready, and none is about to
// move. A look that is older may let a node hand over shards, and it gets them back: so nothing may have moved until
// each has seen the cluster anew. What a node has looked at for the third time was looked at after the first.
func (c *testCluster) settle() {
	for {
		before := c.placed()
		for range 3 {
			for _, s := range c.nodes {
				changed := s.Node().Changed()
				s.Node().Look()
				<-changed
			}
		}
		if before != nil && slices.Equal(before, c.placed()) {
			return
		}
	}
}

// placed are the epochs of the shards, nil unless each is served where it belongs.
func (c *testCluster) placed() (epochs []int64) {
	v, err := c.kept.Look(context.Background())
	if err != nil {
		c.t.Fatal(err)
	}
	if !balanced(v) {
		return nil
	}
	names := c.namesInShards()
	for _, shard := range v.Shards {
		if !slices.ContainsFunc(c.nodes, func(s *Session) bool {
			if shard.ID == c.shards {
				return s.Node().ID() == shard.Owner && s.HasQueues()
			}
			return s.Node().ID() == shard.Owner && s.workers.Here(probed, names[shard.ID])
		}) {
			return nil
		}
		epochs = append(epochs, shard.Epoch)
	}
	return epochs
}

// probed is the key of a namespace that nobody has.
const probed = "probed"

// namesInShards gives an id in each shard of objects.
func (c *testCluster) namesInShards() map[int]string {
	names := map[int]string{}
	for i := 0; len(names) < c.shards; i++ {
		id := fmt.Sprint(i)
		names[c.nodes[0].Node().ShardOf(probed, id)] = id
	}
	return names
}

// balanced tells whether all nodes are ready, and no shard is to move.
func balanced(v engine.View) bool {
	var live []engine.NodeID
	for _, n := range v.Nodes {
		if !n.Ready {
			return false
		}
		live = append(live, n.ID)
	}
	at := member.Places(live, len(v.Shards))
	for _, s := range v.Shards {
		if s.Owner != at[s.ID] {
			return false
		}
	}
	return true
}

// web is the URL of the node whose turn it is, or of one after it.
func (c *testCluster) web(after int) string {
	return c.webs[(int(c.turn.Load())+after)%len(c.webs)].URL
}
