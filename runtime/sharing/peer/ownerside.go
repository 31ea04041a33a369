package peer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"eddy/queues"
)

// conn is one guest, as its owner sees it.
type conn struct {
	h    *ownerSide
	pipe *pipe
	// session is written under the mu of the owner's side, topology too.
	session  Member
	token    string
	topology queues.Topology

	mu sync.Mutex // guards the rest
	// last is the last request that was taken on, open how many of them wait for the broker.
	last    uint64
	open    int
	leaving bool          // bye was called: later requests are left to the next owner
	quiet   chan struct{} // closed by the answer to the last open request, if leaving
	// deliveries are those that the guest has not settled.
	deliveries map[uint64]*delivery
	next       uint64
	idle       chan struct{}     // closed, once asked for, when there are no deliveries
	waiting    bool              // somebody waits for idle
	detach     map[string]func() // by queue; a lane queue's name has a slash, which no queue's has
}

// delivery is what a guest has in flight.
type delivery struct {
	settle func(queues.Outcome, error)
	stop   func() bool // of the watch over the delivery's context
}

// ownerSide is the owner's side: it serves guests from the broker.
type ownerSide struct {
	o       *Options
	self    func() Member // this one, as the others may know it
	b       *queues.Broker
	serving sync.WaitGroup
	unwatch func()

	// declaring serialises declarations, which read all topologies and then wait for the broker. Taken before mu.
	declaring sync.Mutex

	mu     sync.Mutex // guards the rest
	own    queues.Topology
	conns  map[*conn]bool
	closed bool
	// remote are the queues whose consumer is a guest's, and the lane queues.
	remote map[string]*conn
	// spreads are the consumers that nodes of a cluster have in common, by queue; nil outside of one.
	spreads map[string]*spread
	// local counts the attachments of this session's own lanes, by lane queue.
	local map[string]int
}

func newOwnerSide(o *Options, self func() Member, b *queues.Broker) (*ownerSide, error) {
	h := &ownerSide{o: o, self: self, b: b, conns: map[*conn]bool{}, remote: map[string]*conn{},
		local: map[string]int{}}
	var err error
	h.unwatch, err = b.Observe(h.observe)
	return h, err
}

// observe passes on what happens in a guest's queues. It runs on the broker's goroutine.
func (h *ownerSide) observe(a queues.Activity) {
	h.mu.Lock()
	c := h.remote[a.Queue]
	h.mu.Unlock()
	if c != nil {
		a.Error = shorten(a.Error)
		c.pipe.put(&packet{Kind: kindActivity, Activity: &a})
	}
}

// elsewhere tells whether a guest consumes a queue.
func (h *ownerSide) elsewhere(queue string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.remote[queue] != nil
}

// guests are the sessions that are joined, by process.
func (h *ownerSide) guests() []Member {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []Member
	for c := range h.conns {
		list = append(list, c.session)
	}
	slices.SortFunc(list, func(a, b Member) int { return a.PID - b.PID })
	return list
}

// declare brings the broker in line with what all sessions declare. t is what c (nil for the owner itself) declares
// now.
func (h *ownerSide) declare(ctx context.Context, c *conn, t queues.Topology) error {
	h.declaring.Lock()
	defer h.declaring.Unlock()
	mine := map[string]bool{}
	for _, consumer := range t.Consumers {
		mine[consumer.Queue] = true
	}
	all := queues.Topology{Queues: slices.Clone(t.Queues), Consumers: slices.Clone(t.Consumers)}
	var errs []error
	add := func(t queues.Topology, s Member) {
		all.Queues = append(all.Queues, t.Queues...)
		all.Consumers = append(all.Consumers, t.Consumers...)
		for _, consumer := range t.Consumers {
			if mine[consumer.Queue] {
				errs = append(errs, fmt.Errorf("queue %q has a consumer already: %s\n"+
					"  a queue has one consumer: take one of the two out of its configuration, or end that session",
					consumer.Queue, s.consumer(consumer)))
			}
		}
	}
	h.mu.Lock()
	if h.spreads != nil {
		var others []queues.Topology
		for other := range h.conns {
			if other != c {
				others = append(others, other.topology)
			}
		}
		var err error
		all, err = together(t, others)
		errs = append(errs, err)
	} else {
		if c != nil {
			add(h.own, h.self())
		}
		for other := range h.conns {
			if other != c {
				add(other.topology, other.session)
			}
		}
	}
	h.mu.Unlock()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := h.b.Declare(ctx, all); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if c != nil {
		c.topology = t
	} else {
		h.own = t
	}
	return nil
}

// admit takes a guest in, unless it brings a Worker that runs already.
func (h *ownerSide) admit(c *conn) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return queues.ErrClosed
	}
	if h.spreads != nil {
		h.conns[c] = true // all nodes run the same Workers
		return nil
	}
	sessions := []Member{h.self()}
	for other := range h.conns {
		sessions = append(sessions, other.session)
	}
	for _, s := range sessions {
		for _, w := range s.Workers {
			if c.session.runs(w.Name) {
				return fmt.Errorf("Worker %q runs already in %s", w.Name, s)
			}
		}
	}
	h.conns[c] = true
	return nil
}

// serve tells the guest that runs a Worker to attach it to a queue; false if there is none.
func (h *ownerSide) serve(script, queue string) (served bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		for _, w := range c.session.Workers {
			if w.Name == script {
				c.pipe.put(&packet{Kind: kindServe, Script: script, Queue: queue})
				served = true
			}
		}
		if served && h.spreads == nil {
			break
		}
	}
	return served
}

// laneSent tells all sessions that a lane queue got a message, so that the one that has its code attaches it (DQ-24).
func (h *ownerSide) laneSent(queue string) {
	h.mu.Lock()
	attached := h.remote[queue] != nil || h.local[queue] > 0
	var conns []*conn
	for c := range h.conns {
		conns = append(conns, c)
	}
	h.mu.Unlock()
	if attached {
		return
	}
	if h.o.LaneSent != nil {
		go h.o.LaneSent(queue) // it asks the broker, on whose goroutine this runs
	}
	for _, c := range conns {
		c.pipe.put(&packet{Kind: kindLaneSent, Queue: queue})
	}
}

// hasLane counts attachments of this session's lanes.
func (h *ownerSide) hasLane(queue string, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.local[queue] += n; h.local[queue] <= 0 {
		delete(h.local, queue)
	}
}

// neighbours are the guests.
func (h *ownerSide) neighbours() []neighbour {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []neighbour
	for c := range h.conns {
		list = append(list, neighbour{c.session, c.token})
	}
	return list
}

// introduce tells all guests who is there.
func (h *ownerSide) introduce() {
	if h.spreads != nil {
		return // nodes of a cluster know each other
	}
	own := neighbour{h.self(), h.o.Token}
	all := h.neighbours()
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.conns {
		list := []neighbour{own}
		for _, n := range all {
			if n.Session.PID != c.session.PID || n.Token != c.token {
				list = append(list, n)
			}
		}
		c.pipe.put(&packet{Kind: kindSessions, Sessions: list})
	}
}
