package queues

import (
	"context"
	"slices"
	"time"
)

// ActivityKind says what happened.
type ActivityKind string

// The kinds of live events.
const (
	ActivitySent         ActivityKind = "sent"
	ActivityDelivered    ActivityKind = "delivered" // a batch went to a push consumer or a puller
	ActivityAcked        ActivityKind = "acked"
	ActivityRetried      ActivityKind = "retried"
	ActivityDeadLettered ActivityKind = "dead-lettered"
	ActivityDropped      ActivityKind = "dropped" // retries exhausted and no dead letter queue
	ActivityExpired      ActivityKind = "expired" // retention ended
	ActivityBatch        ActivityKind = "batch"   // a push delivery ended
	ActivityPurged       ActivityKind = "purged"
	ActivityPaused       ActivityKind = "paused"
	ActivityResumed      ActivityKind = "resumed"
	ActivityOperator     ActivityKind = "operator" // redrive, edit, skip, escalate, remove
)

// Activity is something that happened, told after it became durable: for log lines, tail and metrics.
type Activity struct {
	Kind ActivityKind
	Time time.Time
	// Queue is the queue's name; for lanes that of the lane queue, with Lane its key.
	Queue string
	Lane  string
	// Messages are those it happened to.
	Messages []MessageRef
	// Count is the number of messages, also where Messages is left out.
	Count int
	// DeadLetterQueue is where dead letters went.
	DeadLetterQueue string
	// Reason is the failure's reason, Error its text, or the operator's action and note.
	Reason, Error string
	// Acked is how many messages of a batch were acknowledged, Duration how long the batch took from delivery to
	// settlement.
	Acked    int
	Duration time.Duration
	// If messages of a batch will be delivered again, Retry is how often they have failed (the highest count of any of
	// them), MaxRetries how often they may fail, and RetryIn how long it is until the first of them is delivered.
	// Otherwise all three are 0.
	Retry, MaxRetries int
	RetryIn           time.Duration
	// Dead are the messages of a batch that went to DeadLetterQueue, Dropped how many were deleted for want of one.
	Dead    []MessageRef
	Dropped int
}

// MessageRef is a message as live events show it.
type MessageRef struct {
	ID ID
	// Attempts is how often it had been delivered when the event happened.
	Attempts int
	// Sent is the message's timestamp.
	Sent time.Time
	Size int
}

type observer struct{ f func(Activity) }

// Observe calls f for everything that happens from now on, in order, on the broker's goroutine: f must not block.
func (b *Broker) Observe(f func(Activity)) (cancel func(), err error) {
	o := &observer{f}
	if err := b.call(context.Background(), func(*turn) error {
		b.observers = append(b.observers, o)
		return nil
	}); err != nil {
		return nil, err
	}
	return func() {
		// A closed broker tells nobody anything.
		_ = b.call(context.Background(), func(*turn) error {
			b.observers = slices.DeleteFunc(b.observers, func(x *observer) bool { return x == o })
			return nil
		})
	}, nil
}

func (b *Broker) tell(news []Activity) {
	for i := range news {
		for _, o := range b.observers {
			o.f(news[i])
		}
	}
}

// tell notes something for the observers.
func (t *turn) tell(a Activity) {
	if len(t.b.observers) == 0 {
		return
	}
	a.Time = t.at()
	t.news = append(t.news, a)
}

// refs describes messages for observers; it is nil when nobody observes. plus is 1 for a delivery that the messages do
// not count yet.
func (t *turn) refs(msgs []*message, plus int) []MessageRef {
	if len(t.b.observers) == 0 {
		return nil
	}
	out := make([]MessageRef, len(msgs))
	for i, m := range msgs {
		out[i] = m.describe(plus)
	}
	return out
}

func (m *message) describe(plus int) MessageRef {
	return MessageRef{ID: m.id, Attempts: int(m.fails) + plus, Sent: fromMillis(m.sent), Size: int(m.size)}
}

// report tells how a push delivery ended: what happened to its messages first, then the batch (C-33, C-34).
func (t *turn) report(q *queue, d *delivery, total int, s settled, o Outcome) {
	if len(t.b.observers) == 0 {
		return
	}
	t.reportSettled(q, s, o.Failure)
	a := Activity{
		Kind:     ActivityBatch,
		Queue:    q.name,
		Count:    total,
		Acked:    len(s.acked),
		Duration: time.Duration(t.now-d.began) * time.Millisecond,
	}
	if o.Failure != nil {
		a.Reason, a.Error = o.Failure.Reason, o.Failure.Error
	}
	if o.Abandoned {
		a.Reason = "abandoned"
	}
	a.DeadLetterQueue, a.Dead, a.Dropped = s.deadTo, t.refs(s.dead, 0), len(s.dropped)
	t.next(&a, s.retried, q.config().MaxRetries)
	t.tell(a)
}

// next says in a batch's activity when its messages are delivered again.
func (t *turn) next(a *Activity, retried []*message, maxRetries int) {
	for i, m := range retried {
		wait := time.Duration(0)
		if m.at != atReady || m.key > t.now { // the key of a lane's message is the time from which it is ready
			wait = max(0, time.Duration(m.key-t.now)*time.Millisecond)
		}
		if i == 0 || wait < a.RetryIn {
			a.RetryIn = wait
		}
		a.Retry, a.MaxRetries = max(a.Retry, int(m.fails)), maxRetries
	}
}

// reportLost tells of a puller's lease that ran out.
func (t *turn) reportLost(q *queue, s settled) {
	t.reportSettled(q, s, &Failure{Reason: ReasonVisibility})
}

func (t *turn) reportSettled(q *queue, s settled, failure *Failure) {
	if len(t.b.observers) == 0 {
		return
	}
	a := Activity{Queue: q.name}
	if failure != nil {
		a.Reason, a.Error = failure.Reason, failure.Error
	}
	for _, part := range []struct {
		kind ActivityKind
		msgs []*message
		plus int
	}{{ActivityAcked, s.acked, 1}, {ActivityRetried, s.retried, 0}, {ActivityDeadLettered, s.dead, 0},
		{ActivityDropped, s.dropped, 1}} {
		if len(part.msgs) == 0 {
			continue
		}
		a.Kind, a.Count, a.Messages, a.DeadLetterQueue = part.kind, len(part.msgs), t.refs(part.msgs, part.plus), ""
		if part.kind == ActivityDeadLettered {
			a.DeadLetterQueue = s.deadTo
			for i, m := range part.msgs {
				a.Messages[i].Attempts = m.hist.dead.Attempts
			}
			// The messages of one settlement have one reason; retry() has one, too
			a.Reason = part.msgs[0].hist.dead.Reason
		}
		t.tell(a)
	}
}
