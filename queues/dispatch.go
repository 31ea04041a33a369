package queues

import (
	"context"
	"fmt"
	"sync/atomic"

	"eddy/queues/logstore"
	"eddy/runtime/clock"
)

// Consumer takes batches: a Worker's queue() handler, or a test's script.
//
// Deliver is called on the broker's goroutine and must return at once, having handed the batch on; done is then called
// exactly once, from anywhere, with what became of it. ctx ends when the delivery's wall time is up ([ErrWallTime],
// D-15) or the broker closes. Then the outcome no longer counts, but done must still be called. The batch belongs to
// the consumer.
type Consumer interface {
	Deliver(ctx context.Context, batch *Batch, done func(Outcome))
}

// ConsumerFunc is a [Consumer] that is a function.
type ConsumerFunc func(ctx context.Context, batch *Batch, done func(Outcome))

// Deliver implements [Consumer].
func (f ConsumerFunc) Deliver(ctx context.Context, batch *Batch, done func(Outcome)) {
	f(ctx, batch, done)
}

// dispatcher sends one queue's batches to its push consumer. Owned by the broker's goroutine.
type dispatcher struct {
	consumer Consumer // nil while none is attached
	attached uint64   // counts attachments, so that a late detach does no harm
	batching batching
	scaling  scaling
	inFlight int
}

// delivery is one batch in flight.
type delivery struct {
	b      *Broker
	q      *queue
	lease  *lease // nil once it has ended
	to     Consumer
	began  int64
	ctx    context.Context
	cancel context.CancelCauseFunc
	ended  atomic.Bool // done was called
}

