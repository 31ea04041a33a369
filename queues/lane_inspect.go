package queues

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// LaneQueueInfo is a copy of what is known about a do-queue queue.
type LaneQueueInfo struct {
	Name     string
	Config   LaneConfig
	Attached bool
	// Lanes that hold messages, Blocked ones among them: those whose oldest message waits for a retry or hand-off.
	Lanes, Blocked int
	Messages       int
	Bytes          int64
}

// LaneInfo is a copy of what is known about a lane.
type LaneInfo struct {
	Queue, Key string
	Messages   int
	// State is "ready", "delivering", "waiting" (for a retry), "handing off", "hand-off waiting" or "held" (the oldest
	// message cannot be read).
	State string
	// Due is when the lane goes on by itself; zero if it is not waiting.
	Due time.Time
	// HeadID, HeadAttempts and HeadSent describe the oldest message; HeadError is why it was handed off, or why the
	// lane's last delivery failed, if that was in this session.
	HeadID       ID
	HeadAttempts int
	HeadSent     time.Time
	HeadError    string
}

func (l *lane) info(now int64) LaneInfo {
	i := LaneInfo{Queue: l.queue.name, Key: l.key, Messages: l.msgs.n, State: "ready"}
	m := l.msgs.head
	if m == nil {
		return i
	}
	i.HeadID, i.HeadAttempts, i.HeadSent = m.id, int(m.fails), fromMillis(m.sent)
	due := max(m.key, l.notBefore)
	switch {
	case l.isHeld():
		i.State = "held"
	case m.at == atHandOff && l.flight != nil:
		i.State = "handing off"
	case m.at == atHandOff:
		i.State = "hand-off waiting"
	case l.flight != nil:
		i.State = "delivering"
	case due > now:
		i.State = "waiting"
	}
	if l.flight == nil && due > now {
		i.Due = fromMillis(due)
	}
	if m.fails > 0 {
		i.HeadError = l.failure
	}
	if m.hist != nil && m.hist.dead != nil {
		i.HeadError = m.hist.dead.Error
		i.HeadAttempts = m.hist.dead.Attempts
	}
	return i
}

// LaneQueues lists the do-queue queues by name.
func (b *Broker) LaneQueues(ctx context.Context) (out []LaneQueueInfo, err error) {
	err = b.call(ctx, func(t *turn) error {
		for _, q := range t.state.lanes {
			i := LaneQueueInfo{
				Name:     q.name,
				Config:   q.config,
				Attached: q.consumer != nil,
				Messages: q.count,
				Bytes:    q.bytes,
				Lanes:    q.holding,
				Blocked:  q.blocked,
			}
			out = append(out, i)
		}
		return nil
	})
	slices.SortFunc(out, func(a, b LaneQueueInfo) int { return strings.Compare(a.Name, b.Name) })
	return out, err
}

// Lanes lists the lanes of a queue by key, at most limit of those after the key given; with blocked set, only those
// whose oldest message has failed before.
func (b *Broker) Lanes(ctx context.Context, queue, after string, limit int, blocked bool) (out []LaneInfo, err error) {
	keys, err := b.laneKeys(ctx, queue, after, blocked)
	if err != nil {
		return nil, err
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	for len(keys) > 0 && len(out) < limit {
		n := min(len(keys), partSize, limit-len(out))
		err := b.call(ctx, func(t *turn) error {
			for _, key := range keys[:n] {
				if l, err := t.state.findLane(queue, key); err == nil && l.listed(after, blocked) {
					out = append(out, l.info(t.now))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		keys = keys[n:]
	}
	return out, nil
}

// listed tells whether a list of lanes has this one.
func (l *lane) listed(after string, blocked bool) bool {
	return l.msgs.n > 0 && l.key > after && (!blocked || l.msgs.head.fails > 0)
}

// laneKeys collects keys for a list, in no order, some perhaps twice. It looks at partSize lanes in one turn, so that
// nobody waits long. Lanes come and go between turns. When one goes, the last lane takes its place; laneKeys walks from
// the end and has seen that one by then, so it misses no lane that was there all the time.
func (b *Broker) laneKeys(ctx context.Context, queue, after string, blocked bool) (keys []string, err error) {
	for at := -1; at != 0; {
		err := b.call(ctx, func(t *turn) error {
			q := t.state.lanes[queue]
			if q == nil {
				return fmt.Errorf("do-queue queue %q: %w", queue, ErrNoLane)
			}
			if at < 0 || at > len(q.order) {
				at = len(q.order)
			}
			for end := max(0, at-partSize); at > end; at-- {
				if l := q.order[at-1]; l.listed(after, blocked) {
					keys = append(keys, l.key)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// partSize is how many messages or lanes a walk over all of them looks at in one turn.
const partSize = 4096

// LaneMessages shows the oldest messages of a lane, without side effect. Attempts counts failed deliveries so far.
func (b *Broker) LaneMessages(
	ctx context.Context,
	queue, key string,
	limit int,
) (info LaneInfo, out []Message, err error) {
	err = b.call(ctx, func(t *turn) error {
		l, err := t.state.findLane(queue, key)
		if err != nil {
			return err
		}
		info = l.info(t.now)
		var msgs []*message
		for m := l.msgs.head; m != nil && len(msgs) < limit; m = m.link[byArrival].next {
			msgs = append(msgs, m)
		}
		if out, err = t.bodies(msgs); err != nil {
			return fmt.Errorf("lane %q of %q: %w", key, queue, err)
		}
		for i := range out {
			out[i].Attempts--
		}
		return nil
	})
	return info, out, err
}

// LaneRemove removes a message, for example one that blocks its lane, and notes it in the operator's log.
func (b *Broker) LaneRemove(ctx context.Context, queue, key string, id ID, note string) error {
	return b.call(ctx, func(t *turn) error {
		l, err := t.state.findLane(queue, key)
		if err != nil {
			return err
		}
		for m := l.msgs.head; m != nil; m = m.link[byArrival].next {
			if m.id == id {
				t.emit(&LaneRemoved{Queue: queue, Key: key, Reason: LaneByOperator, Nums: []uint64{m.num}})
				t.emit(
					&Noted{
						Note{
							At:       t.at(),
							Action:   "remove",
							Queue:    queue + ":" + key,
							Text:     note,
							Messages: []string{id.UUID()},
						},
					},
				)
				return nil
			}
		}
		return fmt.Errorf("remove %s from lane %q of %q: %w", id.UUID(), key, queue, ErrNoMessage)
	})
}

func (s *State) findLane(queue, key string) (*lane, error) {
	if q := s.lanes[queue]; q != nil && q.lanes[key] != nil {
		return q.lanes[key], nil
	}
	return nil, fmt.Errorf("lane %q of do-queue queue %q: %w", key, queue, ErrNoLane)
}
