package peer

import (
	"context"

	"eddy/queues"
)

// remote is a guest's consumer of one queue, and of one lane queue, as the broker sees it. Its methods run on the
// broker's goroutine and only put packets.
type remote struct {
	c     *conn
	queue string
}

// Deliver implements [queues.Consumer].
func (r remote) Deliver(ctx context.Context, batch *queues.Batch, done func(queues.Outcome)) {
	id := r.c.deliver(ctx, func(o queues.Outcome, _ error) { done(o) })
	r.c.putMessages(packet{Kind: kindDeliver, ID: id, Queue: batch.Queue, Metrics: &batch.Metrics,
		Settings: &batch.Settings}, batch.Messages)
}

// DeliverLane implements [queues.LaneConsumer].
func (r remote) DeliverLane(ctx context.Context, batch *queues.LaneBatch, done func(queues.Outcome)) {
	id := r.c.deliver(ctx, func(o queues.Outcome, _ error) { done(o) })
	r.c.putMessages(packet{Kind: kindLane, ID: id, Queue: batch.Queue, Key: batch.Key}, batch.Messages)
}

// DeadLetterLane implements [queues.LaneConsumer].
func (r remote) DeadLetterLane(ctx context.Context, d *queues.LaneDeadLetter, done func(error)) {
	id := r.c.deliver(ctx, func(_ queues.Outcome, err error) { done(err) })
	f := d.Failure
	f.Error, f.Stack = shorten(f.Error), shorten(f.Stack)
	r.c.putMessages(packet{Kind: kindDead, ID: id, Queue: d.Queue, Key: d.Key, Dead: &dead{Failure: f, Try: d.Try}},
		[]queues.Message{d.Message})
}

// deliver notes a delivery. The guest is told when its context ends, and settles it then.
func (c *conn) deliver(ctx context.Context, settle func(queues.Outcome, error)) (id uint64) {
	d := &delivery{settle: settle}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	id = c.next
	d.stop = context.AfterFunc(ctx, func() {
		c.pipe.put(&packet{Kind: kindCancel, ID: id, Error: failureOf(context.Cause(ctx))})
	})
	// A guest that is detached gets nothing more, see end; what was on its way then is settled there.
	c.deliveries[id] = d
	return id
}

// putMessages sends a delivery, in several packets if it is large.
func (c *conn) putMessages(head packet, msgs []queues.Message) {
	part, size := head, 0
	for i := range msgs {
		if len(part.Messages) > 0 && size+len(msgs[i].Body) > maxBodies {
			full := part
			full.More = true
			c.pipe.put(&full)
			part, size = head, 0
		}
		part.Messages = append(part.Messages, wireMessage(&msgs[i]))
		size += len(msgs[i].Body)
	}
	c.pipe.put(&part)
}
