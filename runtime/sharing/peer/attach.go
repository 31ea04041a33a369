package peer

import (
	"context"
	"sync/atomic"
	"time"

	"eddy/queues"
	"eddy/runtime/clock"
)

// Attach does what [queues.Broker.Attach] does. The attachment goes along to the next owner.
func (q *Queues) Attach(queue string, c queues.Consumer) (detach func(), err error) {
	return q.attach(&attachment{queue: queue, consumer: c})
}

// AttachLanes does what [queues.Broker.AttachLanes] does. The attachment goes along to the next owner.
func (q *Queues) AttachLanes(queue string, config queues.LaneConfig, c queues.LaneConsumer) (detach func(), err error) {
	return q.attach(&attachment{queue: queue, lane: c, config: config})
}

// AttachLanesAsync does what [queues.Broker.AttachLanesAsync] does. The attachment goes along to the next owner.
func (q *Queues) AttachLanesAsync(queue string, config queues.LaneConfig, c queues.LaneConsumer,
	done func(error)) (detach func()) {
	a := &attachment{queue: queue, lane: c, config: config}
	before, h := q.enter(a)
	if h != nil {
		var counted atomic.Bool
		detach := h.b.AttachLanesAsync(queue, config, c, func(err error) {
			if err == nil {
				h.hasLane(queue, 1)
				counted.Store(true)
			}
			done(err)
		})
		return func() {
			detach() // the broker has answered for the attachment before it answers for this
			if counted.CompareAndSwap(true, false) {
				h.hasLane(queue, -1)
			}
		}
	}
	q.request(&request{
		packet: a.packet(false),
		done: func(_ *packet, err error) {
			go func() { // the caller may hold a lock that done takes
				if err != nil {
					q.leaveTable(a, before)
				}
				done(err)
			}()
		},
		local: func(*queues.Broker) {
			go func() { // called with mu held
				done(q.attachedHere(a))
			}()
		},
	})
	return func() { q.detach(a) }
}

// table returns the table for attachments of a's kind. mu is held.
func (q *Queues) table(a *attachment) map[string]*attachment {
	if a.lane != nil {
		return q.mu.lanes
	}
	return q.mu.consumers
}

func (q *Queues) attach(a *attachment) (detach func(), err error) {
	before, h := q.enter(a)
	if h != nil {
		return a.on(h)
	}
	_, err = q.ask(context.Background(), a.packet(false), func(*queues.Broker) (*packet, error) {
		return nil, q.attachedHere(a)
	})
	if err != nil {
		q.leaveTable(a, before)
		return nil, err
	}
	return func() { q.detach(a) }, nil
}

// enter puts an attachment into the table before the owner hears of it: deliveries may come at once. In the owner
// itself it returns the owner's side instead; an owner has no table.
func (q *Queues) enter(a *attachment) (before *attachment, h *ownerSide) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.broker.Load() != nil {
		return nil, q.owner.Load()
	}
	table := q.table(a)
	before = table[a.queue]
	table[a.queue] = a
	return before, nil
}

// leaveTable takes out an attachment that the owner refused, and puts back what it had displaced.
func (q *Queues) leaveTable(a, before *attachment) {
	q.mu.Lock()
	defer q.mu.Unlock()
	table := q.table(a)
	if table[a.queue] != a {
		return
	}
	delete(table, a.queue)
	if before != nil {
		table[a.queue] = before
	}
}

// attachedHere returns what became of an attachment that was made while this session became the owner.
func (q *Queues) attachedHere(a *attachment) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return a.err
}

// detach takes an attachment off, unless it was replaced since.
func (q *Queues) detach(a *attachment) {
	q.mu.Lock()
	current := q.table(a)[a.queue] == a
	if current {
		delete(q.table(a), a.queue)
	}
	owner, off := q.broker.Load() != nil, a.off
	q.mu.Unlock()
	switch {
	case owner && off != nil:
		off()
	case owner, !current:
	default:
		// A delivery that comes before the owner has heard of the detach is abandoned, and an owner that has ended has
		// nothing attached. So this need not wait for ever.
		ctx, cancel := clock.WithPatience(context.Background(), detachTime)
		defer cancel()
		_, _ = q.ask(ctx, a.packet(true), func(*queues.Broker) (*packet, error) {
			q.mu.Lock()
			off := a.off
			q.mu.Unlock()
			if off != nil {
				off()
			}
			return nil, nil
		})
	}
}

// detachTime bounds how long a detach waits for the owner.
const detachTime = 300 * time.Millisecond

// unready are the attachments that a broker of this session does not have yet. mu is held.
func (q *Queues) unready() []*attachment {
	var list []*attachment
	for _, table := range []map[string]*attachment{q.mu.consumers, q.mu.lanes} {
		for _, a := range table {
			if !a.ready {
				list = append(list, a)
			}
		}
	}
	return list
}
