package queues

import (
	"context"
	"time"
)

// Peeked is a message as an operator sees it.
type Peeked struct {
	// Message has as Attempts the deliveries that failed so far in this queue.
	Message
	// Ref names the message in its queue, for [Broker.Remove] and [Broker.Edit]. It is no lease (H-16).
	Ref string
	// State is "ready", "delayed" or "in flight".
	State string
	// Visible is when a delayed message can be delivered.
	Visible time.Time
	// DeadLetter is set if the message came here by failing elsewhere.
	DeadLetter *DeadLetter
}

func (q *queue) peeked(m *message) Peeked {
	p := Peeked{Ref: token{queue: q.serial, num: m.num}.String(), State: "ready"}
	switch m.at {
	case atDelayed:
		p.State, p.Visible = "delayed", fromMillis(m.key)
	case atLease:
		p.State = "in flight"
	}
	if m.hist != nil && m.hist.dead != nil {
		dead := *m.hist.dead
		p.DeadLetter = &dead
	}
	return p
}

// Peek shows the messages of a queue in order of arrival, at most limit of them, without any effect (H-16).
func (b *Broker) Peek(ctx context.Context, queue string, limit int) ([]Peeked, error) {
	return b.peek(ctx, queue, limit, func(*message) bool { return true })
}

func (b *Broker) peek(ctx context.Context, queue string, limit int, want func(*message) bool) (out []Peeked, err error) {
	var bodies []Message
	err = b.call(ctx, func(t *turn) error {
		q, err := t.find(queue)
		if err != nil {
			return err
		}
		var msgs []*message
		for m := q.arrival.head; m != nil && len(msgs) < limit; m = m.link[byArrival].next {
			if want(m) {
				msgs = append(msgs, m)
				out = append(out, q.peeked(m))
			}
		}
		t.afterReading(msgs, &bodies, nil)
		return nil
	})
	if err != nil || len(bodies) != len(out) {
		return nil, b.orRefusing(err)
	}
	for i := range out {
		out[i].Message = bodies[i]
		out[i].Attempts--
	}
	return out, nil
}

// orRefusing is err, or the reason why the broker refuses everything.
func (b *Broker) orRefusing(err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		err = b.mu.refusing
	}
	return err
}

// Remove deletes messages by the refs that a peek gave, and says per ref why one could not be deleted. Messages in
// flight are left to whoever has them.
func (b *Broker) Remove(ctx context.Context, queue string, refs []string) (removed int, warnings map[string]string, err error) {
	warnings = map[string]string{}
	err = b.call(ctx, func(t *turn) error {
		q, err := t.find(queue)
		if err != nil {
			return err
		}
		var msgs []*message
		seen := map[*message]bool{}
		for _, ref := range refs {
			tok, err := q.token(ref)
			if err != nil {
				warnings[ref] = err.Error()
				continue
			}
			m := q.numbers.get(tok.num)
			switch {
			case m == nil:
				warnings[ref] = ErrNoMessage.Error()
			case m.at == atLease:
				warnings[ref] = "the message is in flight"
			case !seen[m]:
				seen[m] = true
				msgs = append(msgs, m)
			}
		}
		removed = len(msgs)
		if removed > 0 {
			t.tell(Activity{Kind: ActivityOperator, Queue: queue, Count: removed, Reason: "remove", Messages: t.refs(msgs, 0)})
			t.emit(&Dropped{Queue: q.serial, Reason: DropRemoved, Nums: nums(msgs)})
		}
		return nil
	})
	return removed, warnings, err
}
