package queues

import (
	"context"
	"fmt"
	"time"
)

// PullOptions go with a pull; the zero value takes the consumer's settings.
type PullOptions struct {
	// BatchSize is how many messages to take at most: 1 to 100, 0 for the consumer's (K-8).
	BatchSize int
	// VisibilityTimeout is how long they are leased: up to 12 h, 0 for the consumer's (K-7).
	VisibilityTimeout time.Duration
}

// Pulled is a message that was pulled.
type Pulled struct {
	Message
	// LeaseID is what [Broker.Ack] wants. It is opaque and survives a restart.
	LeaseID string
}

// Pull takes messages from a queue with an http_pull consumer, without waiting for any (H-7). Nobody else gets them
// until the visibility timeout (H-11).
func (b *Broker) Pull(ctx context.Context, queue string, o PullOptions) (out []Pulled, m Metrics, err error) {
	var msgs []Message
	var lease, serial uint64
	var numbers []uint64
	err = b.call(ctx, func(t *turn) error {
		q, ready, o, err := t.pullable(queue, o)
		if err != nil {
			return err
		}
		m = q.metrics()
		if len(ready) == 0 {
			return nil
		}
		// Read first: what cannot be read is not leased.
		if msgs, err = t.bodies(ready); err != nil {
			return fmt.Errorf("pull from queue %q: %w", queue, err)
		}
		l := t.lend(q, ready, o)
		lease, serial, numbers = l.num, q.serial, nums(l.msgs)
		t.tell(Activity{Kind: ActivityDelivered, Queue: queue, Messages: t.refs(l.msgs, 1), Count: len(l.msgs)})
		return nil
	})
	if err != nil {
		return nil, m, err
	}
	for i := range msgs {
		out = append(out, Pulled{msgs[i], token{serial, lease, numbers[i]}.String()})
	}
	return out, m, err
}

// pullable returns the messages that a pull takes, and its options with the consumer's settings filled in.
func (d *decision) pullable(name string, o PullOptions) (*queue, []*message, PullOptions, error) {
	q, err := d.find(name)
	if err != nil {
		return nil, nil, o, err
	}
	if q.consumer == nil || q.consumer.config.Type != PullConsumer {
		return nil, nil, o, fmt.Errorf("pull from queue %q: %w", name, ErrPullNotEnabled)
	}
	if q.settings.DeliveryPaused {
		return nil, nil, o, ErrPaused
	}
	if o.BatchSize == 0 {
		o.BatchSize = q.config().MaxBatchSize
	}
	if o.VisibilityTimeout == 0 {
		o.VisibilityTimeout = q.config().VisibilityTimeout
	}
	if err := inRange(name, "batch_size", o.BatchSize, 1, MaxBatchSizeLimit); err != nil {
		return nil, nil, o, err
	}
	if err := inRange(name, "visibility_timeout_ms", o.VisibilityTimeout, 0, MaxVisibilityTimeout); err != nil {
		return nil, nil, o, err
	}
	var ready []*message
	for m := q.ready.head; m != nil && len(ready) < o.BatchSize; m = m.link[byReady].next {
		ready = append(ready, m)
	}
	return q, ready, o, nil
}

// lend leases messages to a puller.
func (d *decision) lend(q *queue, msgs []*message, o PullOptions) *lease {
	e := &Leased{Queue: q.serial, Lease: d.state.nextLease, Until: d.at().Add(o.VisibilityTimeout), Nums: nums(msgs)}
	d.emit(e)
	return q.leases[e.Lease]
}

// LeaseRetry asks for a pulled message to be delivered again.
type LeaseRetry struct {
	LeaseID string
	// Delay overrides the consumer's retry_delay (H-13).
	Delay Delay
}

// AckResult is the answer to [Broker.Ack] (H-14).
type AckResult struct {
	Acked, Retried int
	// Warnings say, per lease id, why nothing was done.
	Warnings map[string]string
}

// Ack settles pulled messages. An ack is accepted even when the lease is over, and takes the message away from whoever
// has it now (H-15). A retry is accepted only while the lease lasts: the end of a lease is a retry by itself.
func (b *Broker) Ack(ctx context.Context, queue string, acks []string, retries []LeaseRetry) (r AckResult, err error) {
	err = b.call(ctx, func(t *turn) error {
		q, err := t.find(queue)
		if err != nil {
			return err
		}
		var s settled
		r, s = t.settleLeases(q, acks, retries)
		t.reportSettled(q, s, nil)
		return nil
	})
	return r, err
}

func (d *decision) settleLeases(q *queue, acks []string, retries []LeaseRetry) (AckResult, settled) {
	r := AckResult{Warnings: map[string]string{}}
	seen := map[uint64]bool{}
	var s settlement
	s.failure.Reason = ReasonRetry
	for _, id := range acks {
		tok, err := q.token(id)
		if err != nil {
			r.Warnings[id] = err.Error()
			continue
		}
		r.Acked++
		if m := q.numbers.get(tok.num); m != nil && !seen[tok.num] {
			seen[tok.num] = true
			s.acked = append(s.acked, m)
		}
	}
	out := d.settle(q, s)
	for _, retry := range retries {
		tok, err := q.token(retry.LeaseID)
		if err != nil {
			r.Warnings[retry.LeaseID] = err.Error()
			continue
		}
		m, l := q.numbers.get(tok.num), q.leases[tok.lease]
		if m == nil || l == nil || m.at != atLease || uint64(m.key) != tok.lease {
			r.Warnings[retry.LeaseID] = "the lease has ended; the message was acknowledged or is back in the queue"
			continue
		}
		r.Retried++
		one := d.settle(q, settlement{began: l.began, failure: s.failure, retried: []retried{{m, retry.Delay}}})
		out.retried = append(out.retried, one.retried...)
		out.dropped = append(out.dropped, one.dropped...)
		out.dead = append(out.dead, one.dead...)
		if one.deadTo != "" {
			out.deadTo = one.deadTo
		}
	}
	return r, out
}

// token reads a lease id or ref of this queue.
func (q *queue) token(s string) (token, error) {
	t, err := parseToken(s)
	if err != nil {
		return t, err
	}
	if t.queue != q.serial || t.num >= q.nextNum {
		return t, fmt.Errorf("%q belongs to another queue", s)
	}
	return t, nil
}

// bodies reads messages within the turn. Those whose bodies are in the group that is being built are taken from there.
// An error names the damage, and the caller gives up what it was about to do.
func (t *turn) bodies(msgs []*message) ([]Message, error) {
	copies := make([]*message, len(msgs))
	early := map[int][]byte{}
	for i, m := range msgs {
		c := *m
		if c.ref.Segment == 0 && c.size > 0 {
			early[i] = append([]byte(nil), t.b.code.b[c.ref.Offset:c.ref.Offset+c.size]...)
			c.size = 0
		}
		copies[i] = &c
	}
	out, err := t.b.readMessages(copies)
	for i, body := range early {
		if err == nil {
			out[i].Body = body
		}
	}
	return out, err
}