// Attach connects the code of a queue's worker consumer; waiting messages are delivered from now on. The queue must
// have a consumer of that type, see [Broker.Declare] and [Broker.SetConsumer]; its settings are looked up for every
// batch. Attaching again swaps the code: batches in flight finish where they are, nothing is lost. detach stops
// deliveries, unless another consumer was attached since; in-flight batches can still be settled.
func (b *Broker) Attach(queue string, c Consumer) (detach func(), err error) {
	var q *queueHandle
	err = b.call(context.Background(), func(t *turn) error {
		found, err := t.find(queue)
		if err != nil {
			return err
		}
		if found.consumer == nil || found.consumer.config.Type != WorkerConsumer {
			return fmt.Errorf("attach a consumer to queue %q: %w", queue, ErrNoConsumer)
		}
		if found.dispatcher == nil {
			found.dispatcher = &dispatcher{}
		}
		found.dispatcher.consumer = c
		found.dispatcher.attached++
		q = &queueHandle{found, found.dispatcher.attached}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return func() {
		// A closed broker has nothing attached.
		_ = b.call(context.Background(), func(*turn) error {
			if d := q.queue.dispatcher; d.attached == q.attached {
				d.consumer = nil
				d.batching = batching{}
			}
			return nil
		})
	}, nil
}

type queueHandle struct {
	queue    *queue
	attached uint64
}

// dispatch starts the deliveries that are due and says when to look again, 0 for when something changes.
func (b *Broker) dispatch(t *turn, q *queue) int64 {
	d := q.dispatcher
	if d == nil || d.consumer == nil || q.settings.DeliveryPaused || len(b.draining) > 0 {
		if d != nil {
			d.batching = batching{}
		}
		return 0
	}
	if q.consumer == nil || q.consumer.config.Type != WorkerConsumer {
		return 0
	}
	config := q.config()
	limit := d.scaling.limit(config)
	if clock.Exploring(b.clock) {
		limit = config.concurrency() // a longer backlog would have as many in flight
	}
	for {
		n, again := d.batching.take(t.now, q.ready.n, d.inFlight < limit, config)
		if n == 0 {
			return again
		}
		l := &lease{num: t.state.nextLease, push: true, began: t.now, until: t.now + DeliveryWallTime.Milliseconds()}
		t.state.nextLease++
		for m := q.ready.head; len(l.msgs) < n; m = m.link[byReady].next {
			l.msgs = append(l.msgs, m)
		}
		q.grant(l)
		d.inFlight++
		ctx, cancel := context.WithCancelCause(context.Background())
		del := &delivery{b: b, q: q, lease: l, to: d.consumer, began: t.now, ctx: ctx, cancel: cancel}
		l.delivery = del
		b.deliveries[del] = true
		t.starts = append(t.starts, del)
	}
}

// start hands a batch to the consumer. The group that the messages were sent in is durable by now.
func (b *Broker) start(t *turn, d *delivery) {
	l := d.lease
	if l == nil || len(l.msgs) == 0 {
		d.done(Outcome{Abandoned: true}) // purged in the same turn
		return
	}
	batch := &Batch{Queue: d.q.name, Metrics: d.q.metrics(), Settings: d.q.config()}
	var err error
	if batch.Messages, err = b.readMessages(l.msgs); err != nil {
		if batch.Messages = b.hold(d.q, l); len(batch.Messages) == 0 {
			d.lease = nil // nothing was delivered, and nobody hears of it
			b.state.touch(d.q)
			d.done(Outcome{Abandoned: true})
			return
		}
	}
	t.tell(Activity{Kind: ActivityDelivered, Queue: d.q.name, Messages: t.refs(l.msgs, 1), Count: len(l.msgs)})
	for i := range batch.Messages {
		batch.Metrics.BacklogCount--
		batch.Metrics.BacklogBytes -= int64(len(batch.Messages[i].Body))
	}
	batch.Metrics.OldestMessageTimestamp = fromMillis(0)
	for m := d.q.arrival.head; m != nil; m = m.link[byArrival].next {
		if m.at != atLease || uint64(m.key) != l.num {
			batch.Metrics.OldestMessageTimestamp = fromMillis(m.sent)
			break
		}
	}
	d.to.Deliver(d.ctx, batch, d.done)
}

// done is what the consumer calls.
func (d *delivery) done(o Outcome) {
	if !d.ended.CompareAndSwap(false, true) {
		panic("queues: a delivery was settled twice")
	}
	// A closed broker refuses this: after a restart the messages are delivered again.
	_ = d.b.post(func(t *turn) { d.b.settle(t, d, o) })
}

func (b *Broker) settle(t *turn, d *delivery, o Outcome) {
	if d.lease == nil || d.q.deleted {
		b.finish(d, o.Failure != nil)
		return // its wall time was up, it is held as a whole, or the queue is gone
	}
	l := d.lease
	total := len(l.msgs)
	d.q.promote(t.now)
	before := b.events
	s := t.settleOutcome(d.q, l, o)
	if len(s.retried)+len(s.dead)+len(s.dropped) == 0 {
		t.acks += b.events - before
	}
	t.state.touch(d.q)
	t.report(d.q, d, total, s, o)
	b.finish(d, o.Failure != nil)
}

// finish frees the delivery's place.
func (b *Broker) finish(d *delivery, failed bool) {
	if !b.deliveries[d] {
		return
	}
	delete(b.deliveries, d)
	d.lease = nil
	d.cancel(nil)
	if disp := d.q.dispatcher; disp != nil {
		disp.inFlight--
		disp.scaling.ended(failed, d.q.ready.n, d.q.config())
	}
}

// expire ends the leases and messages of q whose time is over.
func (t *turn) expire(q *queue) {
	t.expireLeases(q, func(l *lease, s settled) {
		if d := l.delivery; d != nil {
			d.cancel(ErrWallTime)
			t.report(
				q,
				d,
				len(s.acked)+len(s.retried)+len(s.dead)+len(s.dropped),
				s,
				Outcome{Failure: &Failure{Reason: ReasonWallTime}},
			)
			t.b.finish(d, true)
			return
		}
		t.reportLost(q, s)
	})
	if old := t.expireMessages(q); len(old) > 0 {
		t.tell(Activity{Kind: ActivityExpired, Queue: q.name, Messages: t.refs(old, 0), Count: len(old)})
	}
}

// readMessages reads bodies back from the log. Neighbours are read together: the messages of one send lie side by
// side.
func (b *Broker) readMessages(msgs []*message) ([]Message, error) {
	out := make([]Message, len(msgs))
	for i := 0; i < len(msgs); {
		j, span := i+1, int(msgs[i].size)
		if span == 0 {
			out[i] = msgs[i].deliver(nil)
			i++
			continue
		}
		const maxGap = 256 // other fields between two bodies of one group
		for j < len(msgs) && msgs[j].size > 0 && msgs[j].ref.Segment == msgs[i].ref.Segment {
			gap := int64(msgs[j].ref.Offset) - int64(msgs[i].ref.Offset) - int64(span)
			if gap < 0 || gap > maxGap {
				break
			}
			span += int(gap) + int(msgs[j].size)
			j++
		}
		chunk := make([]byte, span)
		if !b.written(chunk, msgs[i].ref) {
			if err := b.log.ReadAt(chunk, msgs[i].ref); err != nil {
				return nil, err
			}
		}
		for k := i; k < j; k++ {
			from := msgs[k].ref.Offset - msgs[i].ref.Offset
			body := chunk[from : from+msgs[k].size : from+msgs[k].size]
			if logstore.Checksum(body) != msgs[k].crc {
				return nil, &logstore.CorruptError{
					File: b.log.FileName(msgs[k].ref.Segment), Offset: int64(msgs[k].ref.Offset),
					Reason: fmt.Sprintf("the body of message %s does not match its checksum", msgs[k].id),
				}
			}
			out[k] = msgs[k].deliver(body)
		}
		i = j
	}
	return out, nil
}

// written reads from the group that this turn has written, if the bytes are its.
func (b *Broker) written(p []byte, from logstore.Ref) bool {
	g := &b.group
	if g.bytes == nil || from.Segment != g.at.Segment || from.Offset < g.at.Offset {
		return false
	}
	at := int(from.Offset - g.at.Offset)
	if at+len(p) > len(g.bytes) {
		return false
	}
	copy(p, g.bytes[at:])
	return true
}

func (m *message) deliver(body []byte) Message {
	return Message{
		ID:          m.id,
		Timestamp:   fromMillis(m.sent),
		Attempts:    int(m.fails) + 1,
		ContentType: m.ctype,
		Body:        body,
		Trace:       m.trace(),
	}
}
