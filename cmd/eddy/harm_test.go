package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"time"

	"eddy/runtime/cluster/engine"
	"eddy/runtime/cluster/postgres"
)

// harms are what TestNemesis does to a node, or to the database, and takes back.
var harms = []struct {
	name string
	do   func(c *campaign, n *fleetNode)
}{
	{"kill -9", func(_ *campaign, n *fleetNode) {
		n.kill()
		n.start()
		n.await()
	}},
	{"stands still", (*campaign).stop},
	{"stands still, and is late when it wakes", func(c *campaign, n *fleetNode) {
		each(n.databases, func(p *tcpProxy) { p.delay(&p.back, 100*time.Millisecond) })
		c.stop(n)
		<-time.After(c.lease / 4)
		each(n.databases, (*tcpProxy).heal)
	}},
	{"is cut off from the database", func(c *campaign, n *fleetNode) {
		each(n.databases, func(p *tcpProxy) { p.setCut(true) })
		<-time.After(c.long())
		each(n.databases, func(p *tcpProxy) { p.setCut(false) })
	}},
	{"is cut off from the other nodes", func(c *campaign, n *fleetNode) {
		n.links.setCut(true)
		<-time.After(c.long())
		n.links.setCut(false)
	}},
	{"hears nothing from the database", func(c *campaign, n *fleetNode) {
		each(n.databases, func(p *tcpProxy) { p.stall(&p.back) })
		<-time.After(c.long())
		each(n.databases, (*tcpProxy).heal)
	}},
	{"hears nothing from the database for a moment, which then breaks off", func(c *campaign, n *fleetNode) {
		each(n.databases, func(p *tcpProxy) { p.stall(&p.back) })
		<-time.After(c.lease / 8)
		each(n.databases, func(p *tcpProxy) { p.setCut(true); p.heal(); p.setCut(false) })
	}},
	{"is not heard by the database", func(c *campaign, n *fleetNode) {
		each(n.databases, func(p *tcpProxy) { p.stall(&p.there) })
		<-time.After(c.long())
		each(n.databases, (*tcpProxy).heal)
	}},
	{"is far from the database", func(c *campaign, n *fleetNode) {
		each(n.databases, func(p *tcpProxy) {
			p.delay(&p.there, c.lease/40)
			p.delay(&p.back, c.lease/20)
		})
		<-time.After(c.long())
		each(n.databases, (*tcpProxy).heal)
	}},
	{"does not hear the other nodes", func(c *campaign, n *fleetNode) {
		n.links.stall(&n.links.there)
		<-time.After(c.long())
		n.links.heal()
	}},
	{"is not heard by the other nodes", func(c *campaign, n *fleetNode) {
		n.links.stall(&n.links.back)
		<-time.After(c.long())
		n.links.heal()
	}},
	{"is far from the other nodes", func(c *campaign, n *fleetNode) {
		n.links.delay(&n.links.there, 30*time.Millisecond)
		n.links.delay(&n.links.back, 70*time.Millisecond)
		<-time.After(c.long())
		n.links.heal()
	}},
	{"leaves in order", func(_ *campaign, n *fleetNode) {
		n.end(syscall.SIGTERM)
		n.start()
		n.await()
	}},
	{"and then the others leave in order", func(c *campaign, n *fleetNode) {
		for i := range c.nodes {
			each := c.nodes[(i+c.index(n))%len(c.nodes)]
			each.end(syscall.SIGTERM)
			each.start()
			each.await()
		}
	}},
	{"has a full disk", func(c *campaign, n *fleetNode) { c.fill(n, func() { <-time.After(c.long()) }) }},
	{"has a full disk, and is drained by an operator for longer", (*campaign).drain},
	{"lives, but the database is lost, and its standby promoted", func(c *campaign, _ *fleetNode) {
		c.pair.fail()
		c.moved()
	}},
	{"lives, but the standby hears nothing, and is promoted then", func(c *campaign, _ *fleetNode) {
		c.pair.replication.stall(&c.pair.replication.back)
		<-time.After(statementTime)
		c.pair.fail()
		c.moved()
	}},
	{"lives, but the database is killed, and comes back", func(c *campaign, _ *fleetNode) { c.pair.restart() }},
	{"is killed together with the database, whose standby is promoted", func(c *campaign, n *fleetNode) {
		n.kill()
		c.pair.fail()
		n.start()
		c.moved()
		n.await()
	}},
}

// statementTime is longer than a node waits for a statement; then it does not know what became of it.
const statementTime = 7 * time.Second

func each(list []*tcpProxy, f func(*tcpProxy)) {
	for _, p := range list {
		f(p)
	}
}

