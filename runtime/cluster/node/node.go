package node

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/member"
)

// Options are the arguments of [Start].
type Options struct {
	Engine engine.Engine
	// Token is the cluster's, ObjectShards how many shards objects have; the next one is that of the queues.
	Token        string
	ObjectShards int
	// Name is the node's, unlike that of every other node.
	Name string
	// Listen is the address of the link port; Advertise is where the others reach it, HOST:PORT, "" for Listen.
	Listen, Advertise string
	// Lease is [member.DefaultLease] if it is zero.
	Lease time.Duration
	// Confirmed says that what an object only reads is told after a read of its shard's epoch, not on the lease's word.
	Confirmed bool
	// Code names what the node runs. Nodes with other code are refused, unless Rolling says that it is rolled out.
	Code    string
	Rolling bool
	// Scratch says why the node cannot write its files now, nil if it can; without it nobody asks. A node that cannot
	// for a while gives back what it has. It is called now and then, and may wait for a disk.
	Scratch func() error
	// Stopped is called when the node has given up for good, with the reason: the database was put back.
	Stopped func(error)
	// Warn is called with what an operator should know. It must not block.
	Warn func(text string)
}

// Part is what runs on shards. Its methods are called one at a time, in order, and must not block.
type Part interface {
	// Gained says that the node has a shard.
	Gained(*Shard)
	// Handing asks to come to an end with a shard: after ready nobody may write to it.
	Handing(s *Shard, ready func())
	// Lost says that the shard is another node's, or may be.
	Lost(*Shard)
}

// Self is this process in a cluster. Make one with [Start].
type Self struct {
	o        Options
	cert     tls.Certificate
	listener net.Listener
	server   http.Server
	// close ends closing.
	closing context.Context
	close   context.CancelFunc

	// telling is held while parts are told, so that they hear one thing at a time. Taken before mu.
	telling sync.Mutex

	mu      sync.Mutex // guards the rest
	id      engine.NodeID
	member  *member.Member
	view    engine.View
	heard   map[engine.NodeID]heard
	mine    map[int]*Shard
	parts   map[bool]Part // true is the queues'
	handler http.Handler
	changed chan struct{}
	// glances has room for one: the watch of a node that has left is to look.
	glances chan struct{}
	// parted are nodes that were seen lately, and are no members any more, with when that was noticed: one that has
	// left answers yet what has reached it, and wants to know who has what it had.
	parted  map[engine.NodeID]parted
	leaving bool
	joined  bool // it has been a member
	mixed   bool // it was told that nodes run other code
	looking sync.WaitGroup
	knocks  knocks
	// troubles has a lock of its own.
	troubles troubles
	left     chan struct{} // closed when the last incarnation has ended
}

// Start opens the link port and joins the cluster. It waits until the node is a member, which takes about a lease if
// another process of the name has crashed. A *[engine.TakenError] says that one of the name lives.
func Start(ctx context.Context, o Options) (*Self, error) {
	if err := engine.CheckName(o.Name); err != nil {
		return nil, err
	}
	n := &Self{o: o, mine: map[int]*Shard{}, parts: map[bool]Part{}, changed: make(chan struct{}),
		glances: make(chan struct{}, 1), parted: map[engine.NodeID]parted{},
		left: make(chan struct{})}
	if err := checkCode(ctx, o); err != nil {
		return nil, err
	}
	n.closing, n.close = context.WithCancel(context.Background())
	if n.o.Warn == nil {
		n.o.Warn = func(string) {}
	}
	var err error
	if n.cert, err = newCertificate(o.Name); err != nil {
		return nil, err
	}
	if n.listener, err = net.Listen("tcp", o.Listen); err != nil {
		return nil, fmt.Errorf("the port for other nodes: %w", err)
	}
	if n.o.Advertise == "" {
		n.o.Advertise = n.listener.Addr().String()
	}
	n.server = http.Server{Handler: http.HandlerFunc(n.serve), ReadHeaderTimeout: 10 * time.Second,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{n.cert}, MinVersion: tls.VersionTLS13},
		ErrorLog:  log.New(faults{n.o.Warn}, "", 0),
		// WebSockets take HTTP/1.1.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}}
	go func() { _ = n.server.ServeTLS(n.listener, "", "") }() // it ends with Close
	joined := make(chan error, 1)
	n.join(func(err error) {
		select {
		case joined <- err:
		default:
		}
	})
	select {
	case err = <-joined:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		end, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		n.Close(end)
		return nil, fmt.Errorf("join the cluster as %s: %w", o.Name, err)
	}
	n.looking.Go(n.tend)
	return n, nil
}

