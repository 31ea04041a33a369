package peer

import (
	"context"
	"errors"
	"sync"

	"eddy/queues"
)

// spread is the consumer of one queue, or lane queue, that several nodes run: to the broker it is one. Each delivery
// goes to the node that has the fewest of this queue in flight. Lanes keep their order, because the broker has one
// delivery of a lane under way at a time.
type spread struct {
	h     *ownerSide
	queue string

	// attaching serialises attach and detach, which wait for the broker. Taken before mu.
	attaching sync.Mutex
	off       func() // guarded by attaching

	mu    sync.Mutex // guards the rest
	conns []*conn
	busy  map[*conn]int
}

// spreadOf is the spread of a queue; the name of a lane queue has a slash, which no other's has.
func (h *ownerSide) spreadOf(queue string) *spread {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.spreads[queue]
	if s == nil {
		s = &spread{h: h, queue: queue, busy: map[*conn]int{}}
		h.spreads[queue] = s
	}
	return s
}

// attach adds a node. The last one that says how a lane queue is configured is right.
func (s *spread) attach(c *conn, lanes *queues.LaneConfig) (detach func(), err error) {
	s.attaching.Lock()
	defer s.attaching.Unlock()
	s.mu.Lock()
	first := len(s.conns) == 0
	s.conns = append(s.conns, c)
	s.mu.Unlock()
	if first || lanes != nil {
		var off func()
		if lanes != nil {
			off, err = s.h.b.AttachLanes(s.queue, *lanes, s)
		} else {
			off, err = s.h.b.Attach(s.queue, s)
		}
		if err != nil {
			s.remove(c)
			return nil, err
		}
		s.off = off
	}
	return func() { s.detach(c) }, nil
}

func (s *spread) detach(c *conn) {
	s.attaching.Lock()
	defer s.attaching.Unlock()
	if s.remove(c) && s.off != nil {
		s.off()
		s.off = nil
	}
}

// remove takes a node out and tells whether it was the last.
func (s *spread) remove(c *conn) (last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.conns {
		if other == c {
			s.conns = append(s.conns[:i:i], s.conns[i+1:]...)
			return len(s.conns) == 0
		}
	}
	return false
}

// next is the node that gets the next delivery, nil if there is none. done is called when the delivery has ended.
func (s *spread) next() (c *conn, done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := -1
	for i, other := range s.conns {
		if at < 0 || s.busy[other] < s.busy[s.conns[at]] {
			at = i
		}
	}
	if at < 0 {
		return nil, nil
	}
	c = s.conns[at]
	// Among equals the one that waited longest is next.
	s.conns = append(append(s.conns[:at:at], s.conns[at+1:]...), c)
	s.busy[c]++
	return c, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.busy[c]--; s.busy[c] == 0 {
			delete(s.busy, c)
		}
	}
}

// Deliver implements [queues.Consumer].
func (s *spread) Deliver(ctx context.Context, batch *queues.Batch, done func(queues.Outcome)) {
	c, end := s.next()
	if c == nil { // the broker hears of it next
		done(queues.Outcome{Abandoned: true})
		return
	}
	remote{c, s.queue}.Deliver(ctx, batch, func(o queues.Outcome) { end(); done(o) })
}

// DeliverLane implements [queues.LaneConsumer].
func (s *spread) DeliverLane(ctx context.Context, batch *queues.LaneBatch, done func(queues.Outcome)) {
	c, end := s.next()
	if c == nil {
		done(queues.Outcome{Abandoned: true})
		return
	}
	remote{c, s.queue}.DeliverLane(ctx, batch, func(o queues.Outcome) { end(); done(o) })
}

// DeadLetterLane implements [queues.LaneConsumer].
func (s *spread) DeadLetterLane(ctx context.Context, d *queues.LaneDeadLetter, done func(error)) {
	c, end := s.next()
	if c == nil {
		done(queues.ErrAbandoned)
		return
	}
	remote{c, s.queue}.DeadLetterLane(ctx, d, func(err error) { end(); done(err) })
}

// attach connects a guest's consumer, lanes if it is one of a lane queue.
func (h *ownerSide) attach(c *conn, queue string, lanes *queues.LaneConfig) (detach func(), err error) {
	switch {
	case h.spreads != nil:
		return h.spreadOf(queue).attach(c, lanes)
	case lanes != nil:
		return h.b.AttachLanes(queue, *lanes, remote{c, queue})
	}
	return h.b.Attach(queue, remote{c, queue})
}

// together is what the nodes of a cluster declare: all the same, unless they run different code for a while. Then the
// one that declares last, t, is right about its own consumers.
func together(t queues.Topology, others []queues.Topology) (queues.Topology, error) {
	all := queues.Topology{Queues: append([]string(nil), t.Queues...),
		Consumers: append([]queues.ConsumerConfig(nil), t.Consumers...)}
	var errs []error
	for _, other := range others {
		all.Queues = append(all.Queues, other.Queues...)
		for _, c := range other.Consumers {
			have := false
			for _, mine := range all.Consumers {
				if mine.Queue != c.Queue {
					continue
				}
				have = true
				if mine.Type != c.Type || mine.Script != c.Script {
					errs = append(errs, errors.New("queue \""+c.Queue+"\" has another consumer on another node of the "+
						"cluster: all nodes serve the same Workers"))
				}
			}
			if !have {
				all.Consumers = append(all.Consumers, c)
			}
		}
	}
	return all, errors.Join(errs...)
}
