package queues

import (
	"context"

	"eddy/runtime/clock"
)

// SendOptions go with a send.
type SendOptions struct {
	// Batch says that this is a sendBatch: its limits apply, and its texts.
	Batch bool
	// Delay applies to messages that have none of their own (P-31).
	Delay Delay
	// Trace is the trace context of who sends, in W3C form; "" keeps none.
	Trace string
}

// SendAsync adds messages to a queue: all of them or, with an error, none (P-12). done is called once the messages
// are durable, on the broker's goroutine, or before SendAsync returns if the limits refuse them; it must not block.
// The bodies may be reused once done is called. The metrics are those before the send (P-5).
func (b *Broker) SendAsync(queue string, msgs []Outgoing, o SendOptions, done func(Metrics, error)) {
	if err := CheckSend(msgs, o.Batch, o.Delay); err != nil {
		done(Metrics{}, err)
		return
	}
	err := b.ask(func(t *turn) {
		if t.full != nil {
			t.after = append(t.after, func(error) { done(Metrics{}, t.full) })
			return
		}
		before, q, err := t.send(queue, msgs, o.Delay)
		if err == nil {
			t.undoSend(q, len(msgs))
		}
		if err == nil && o.Trace != "" {
			t.traceSend(q, len(msgs), o.Trace)
		}
		if err == nil && len(b.observers) > 0 {
			refs, m := make([]MessageRef, len(msgs)), q.arrival.tail
			for i := range refs {
				refs[len(refs)-1-i] = m.describe(0)
				m = m.link[byArrival].prev
			}
			t.tell(Activity{Kind: ActivitySent, Queue: queue, Messages: refs, Count: len(msgs)})
		}
		t.after = append(t.after, func(failed error) {
			if err == nil {
				err = failed
			}
			if err != nil {
				before = Metrics{}
			}
			done(before, err)
		})
	})
	if err != nil {
		done(Metrics{}, err)
	}
}

// traceSend gives the messages of a send, which are the last of their queue, the trace context of who sent them.
func (d *decision) traceSend(q *queue, count int, trace string) {
	n := uint64(count)
	d.emit(&TracedSend{Queue: q.serial, First: q.arrival.tail.num + 1 - n, Count: n, Trace: trace})
}

// Send is SendAsync for callers that can wait. If ctx ends first the messages may still have been sent.
func (b *Broker) Send(ctx context.Context, queue string, msgs []Outgoing, o SendOptions) (Metrics, error) {
	type answer struct {
		m   Metrics
		err error
	}
	ch := make(chan answer, 1)
	answered := clock.Await(b.clock)
	b.SendAsync(queue, msgs, o, func(m Metrics, err error) {
		answered()
		ch <- answer{m, err}
	})
	select {
	case a := <-ch:
		return a.m, a.err
	case <-ctx.Done():
		return Metrics{}, context.Cause(ctx)
	}
}

// MetricsAsync asks for a queue's metrics (P-4). done is called on the broker's goroutine and must not block.
func (b *Broker) MetricsAsync(queue string, done func(Metrics, error)) {
	err := b.ask(func(t *turn) {
		q, err := t.find(queue)
		var m Metrics
		if err == nil {
			m = q.metrics()
		}
		t.after = append(t.after, func(error) { done(m, err) })
	})
	if err != nil {
		done(Metrics{}, err)
	}
}