// lease is how long the node keeps what it has after a beat.
func (n *Self) lease() time.Duration { return cmp.Or(n.o.Lease, member.DefaultLease) }

// faults tells of panics, and leaves out strangers and nodes that know an earlier certificate.
type faults struct{ warn func(text string) }

// Write implements [io.Writer].
func (f faults) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("panic")) {
		f.warn(string(line))
	}
	return len(line), nil
}

// join begins an incarnation. tell hears whether it is a member.
func (n *Self) join(tell func(error)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.leaving {
		close(n.left)
		return
	}
	id := engine.NewNodeID(n.o.Name)
	n.id = id
	n.member = member.Start(member.Options{Engine: n.o.Engine, Lease: n.o.Lease, Clock: clock.Real{},
		Confirmed: n.o.Confirmed,
		Node: engine.Node{ID: id, URL: "https://" + n.o.Advertise, Cert: n.cert.Certificate[0], Hash: n.o.Code,
			Lease: n.lease(), Ready: n.parts[false] != nil},
		Events: member.Events{
			Joined: func() { n.isMember(); tell(nil) },
			Gained: n.gained, Lost: n.lost, Handing: n.handing, Seen: n.seen, Changed: n.knock,
			Gave: n.gave, Took: n.took, Lease: n.leaseHolds, Clock: n.clock,
			Ended: func(err error) { n.ended(id, err, tell) },
		}})
}

// gave tells of a node that this one has ended.
func (n *Self) gave(dead engine.NodeID) {
	if dead.Name() == n.o.Name {
		n.o.Warn("An earlier process of this node has not ended in order: what it had is free.")
		return
	}
	n.o.Warn(fmt.Sprintf("Node %s does not beat any more: this node has ended it, and what it had goes to those that "+
		"live.", dead.Name()))
}

// took tells what this node has of lost ones.
func (n *Self) took(from map[engine.NodeID]int) {
	for _, id := range slices.Sorted(maps.Keys(from)) {
		shards := "shards"
		if from[id] == 1 {
			shards = "shard"
		}
		n.o.Warn(fmt.Sprintf("This node has taken over %d %s that node %s had.", from[id], shards, id.Name()))
	}
}

func (n *Self) isMember() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.joined = true
}

// ended hears that an incarnation is over. Unless the node leaves, the next one joins.
func (n *Self) ended(id engine.NodeID, err error, tell func(error)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.id != id {
		return
	}
	if n.leaving {
		close(n.left)
		go n.knock()
		return
	}
	var taken *engine.TakenError
	if errors.As(err, &taken) && !n.joined { // that is the end of the start
		n.leaving = true
		close(n.left)
		tell(fmt.Errorf("%w\n  each node has a name of its own: start this one with another --node", err))
		return
	}
	var restored *engine.RestoredError
	var marked *engine.MarkedError
	if errors.As(err, &restored) {
		err = &engine.MarkedError{Mark: "this node has noticed: " + restored.Error()}
	}
	if errors.As(err, &marked) {
		n.leaving = true
		close(n.left)
		tell(err)
		n.o.Warn(err.Error())
		if n.o.Stopped != nil {
			go n.stop(n.member, restored != nil, err)
		}
		return
	}
	n.o.Warn(fmt.Sprintf("This node is no member of the cluster any more, and joins again with nothing: %v", err))
	time.AfterFunc(rejoinPause, func() { n.join(func(error) {}) })
}

// stop tells that the node has ended for good, as soon as the others can know why.
func (n *Self) stop(m *member.Member, marks bool, err error) {
	if marks {
		select {
		case <-m.Marked():
		case <-n.closing.Done(): // it is ended meanwhile
		}
	}
	n.o.Stopped(err)
}

// lease tells why nothing is answered for a while.
func (n *Self) leaseHolds(holds bool) {
	if holds {
		n.o.Warn("The cluster's database answers again: this node goes on.")
		return
	}
	n.o.Warn(fmt.Sprintf("The cluster's database has not answered for %s: answers of objects and queues wait until it "+
		"does. What was acknowledged is kept.", cmp.Or(n.o.Lease, member.DefaultLease)))
}

const rejoinPause = 100 * time.Millisecond

// isQueues tells whether a shard is the queues'.
func (n *Self) isQueues(shard int) bool { return shard == n.o.ObjectShards }

