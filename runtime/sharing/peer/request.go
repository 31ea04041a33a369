package peer

import (
	"context"
	"errors"
	"fmt"

	"eddy/queues"
)

// request makes a request of the owner, or does it here. It does not wait.
func (q *Queues) request(r *request) {
	q.mu.Lock()
	if b := q.broker.Load(); b != nil {
		q.mu.Unlock()
		r.local(b)
		return
	}
	err := q.mu.failed
	if err == nil {
		if q.mu.link == nil {
			q.mu.waiting = append(q.mu.waiting, r)
		} else {
			err = q.putLocked(r)
		}
	}
	q.mu.Unlock()
	if err != nil {
		r.done(nil, err)
	}
}

// putLocked puts a request on the link. mu is held, so that requests go in the order of their numbers.
func (q *Queues) putLocked(r *request) error {
	r.packet.Seq = q.mu.seq + 1
	b, err := encode(&r.packet)
	if err != nil {
		return err
	}
	q.mu.seq++
	q.mu.sent[r.packet.Seq] = r
	q.mu.link.pipe.putEncoded(b)
	return nil
}

// ask is request for callers that wait.
func (q *Queues) ask(ctx context.Context, f packet, local func(*queues.Broker) (*packet, error)) (*packet, error) {
	type answer struct {
		f   *packet
		err error
	}
	ch := make(chan answer, 1)
	q.request(&request{
		packet: f,
		done:   func(f *packet, err error) { ch <- answer{f, err} },
		local: func(b *queues.Broker) {
			go func() { // it waits for the broker
				f, err := local(b)
				ch <- answer{f, err}
			}()
		},
	})
	select {
	case a := <-ch:
		return a.f, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// SendAsync does what [queues.Broker.SendAsync] does.
func (q *Queues) SendAsync(queue string, msgs []queues.Outgoing, o queues.SendOptions,
	done func(queues.Metrics, error)) {
	if b := q.broker.Load(); b != nil {
		b.SendAsync(queue, msgs, o, done)
		return
	}
	if err := queues.CheckSend(msgs, o.Batch, o.Delay); err != nil {
		done(queues.Metrics{}, err)
		return
	}
	q.request(&request{
		once: true,
		packet: packet{Kind: kindSend, Queue: queue, Messages: wireOutgoing(msgs), Batch: o.Batch,
			Delay: wireDelay(o.Delay), Trace: o.Trace},
		done:  metricsDone(done),
		local: func(b *queues.Broker) { b.SendAsync(queue, msgs, o, done) },
	})
}

// MetricsAsync does what [queues.Broker.MetricsAsync] does.
func (q *Queues) MetricsAsync(queue string, done func(queues.Metrics, error)) {
	if b := q.broker.Load(); b != nil {
		b.MetricsAsync(queue, done)
		return
	}
	q.request(&request{
		packet: packet{Kind: kindMetrics, Queue: queue},
		done:   metricsDone(done),
		local:  func(b *queues.Broker) { b.MetricsAsync(queue, done) },
	})
}

func metricsDone(done func(queues.Metrics, error)) func(*packet, error) {
	return func(f *packet, err error) {
		if err == nil && f.Metrics == nil {
			err = errors.New("peer: an answer without metrics")
		}
		if err != nil {
			done(queues.Metrics{}, err)
			return
		}
		done(*f.Metrics, nil)
	}
}

// Fire tells the event subscriptions of an event, which Options.Fire of the session that owns the queues understands.
// It does not wait; done is called once. While there is no owner, the event waits.
func (q *Queues) Fire(event []byte, done func(error)) {
	q.request(&request{
		once:   true,
		packet: packet{Kind: kindFire, Event: event},
		done:   func(_ *packet, err error) { done(err) },
		local:  func(*queues.Broker) { go q.o.Fire(event, done) }, // it may wait
	})
}

// LaneSendAsync does what [queues.Broker.LaneSendAsync] does.
func (q *Queues) LaneSendAsync(queue, key string, msg queues.Outgoing, done func(queues.ID, error)) {
	local := func(b *queues.Broker) {
		b.LaneSendAsync(queue, key, msg, func(id queues.ID, err error) {
			if h := q.owner.Load(); err == nil && h != nil {
				h.laneSent(queue)
			}
			done(id, err)
		})
	}
	if b := q.broker.Load(); b != nil {
		local(b)
		return
	}
	if err := queues.CheckLaneSend(queue, msg); err != nil {
		done(queues.ID{}, err)
		return
	}
	q.request(&request{
		once:   true,
		packet: packet{Kind: kindLaneSend, Queue: queue, Key: key, Messages: wireOutgoing([]queues.Outgoing{msg})},
		done: func(f *packet, err error) {
			var id queues.ID
			if err == nil {
				id, err = queues.ParseID(f.Key)
			}
			done(id, err)
		},
		local: local,
	})
}

// failLocked refuses all that waits, and all that comes. mu is held.
func (q *Queues) failLocked(err error) {
	q.mu.failed = err
	waiting := q.mu.waiting
	q.mu.waiting = nil
	go func() { // done may take mu
		for _, r := range waiting {
			r.done(nil, err)
		}
	}()
}

// errUnanswered is the error of a send whose owner ended before it answered.
func errUnanswered(owner Member) error {
	return fmt.Errorf("the session that owns the queues (%s) ended before it confirmed this; the message may be in "+
		"the queue or not", owner)
}
