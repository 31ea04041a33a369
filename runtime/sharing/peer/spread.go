package peer

import (
	"context"
	"sync"

	"eddy/queues"
)

// spread is the consumer of one queue, or lane queue, that several nodes run: to the broker it is one. Each delivery
// goes to the node that has the fewest of this queue in flight. Lanes keep their order, because the broker has one
// delivery of a lane under way at a time.
type spread struct {
	b     *queues.Broker
	queue string

	// attaching serialises attach and detach, which wait for the broker. Taken before mu.
	attaching sync.Mutex
	off       func() // guarded by attaching

	mu    sync.Mutex // guards the rest
	nodes []code
	busy  map[code]int
}

// code is what one node runs for a queue: comparable.
type code interface {
	queues.Consumer
	queues.LaneConsumer
}

// attach gives a queue to code, as lanes if it is a lane queue.
func attach(b *queues.Broker, queue string, lanes *queues.LaneConfig, c code) (detach func(), err error) {
	if lanes != nil {
		return b.AttachLanes(queue, *lanes, c)
	}
	return b.Attach(queue, c)
}

// attach adds a node. The last one that says how a lane queue is configured is right.
func (s *spread) attach(c code, lanes *queues.LaneConfig) (detach func(), err error) {
	s.attaching.Lock()
	defer s.attaching.Unlock()
	s.mu.Lock()
	first := len(s.nodes) == 0
	s.nodes = append(s.nodes, c)
	s.mu.Unlock()
	if first || lanes != nil {
		off, err := attach(s.b, s.queue, lanes, s)
		if err != nil {
			s.remove(c)
			return nil, err
		}
		s.off = off
	}
	return func() { s.detach(c) }, nil
}

func (s *spread) detach(c code) {
	s.attaching.Lock()
	defer s.attaching.Unlock()
	if s.remove(c) && s.off != nil {
		s.off()
		s.off = nil
	}
}

// remove takes a node out and tells whether it was the last.
func (s *spread) remove(c code) (last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.nodes {
		if other == c {
			s.nodes = append(s.nodes[:i:i], s.nodes[i+1:]...)
			return len(s.nodes) == 0
		}
	}
	return false
}

// next is the node that gets the next delivery, nil if there is none. done is called when the delivery has ended.
func (s *spread) next() (c code, done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := -1
	for i, other := range s.nodes {
		if at < 0 || s.busy[other] < s.busy[s.nodes[at]] {
			at = i
		}
	}
	if at < 0 {
		return nil, nil
	}
	c = s.nodes[at]
	// Among equals the one that waited longest is next.
	s.nodes = append(append(s.nodes[:at:at], s.nodes[at+1:]...), c)
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
	c.Deliver(ctx, batch, func(o queues.Outcome) { end(); done(o) })
}

// DeliverLane implements [queues.LaneConsumer].
func (s *spread) DeliverLane(ctx context.Context, batch *queues.LaneBatch, done func(queues.Outcome)) {
	c, end := s.next()
	if c == nil {
		done(queues.Outcome{Abandoned: true})
		return
	}
	c.DeliverLane(ctx, batch, func(o queues.Outcome) { end(); done(o) })
}

// DeadLetterLane implements [queues.LaneConsumer].
func (s *spread) DeadLetterLane(ctx context.Context, d *queues.LaneDeadLetter, done func(error)) {
	c, end := s.next()
	if c == nil {
		done(queues.ErrAbandoned)
		return
	}
	c.DeadLetterLane(ctx, d, func(err error) { end(); done(err) })
}
