package queues

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// LaneConsumer takes the messages of one do-queue queue. Its methods are called on the broker's goroutine and must
// return at once; done is then called exactly once, from anywhere. At most one of them is under way per lane.
type LaneConsumer interface {
	// DeliverLane hands over the oldest messages of a lane, in order. The outcome's lists must already follow the
	// rule that the first settlement wins (DQ-13, DQ-14).
	DeliverLane(ctx context.Context, batch *LaneBatch, done func(Outcome))
	// DeadLetterLane hands over a message whose retries are used up; an error means that it is called again later.
	DeadLetterLane(ctx context.Context, dead *LaneDeadLetter, done func(error))
}

// LaneBatch is one delivery from a lane.
type LaneBatch struct {
	Queue, Key string
	Messages   []Message
}

// LaneDeadLetter is a message in the hand-off state.
type LaneDeadLetter struct {
	Queue, Key string
	Message    Message
	Failure    DeadLetter
	// Try is 1 for the first call of the handler.
	Try int
}

// ErrAbandoned tells the broker through DeadLetterLane's done that the handler was never called; the call is made
// again after the fallback delay and does not count.
var ErrAbandoned = errors.New("the dead letter handler was not called")

// flight is a delivery from a lane. The broker's goroutine owns it, except for ended.
type flight struct {
	b       *Broker
	l       *lane
	to      LaneConsumer
	msgs    []*message
	handOff bool
	began   int64
	until   int64
	ctx     context.Context
	cancel  context.CancelCauseFunc
	ended   atomic.Bool
}

// LaneSendAsync adds a message to a lane. done is as for [Broker.SendAsync]; the id is the message's, shown as a UUID.
func (b *Broker) LaneSendAsync(queue, key string, msg Outgoing, done func(ID, error)) {
	err := b.ask(func(t *turn) {
		if t.full != nil {
			t.after = append(t.after, func(error) { done(ID{}, t.full) })
			return
		}
		id, err := t.sendToLane(queue, key, msg)
		t.after = append(t.after, func(failed error) {
			if err == nil {
				err = failed
			}
			done(id, err)
		})
	})
	if err != nil {
		done(ID{}, err)
	}
}

// LaneSend is LaneSendAsync for callers that can wait.
func (b *Broker) LaneSend(ctx context.Context, queue, key string, msg Outgoing) (id ID, err error) {
	err = b.call(ctx, func(t *turn) error {
		id, err = t.sendToLane(queue, key, msg)
		return err
	})
	return id, err
}

// sendToLane adds a message and tells of it.
func (t *turn) sendToLane(queue, key string, msg Outgoing) (ID, error) {
	id, err := t.laneSend(queue, key, msg)
	if err == nil {
		t.undoLaneSend(queue, key, id)
		t.tell(Activity{Kind: ActivitySent, Queue: queue, Lane: key, Count: 1,
			Messages: []MessageRef{{ID: id, Sent: t.at(), Size: len(msg.Body)}}})
	}
	return id, err
}

// AttachLanes connects the code of a do-queue queue; waiting messages of all its lanes are delivered from now on.
// Attaching again swaps code and options; deliveries in flight finish where they are.
func (b *Broker) AttachLanes(queue string, config LaneConfig, c LaneConsumer) (detach func(), err error) {
	answer := make(chan error, 1)
	detach = b.AttachLanesAsync(queue, config, c, func(err error) { answer <- err })
	if err := <-answer; err != nil {
		return nil, err
	}
	return detach, nil
}

// AttachLanesAsync is AttachLanes for callers that cannot wait. What the caller sends after it returns is handled after
// the attachment. done is called once, on another goroutine, which may be the broker's: it must not block. After an
// error detach does nothing.
func (b *Broker) AttachLanesAsync(queue string, config LaneConfig, c LaneConsumer, done func(error)) (detach func()) {
	var attached uint64 // read and written on the broker's goroutine; 0 until it is attached
	err := config.validate(queue)
	if err == nil {
		err = b.post(func(t *turn) {
			q := t.state.laneQueue(queue)
			q.config, q.consumer = config, c
			q.attached++
			attached = q.attached
			for _, l := range q.sorted() {
				l.notBefore = 0
				t.state.touchLane(l)
			}
			t.after = append(t.after, done)
		})
	}
	if err != nil {
		go done(err) // the caller may hold a lock that done takes
	}
	return func() {
		// A closed broker has nothing attached.
		_ = b.call(context.Background(), func(t *turn) error {
			if q := t.state.lanes[queue]; q != nil && q.attached == attached {
				q.consumer = nil
			}
			return nil
		})
	}
}