func (n *Self) gained(s *Shard) {
	n.telling.Lock()
	defer n.telling.Unlock()
	n.mu.Lock()
	n.mine[s.ID()] = s
	p := n.parts[n.isQueues(s.ID())]
	n.changedLocked()
	n.mu.Unlock()
	if p != nil {
		p.Gained(s)
	}
}

func (n *Self) handing(s *Shard, ready func()) {
	n.telling.Lock()
	defer n.telling.Unlock()
	n.mu.Lock()
	p := n.parts[n.isQueues(s.ID())]
	n.mu.Unlock()
	if p == nil {
		ready()
		return
	}
	p.Handing(s, ready)
}

func (n *Self) lost(s *Shard, _ error) {
	n.telling.Lock()
	defer n.telling.Unlock()
	n.mu.Lock()
	if n.mine[s.ID()] == s {
		delete(n.mine, s.ID())
	}
	p := n.parts[n.isQueues(s.ID())]
	n.changedLocked()
	n.mu.Unlock()
	if p != nil {
		p.Lost(s)
	}
}

func (n *Self) seen(v engine.View) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.partLocked(v)
	n.view = v
	n.hearLocked(v)
	n.changedLocked()
	n.tellMixedLocked()
}

// changedLocked is called with mu held.
func (n *Self) changedLocked() {
	close(n.changed)
	n.changed = make(chan struct{})
}

// Queues says who takes the shard of the queues, Objects who takes all others. Each is called once.
func (n *Self) Queues(p Part) { n.take(true, p) }

// Objects says who takes the shards of objects. With that the node is ready, and gets its part of them.
func (n *Self) Objects(p Part) {
	n.take(false, p)
	n.mu.Lock()
	m := n.member
	n.mu.Unlock()
	m.Ready()
}

func (n *Self) take(queues bool, p Part) {
	n.telling.Lock()
	defer n.telling.Unlock()
	n.mu.Lock()
	n.parts[queues] = p
	var have []*Shard
	for id, s := range n.mine {
		if n.isQueues(id) == queues {
			have = append(have, s)
		}
	}
	n.mu.Unlock()
	for _, s := range have {
		p.Gained(s)
	}
}

// Handle says who answers other nodes. They have shown the token.
func (n *Self) Handle(h http.Handler) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.handler = h
}

func (n *Self) serve(w http.ResponseWriter, r *http.Request) {
	if !shows(r, n.o.Token) {
		http.Error(w, "This port is for the nodes of a cluster, which show its token.", http.StatusForbidden)
		return
	}
	switch r.URL.Path {
	case knockPath:
		n.knocked()
		return
	case reachPath:
		return
	}
	n.mu.Lock()
	h := n.handler
	n.mu.Unlock()
	if h == nil {
		http.Error(w, "The node is starting.", http.StatusServiceUnavailable)
		return
	}
	h.ServeHTTP(w, r)
}

// Leave gives all shards back and ends the membership. What runs on them has come to an end before. If the database
// does not answer until ctx ends, others take the shards when the lease is over. Until Close the node still sees
// where shards are, and answers.
func (n *Self) Leave(ctx context.Context) {
	n.mu.Lock()
	if n.leaving {
		n.mu.Unlock()
		return
	}
	n.leaving = true
	m := n.member
	n.mu.Unlock()
	m.Leave()
	select {
	case <-n.left:
	case <-ctx.Done():
	}
	n.looking.Go(n.watch)
}

// watch looks at the cluster from outside until Close: what still runs here finds the objects where they are.
func (n *Self) watch() {
	tick := time.NewTicker(watchPause)
	defer tick.Stop()
	for {
		ctx, cancel := context.WithTimeout(n.closing, time.Second)
		v, err := n.o.Engine.Look(ctx)
		cancel()
		if err == nil {
			n.seen(v)
		}
		select {
		case <-tick.C:
		case <-n.glances:
		case <-n.closing.Done():
			return
		}
	}
}

const watchPause = 100 * time.Millisecond

// Close ends the link port: whoever calls now finds another node. It leaves before if Leave was not called.
func (n *Self) Close(ctx context.Context) {
	n.Leave(ctx)
	n.knocks.mu.Lock() // a knock that is late finds the node closed, and begins nothing that nobody waits for
	n.close()
	n.knocks.mu.Unlock()
	n.looking.Wait()
	n.knocks.running.Wait()
	_ = n.server.Close() // nobody waits for an answer any more
}
