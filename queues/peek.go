package queues

import (
	"context"
	"fmt"
	"time"
)

// Peeked is a message as an operator sees it.
type Peeked struct {
	// Attempts counts the deliveries of the message that failed so far in this queue.
	Message
	// Ref names the message in its queue, for [Broker.Remove] and [Broker.Edit]. It is not a lease (H-16).
	Ref string
	// State is "ready", "delayed", "in flight" or "held" (it cannot be read).
	State string
	// Visible is when a delayed message can be delivered.
	Visible time.Time
	// Leased is when the lease of a message in flight ends and it is delivered again. Lease is the id with which the
	// puller that has it settles it, "" if a Worker has it.
	Leased time.Time
	Lease  string
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
		l := q.leases[uint64(m.key)]
		if l.held {
			p.State = "held"
			break
		}
		p.Leased = fromMillis(l.until)
		if !l.push {
			p.Lease = token{queue: q.serial, lease: l.num, num: m.num}.String()
		}
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

// peek shows the messages that want chooses. It looks at partSize messages in one turn, so that nobody waits long while
// it searches for a few among many.
func (b *Broker) peek(
	ctx context.Context,
	queue string,
	limit int,
	want func(*message) bool,
) (out []Peeked, err error) {
	for next, more := uint64(0), true; more; {
		var bodies []Message
		var part []Peeked
		err = b.call(ctx, func(t *turn) error {
			q, err := t.find(queue)
			if err != nil {
				return err
			}
			var msgs []*message
			m := q.from(next)
			for looked := 0; m != nil && looked < partSize && len(out)+len(part) < limit; looked++ {
				if want(m) {
					msgs = append(msgs, m)
					part = append(part, q.peeked(m))
				}
				next = m.num + 1
				m = m.link[byArrival].next
			}
			more = m != nil && len(out)+len(part) < limit
			if bodies, err = t.bodies(msgs); err != nil {
				return fmt.Errorf("peek into queue %q: %w", queue, err)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for i := range part {
			part[i].Message = bodies[i]
			part[i].Attempts--
		}
		out = append(out, part...)
	}
	return out, nil
}

// from is the first message by arrival whose number is num or above, nil if there is none.
func (q *queue) from(num uint64) *message {
	if m := q.arrival.head; m == nil || m.num >= num {
		return m
	}
	for num < q.nextNum {
		if c := q.numbers.chunks[num/chunkSize]; c != nil {
			for _, m := range c.m[num%chunkSize:] {
				if m != nil {
					return m
				}
			}
		}
		num = (num/chunkSize + 1) * chunkSize
	}
	return nil
}

// Remove deletes messages by the refs that a peek gave, and says per ref why one could not be deleted. Messages in
// flight are left to whoever has them.
func (b *Broker) Remove(
	ctx context.Context,
	queue string,
	refs []string,
) (removed int, warnings map[string]string, err error) {
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
			case m.at == atLease && !q.isHeld(m):
				warnings[ref] = "the message is in flight"
			case !seen[m]:
				seen[m] = true
				msgs = append(msgs, m)
			}
		}
		removed = len(msgs)
		if removed > 0 {
			t.tell(
				Activity{
					Kind:     ActivityOperator,
					Queue:    queue,
					Count:    removed,
					Reason:   "remove",
					Messages: t.refs(msgs, 0),
				},
			)
			t.emit(&Dropped{Queue: q.serial, Reason: DropRemoved, Nums: nums(msgs)})
		}
		return nil
	})
	return removed, warnings, err
}
