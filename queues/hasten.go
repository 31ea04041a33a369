package queues

import (
	"context"
	"fmt"
)

// Hastened ends the delays of messages: they join the end of the ready order.
type Hastened struct {
	Queue uint64
	Nums  []uint64
}

func (*Hastened) kind() uint16    { return 27 }
func (e *Hastened) code(c *coder) { c.uint(&e.Queue); c.numbers(&e.Nums) }

func (e *Hastened) apply(s *State) error {
	return s.each(e.Queue, e.Nums, func(q *queue, m *message) {
		if m.at == atDelayed {
			q.unplace(m)
			q.place(m, 0, s.now)
		}
	})
}

// LaneHastened ends the back-off of the oldest message of a lane.
type LaneHastened struct{ Queue, Key string }

func (*LaneHastened) kind() uint16    { return 28 }
func (e *LaneHastened) code(c *coder) { c.string(&e.Queue); c.string(&e.Key) }

func (e *LaneHastened) apply(s *State) error {
	l, err := s.findLane(e.Queue, e.Key)
	if err != nil {
		return err
	}
	if head := l.msgs.head; head != nil && head.at == atReady {
		head.key, l.notBefore = min(head.key, s.now), min(l.notBefore, s.now)
	}
	s.touchLane(l)
	return nil
}

// Deliver ends the delays and back-offs of messages that wait, named by the refs that a peek gave, or of all messages
// of the queue without refs, and lets what is ready go out without waiting for a whole batch. It returns how many
// messages had a delay. A ref whose message does not wait for a time is left as it is.
func (b *Broker) Deliver(ctx context.Context, queue string, refs []string) (n int, err error) {
	err = b.call(ctx, func(t *turn) error {
		q, err := t.find(queue)
		if err != nil {
			return err
		}
		msgs, err := q.delayedOf(refs)
		if err != nil {
			return err
		}
		if n = len(msgs); n > 0 {
			t.emit(&Hastened{Queue: q.serial, Nums: nums(msgs)})
		}
		if d := q.dispatcher; d != nil {
			d.batching.hurry = q.ready.n
		}
		t.state.touch(q)
		t.tell(Activity{Kind: ActivityOperator, Queue: queue, Count: n, Reason: "deliver"})
		return nil
	})
	return n, err
}

// delayedOf lists the delayed messages among those that refs name, by arrival; all without refs.
func (q *queue) delayedOf(refs []string) (msgs []*message, err error) {
	if len(refs) == 0 {
		for m := q.arrival.head; m != nil; m = m.link[byArrival].next {
			if m.at == atDelayed {
				msgs = append(msgs, m)
			}
		}
		return msgs, nil
	}
	seen := map[uint64]bool{}
	for _, ref := range refs {
		tok, err := q.token(ref)
		if err != nil {
			return nil, fmt.Errorf("deliver %s of queue %q: %w: %w", ref, q.name, ErrNoMessage, err)
		}
		m := q.numbers.get(tok.num)
		if m == nil {
			return nil, fmt.Errorf("deliver %s of queue %q: %w", ref, q.name, ErrNoMessage)
		}
		if m.at == atDelayed && !seen[m.num] {
			seen[m.num] = true
			msgs = append(msgs, m)
		}
	}
	return msgs, nil
}

// LaneDeliver ends the back-off of a lane: its oldest message is tried now.
func (b *Broker) LaneDeliver(ctx context.Context, queue, key string) error {
	return b.call(ctx, func(t *turn) error {
		if _, err := t.state.findLane(queue, key); err != nil {
			return err
		}
		t.emit(&LaneHastened{Queue: queue, Key: key})
		return nil
	})
}
