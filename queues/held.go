package queues

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"eddy/queues/logstore"
)

// A message whose body cannot be read is held. It is not delivered, because anything else than what was sent would hide
// the damage, and not dropped, because it was acknowledged. It counts no attempt and outlives its retention. Everything
// else goes on: the rest of its batch, its queue, the other queues, sends. Its state on disk is what it was, so that
// the next session meets it again, and says so again. In a lane, where order is strict, what stands behind it waits as
// well. A pull or a look at a queue that meets a held message is refused instead, each time, and takes nothing.
//
// A damaged message is held until the session ends: the open file does not change any more when somebody puts a copy in
// its place. A body that cannot be read for another reason, because the process may open no more files or the disk
// answers with an error, is tried again after heldFor.
const heldFor = time.Minute

// damaged tells whether a body that could not be read never will be.
func damaged(err error) bool {
	var damage *logstore.CorruptError
	return errors.As(err, &damage)
}

// unread is a message whose body could not be read, with the error.
type unread struct {
	m   *message
	err error
}

// soundBodies reads those bodies that can be read.
func (b *Broker) soundBodies(msgs []*message) (sound []Message, bad []unread) {
	for _, m := range msgs {
		one, err := b.readMessages([]*message{m})
		if err != nil {
			bad = append(bad, unread{m, err})
			continue
		}
		sound = append(sound, one[0])
	}
	return sound, bad
}

// hold takes the messages that cannot be read out of a batch and returns the rest.
func (b *Broker) hold(q *queue, batch *lease) (sound []Message) {
	sound, bad := b.soundBodies(batch.msgs)
	var forever, now []unread
	for _, u := range bad {
		if damaged(u.err) {
			forever = append(forever, u)
		} else {
			now = append(now, u)
		}
	}
	if len(forever) > 0 {
		b.holdUntil(q, batch, forever, 0)
	}
	if len(now) > 0 {
		b.holdUntil(q, batch, now, b.state.now+heldFor.Milliseconds())
		b.deadlines.set(q, q.nextDeadline())
	}
	return sound
}

// holdUntil moves messages from their batch to a lease that nobody has. An until of 0 is for ever.
func (b *Broker) holdUntil(q *queue, batch *lease, bad []unread, until int64) {
	l := &lease{num: b.state.nextLease, push: true, held: true, began: b.state.now, until: until, index: noExpiry}
	b.state.nextLease++
	for _, u := range bad {
		l.keys = append(l.keys, batch.keys[slices.Index(batch.msgs, u.m)])
		l.msgs = append(l.msgs, u.m)
		q.unlease(u.m)
		u.m.key = int64(l.num)
	}
	q.leases[l.num] = l
	q.held = slices.DeleteFunc(q.held, func(l *lease) bool { return len(l.msgs) == 0 })
	q.held = append(q.held, l)
	if until != 0 {
		q.expire(l)
	}
	b.tellHeld(fmt.Sprintf("Queue %q", q.name), bad)
}

// holdLane takes the messages that cannot be read, and what stands behind them, out of a lane's delivery and returns
// the rest. If nothing is left, the lane waits.
func (b *Broker) holdLane(f *flight) (sound []Message) {
	sound, bad := b.soundBodies(f.msgs)
	first := slices.Index(f.msgs, bad[0].m)
	l := f.l
	if first > 0 {
		f.msgs = f.msgs[:first] // the next delivery begins with the message that cannot be read
		return sound[:first]
	}
	f.cancel(bad[0].err)
	l.flight = nil
	b.flights--
	until := int64(0)
	if damaged(bad[0].err) {
		l.held = bad[0].m
	} else {
		l.notBefore = b.state.now + heldFor.Milliseconds()
		until = l.notBefore
	}
	b.laneDeadlines.set(l, until)
	b.tellHeld(fmt.Sprintf("Lane %q of %q", l.key, l.queue.name), bad[:1])
	return nil
}

// isHeld tells whether the lane waits behind a message that is held. It goes on when somebody has removed the message.
func (l *lane) isHeld() bool {
	if l.held != nil && l.held != l.msgs.head {
		l.held = nil
	}
	return l.held != nil
}

// tellHeld says which messages are held, and where. All of them have the same kind of reason.
func (b *Broker) tellHeld(where string, bad []unread) {
	what := "a message is held, because its body cannot be read"
	if len(bad) > 1 {
		what = fmt.Sprintf("%d messages are held, because their bodies cannot be read; the first", len(bad))
	}
	until := ""
	if !damaged(bad[0].err) {
		until = fmt.Sprintf(" It is tried again in %s.", heldFor)
	}
	b.warn(fmt.Sprintf("%s: %s: %v.%s Everything else goes on.", where, what, bad[0].err, until))
}