// long is longer than a lease, and what a takeover takes.
func (c *campaign) long() time.Duration { return 22 * c.lease / 10 }

func (c *campaign) index(n *fleetNode) int {
	for i := range c.nodes {
		if c.nodes[i] == n {
			return i
		}
	}
	return -1
}

// harm does something that the seed decides, and returns what. It begins with the kill of the node that has the queues;
// before anything comes again, all have come.
func (c *campaign) harm(round int) string {
	if len(c.deck) == 0 {
		c.deck = slices.DeleteFunc(c.rnd.Perm(len(harms)), func(i int) bool {
			return !regexp.MustCompile(*nemesisHarms).MatchString(harms[i].name)
		})
	}
	n, what := c.nodes[c.rnd.IntN(len(c.nodes))], c.deck[0]
	if c.rnd.IntN(2) == 0 || round == 0 {
		if o := c.owner(); o != nil {
			n = o
		}
	}
	if round == 0 && *nemesisHarms == "" {
		what = 0
	} else {
		c.deck = c.deck[1:]
	}
	c.t.Logf("%.1f s: %s: %s", float64(c.hist.now())/1e9, n.name, harms[what].name)
	harms[what].do(c, n)
	return n.name + ": " + harms[what].name
}

// moved builds a standby of the database that is the primary now, and lets the nodes find it.
func (c *campaign) moved() {
	c.t.Helper()
	c.pair.follow()
	c.dbs, c.url = c.pair.addresses(), c.pair.url()
	for _, n := range c.nodes {
		for i, p := range n.databases {
			p.to(c.dbs[i])
		}
	}
}

// stop stops a node for longer than a lease. Objects that it may have are changed through another one meanwhile, and it
// is asked for them before it wakes: what it says then must not be of the time before.
func (c *campaign) stop(n *fleetNode) {
	c.stops++
	all := func(to *fleetNode, patience time.Duration, paths ...string) (wait func()) {
		var calls sync.WaitGroup
		for i := range 12 {
			calls.Go(func() {
				ctx, cancel := context.WithTimeout(c.t.Context(), patience)
				defer cancel()
				object := fmt.Sprintf("s%d-%d", c.stops, i)
				// One that fails is noted as one without an answer.
				_ = c.ask(ctx, to, 100+i, asked{object: object, path: paths[i%len(paths)]})
			})
		}
		return calls.Wait
	}
	all(n, clientTime, "/add")()
	n.signal(syscall.SIGSTOP)
	<-time.After(c.long())
	all(c.nodes[(c.index(n)+1)%len(c.nodes)], clientTime, "/add")()
	late := all(n, clientTime, "/get", "/get", "/add")
	<-time.After(100 * time.Millisecond) // they are on their way
	n.signal(syscall.SIGCONT)
	late()
	all(c.nodes[(c.index(n)+2)%len(c.nodes)], clientTime, "/get")()
}

// drain lets an operator drain a node whose disk is full: when there is room again it still has nothing, until the
// operator takes it back. A node that had no processor for longer than its lease joins again, and takes it back itself.
func (c *campaign) drain(n *fleetNode) {
	operator := func(args ...string) {
		args = append([]string{"cluster", "drain", n.name, c.url}, args...)
		if code, text, errs := ran(c.t, nil, args...); code != exitOK {
			c.t.Errorf("%s: %d, %s%s", args, code, text, errs)
		}
	}
	e, err := postgres.Open(c.url)
	if err != nil {
		c.t.Fatal(err)
	}
	defer e.Close()
	var id engine.NodeID
	c.fill(n, func() {
		<-time.After(c.long())
		id = n.incarnation(c.t.Context(), c.t, e)
		operator("--timeout", "2m")
	})
	<-time.After(c.long())
	state := n.state()
	if n.incarnation(c.t.Context(), c.t, e) != id {
		return
	}
	if state != "drained" {
		c.t.Errorf("an operator has drained node %s, and its state is %q", n.name, state)
	}
	operator("--undo")
}

// fill leaves a node no room for its files until something was done.
func (c *campaign) fill(n *fleetNode, meanwhile func()) {
	if n.scratch == "" { // this user may not mount a file system
		meanwhile()
		return
	}
	name := filepath.Join(n.scratch, "full")
	f, err := os.Create(name)
	if err != nil {
		c.t.Fatal(err)
	}
	block := make([]byte, 64<<10)
	for err == nil {
		_, err = f.Write(block)
	}
	meanwhile()
	if err := errors.Join(f.Close(), os.Remove(name)); err != nil {
		c.t.Fatal(err)
	}
}
