package peer

import (
	"context"

	"eddy/queues"
)

// Declare brings the queues in line with what the Workers of this session declare; those of the others stay as they
// are.
func (q *Queues) Declare(ctx context.Context, t queues.Topology) error {
	if h := q.owner.Load(); h != nil {
		return h.declare(ctx, nil, t)
	}
	q.mu.Lock()
	before := q.mu.declared
	q.mu.declared = &t
	q.mu.Unlock()
	_, err := q.ask(ctx, packet{Kind: kindDeclare, Topology: &t}, func(*queues.Broker) (*packet, error) {
		return nil, q.owner.Load().declare(ctx, nil, t)
	})
	if err != nil {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.mu.declared = before
	}
	return err
}

// Consumed lists the queues whose consumer is a Worker of this session. An owner lists all queues.
func (q *Queues) Consumed(ctx context.Context) ([]queues.QueueInfo, error) {
	f, err := q.ask(ctx, packet{Kind: kindQueues}, func(b *queues.Broker) (*packet, error) {
		info, err := b.Queues(ctx)
		return &packet{Info: info}, err
	})
	if err != nil {
		return nil, err
	}
	return f.Info, nil
}

// LaneQueues lists the lane queues of this session's classes. An owner lists all of them.
func (q *Queues) LaneQueues(ctx context.Context) ([]queues.LaneQueueInfo, error) {
	f, err := q.ask(ctx, packet{Kind: kindLaneQueues}, func(b *queues.Broker) (*packet, error) {
		info, err := b.LaneQueues(ctx)
		return &packet{LaneInfo: info}, err
	})
	if err != nil {
		return nil, err
	}
	return f.LaneInfo, nil
}

// Observe does what [queues.Broker.Observe] does. A guest hears only of the queues that it consumes, and it calls f
// from goroutines of its own as well.
func (q *Queues) Observe(f func(queues.Activity)) error {
	q.mu.Lock()
	b := q.broker.Load()
	if b == nil {
		q.mu.observers = append(q.mu.observers, f)
	}
	q.mu.Unlock()
	if b == nil {
		return nil
	}
	_, err := b.Observe(f)
	return err
}

// Announce tells the others more about this session: where it listens, what its Workers do.
func (q *Queues) Announce(s Member) {
	q.selfMu.Lock()
	q.self = s
	q.selfMu.Unlock()
	q.request(&request{
		packet: packet{Kind: kindWorkers, Session: &s},
		done:   func(*packet, error) {}, // if it fails: the next link begins with the session's description anyway
		local:  func(*queues.Broker) { q.owner.Load().introduce() },
	})
}