// dispatchLanes starts what the touched lanes want to do, and notes when to look at them again.
func (b *Broker) dispatchLanes(t *turn) {
	for i := 0; i < len(t.state.touchedLanes); i++ {
		l := t.state.touchedLanes[i]
		if l.flight != nil && l.flight.until <= t.now {
			f := l.flight
			f.cancel(ErrWallTime)
			b.landed(t, f, Outcome{Failure: &Failure{Reason: ReasonWallTime, Error: ErrWallTime.Error()}}, ErrWallTime)
		}
		l.isTouched = false
		switch {
		case l.flight != nil:
			b.laneDeadlines.set(l, l.flight.until)
		case l.forgetIfEmpty(), l.queue.consumer == nil, l.isHeld(), len(b.draining) > 0:
			b.laneDeadlines.set(l, 0)
		default:
			msgs, handOff, until := l.next(t.now)
			if len(msgs) > 0 {
				b.depart(t, l, msgs, handOff)
				until = l.flight.until
			}
			b.laneDeadlines.set(l, until)
		}
	}
	t.state.touchedLanes = t.state.touchedLanes[:0]
}

func (b *Broker) depart(t *turn, l *lane, msgs []*message, handOff bool) {
	ctx, cancel := context.WithCancelCause(context.Background())
	l.flight = &flight{
		b: b, l: l, to: l.queue.consumer, msgs: msgs, handOff: handOff, ctx: ctx, cancel: cancel,
		began: t.now, until: t.now + DeliveryWallTime.Milliseconds(),
	}
	b.flights++
	t.flights = append(t.flights, l.flight)
}

// fly hands a flight to the consumer.
func (b *Broker) fly(t *turn, f *flight) {
	msgs, err := b.readMessages(f.msgs)
	if err != nil {
		if msgs = b.holdLane(f); len(msgs) == 0 {
			return
		}
	}
	if !f.handOff {
		t.tell(Activity{
			Kind: ActivityDelivered, Queue: f.l.queue.name, Lane: f.l.key, Messages: t.refs(f.msgs, 1),
			Count: len(f.msgs),
		})
		f.to.DeliverLane(
			f.ctx,
			&LaneBatch{Queue: f.l.queue.name, Key: f.l.key, Messages: msgs},
			func(o Outcome) { f.done(o, nil) },
		)
		return
	}
	dead := *f.msgs[0].hist.dead
	msgs[0].Attempts = dead.Attempts
	f.to.DeadLetterLane(f.ctx, &LaneDeadLetter{
		Queue: f.l.queue.name, Key: f.l.key, Message: msgs[0], Failure: dead,
		Try: int(f.msgs[0].fails) - dead.Attempts + 1,
	}, func(err error) { f.done(Outcome{}, err) })
}

func (f *flight) done(o Outcome, err error) {
	if !f.ended.CompareAndSwap(false, true) {
		panic("queues: a lane's delivery was settled twice")
	}
	// A closed broker refuses this: after a restart the messages are delivered again (DQ-10).
	_ = f.b.post(func(t *turn) { f.b.landed(t, f, o, err) })
}

// landed settles a flight, unless its wall time had ended it.
func (b *Broker) landed(t *turn, f *flight, o Outcome, err error) {
	l := f.l
	if l.flight != f {
		return
	}
	l.flight = nil
	b.flights--
	f.cancel(nil)
	t.state.touchLane(l)
	name := l.queue.name
	switch {
	case o.Abandoned || errors.Is(err, ErrAbandoned):
		l.notBefore = t.now + fallbackDelay.Milliseconds()
	case f.handOff:
		t.settleHandOff(l, f.msgs[0], err)
		if err == nil {
			t.tell(
				Activity{Kind: ActivityDeadLettered, Queue: name, Lane: l.key, Count: 1, Messages: t.refs(f.msgs, 0)},
			)
		}
	default:
		l.failure = ""
		if o.Failure != nil {
			l.failure = o.Failure.Error
		}
		s := t.settleLane(l, f.msgs, f.began, o)
		t.reportLane(l, f, s, o)
	}
	l.forgetIfEmpty()
}

func (t *turn) reportLane(l *lane, f *flight, s settled, o Outcome) {
	if len(t.b.observers) == 0 {
		return
	}
	from := len(t.news)
	s.dead = nil // observers heard of them when they were handed off
	t.reportSettled(&queue{name: l.queue.name}, s, o.Failure)
	a := Activity{
		Kind: ActivityBatch, Queue: l.queue.name, Count: len(f.msgs), Acked: len(s.acked),
		Duration: time.Duration(t.now-f.began) * time.Millisecond, Dropped: len(s.dropped),
	}
	t.next(&a, s.retried, l.queue.config.MaxRetries)
	t.tell(a)
	for i := from; i < len(t.news); i++ {
		t.news[i].Lane = l.key
	}
}
