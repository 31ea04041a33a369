package queues

import (
	"cmp"
	"slices"
	"time"
)

// Outcome is what became of a delivery, in the terms of the platform's own dispatch result (C-30). The consumer's
// runtime has already applied the rules about calls that come too late (C-17..C-23): what it recorded, counts.
type Outcome struct {
	// AckAll and RetryAll were called; at most one of them is recorded (C-21, C-22).
	AckAll        bool
	RetryAll      bool
	RetryAllDelay Delay
	// Acks and Retries are the messages settled one by one.
	Acks    []ID
	Retries []Retry
	// Failure is set when the handler threw, a waitUntil promise rejected or a limit was exceeded.
	Failure *Failure
	// Abandoned says that the delivery never reached the handler, or that the runtime itself cut it off (a reload, a
	// shutdown). It does not count as an attempt, and the messages are where they were.
	Abandoned bool
}

// Retry asks for one message to be delivered again.
type Retry struct {
	ID    ID
	Delay Delay
}

// Failure says why a delivery failed.
type Failure struct {
	// Reason is the platform's outcome: "exception", "exceededCpu", "exceededWallTime", … (C-30).
	Reason string
	// Error is the exception's text, Stack its stack, in the user's own files and lines.
	Error, Stack string
}

// Reasons kept beside dead letters that have no exception.
const (
	ReasonRetry      = "retry"              // the consumer asked for it
	ReasonVisibility = "visibility timeout" // a puller did not ack in time (H-11)
	ReasonWallTime   = "exceededWallTime"
)

// verdict is what the settlement rules say about one message.
type verdict struct {
	retry bool
	delay Delay
}

// verdict applies production's rules to message i of the batch:
//
//	an explicit ack or retry of the message stands, whatever happens later (C-13, C-15, C-16, C-18, C-19, C-26);
//	then ackAll or retryAll, whichever is recorded (C-14, C-20..C-25);
//	then a failure retries the rest and success acknowledges it (C-9).
//
// The delay of a retry is the message's, else retryAll's, else the consumer's (D-6).
func (o *Outcome) verdict(id ID) verdict {
	if slices.Contains(o.Acks, id) {
		return verdict{}
	}
	for i := range o.Retries {
		if o.Retries[i].ID == id {
			return verdict{retry: true, delay: o.Retries[i].Delay.or(o.RetryAllDelay)}
		}
	}
	return o.rest()
}

// rest is the verdict on a message that was not settled by itself.
func (o *Outcome) rest() verdict {
	switch {
	case o.AckAll:
		return verdict{}
	case o.RetryAll:
		return verdict{retry: true, delay: o.RetryAllDelay}
	default:
		return verdict{retry: o.Failure != nil}
	}
}

// verdicts is verdict for one message after the other: where they come in the order in which they were settled, none is
// looked for.
func (o *Outcome) verdicts() func(ID) verdict {
	acks, retries := o.Acks, o.Retries
	return func(id ID) verdict {
		switch {
		case len(acks) > 0 && acks[0] == id:
			acks = acks[1:]
			return verdict{}
		case len(retries) > 0 && retries[0].ID == id && len(o.Acks) == 0: // an ack of the same message would win
			delay := retries[0].Delay.or(o.RetryAllDelay)
			retries = retries[1:]
			return verdict{retry: true, delay: delay}
		case len(o.Acks) == 0 && len(o.Retries) == 0:
			return o.rest()
		}
		return o.verdict(id)
	}
}

// InOrder is [Outcome.Of] for one message after the other, quickest in the order in which they were settled.
func (o *Outcome) InOrder() func(ID) (retry bool, delay Delay) {
	next := o.verdicts()
	return func(id ID) (bool, Delay) {
		v := next(id)
		return v.retry, v.delay
	}
}

// Of is what the outcome means for a message: whether it is to be delivered again, and the delay that was asked for.
func (o *Outcome) Of(id ID) (retry bool, delay Delay) {
	v := o.verdict(id)
	return v.retry, v.delay
}

// settlement collects what happens to the messages of one delivery.
type settlement struct {
	acked   []*message
	retried []retried
	began   int64
	failure Failure
}

type retried struct {
	m     *message
	delay Delay
}

// settle emits the events of a settlement and says what happened to which message.
func (d *decision) settle(q *queue, s settlement) settled {
	var out settled
	if len(s.acked) > 0 {
		out.acked = s.acked
		d.emit(&Acked{Queue: q.serial, Nums: nums(s.acked)})
	}
	config := q.config()
	again := map[int64][]*message{}
	var visible []int64
	var exhausted []*message
	for _, r := range s.retried {
		if int(r.m.fails)+1 > config.MaxRetries {
			exhausted = append(exhausted, r.m)
			continue
		}
		at := d.now + r.delay.or(seconds(config.RetryDelay)).millis()
		if again[at] == nil {
			visible = append(visible, at)
		}
		again[at] = append(again[at], r.m)
		out.retried = append(out.retried, r.m)
	}
	for _, at := range visible {
		d.emit(&Retried{Queue: q.serial, Visible: fromMillis(at), Began: fromMillis(s.began), Nums: nums(again[at])})
	}
	if len(exhausted) > 0 {
		d.exhaust(q, config, exhausted, s, &out)
	}
	return out
}

// settled says what a settlement did, for live events.
type settled struct {
	acked, retried, dead, dropped []*message
	deadTo                        string
}

// exhaust deals with messages that were delivered max_retries+1 times (D-8).
func (d *decision) exhaust(q *queue, config ConsumerConfig, msgs []*message, s settlement, out *settled) {
	if config.DeadLetterQueue == "" {
		out.dropped = msgs
		d.emit(&Dropped{Queue: q.serial, Reason: DropExhausted, Nums: nums(msgs)})
		return
	}
	to := d.ensureQueue(config.DeadLetterQueue)
	out.dead, out.deadTo = msgs, to.name
	d.emit(&DeadLettered{
		Queue: q.serial, To: to.serial, Began: fromMillis(s.began),
		Reason: s.failure.Reason, Error: s.failure.Error, Stack: s.failure.Stack, Nums: nums(msgs),
	})
}

func nums(msgs []*message) []uint64 {
	out := make([]uint64, len(msgs))
	for i, m := range msgs {
		out[i] = m.num
	}
	return out
}

func seconds(d time.Duration) Delay { return DelaySeconds(int32(d / time.Second)) }

// settleOutcome applies an outcome to the messages that the delivery still holds.
func (d *decision) settleOutcome(q *queue, l *lease, o Outcome) settled {
	if o.Abandoned {
		q.giveBack(l)
		d.state.touch(q)
		return settled{}
	}
	s := settlement{began: l.began, failure: Failure{Reason: ReasonRetry}}
	if o.Failure != nil {
		s.failure = *o.Failure
	}
	verdict := o.verdicts()
	for _, m := range l.msgs {
		if v := verdict(m.id); v.retry {
			s.retried = append(s.retried, retried{m, v.delay})
		} else {
			s.acked = append(s.acked, m)
		}
	}
	return d.settle(q, s)
}

// expireLeases ends the leases that are over: a puller's visibility timeout (H-11), a delivery's wall time (D-15).
// The messages count a failed delivery.
func (d *decision) expireLeases(q *queue, ended func(*lease, settled)) {
	for len(q.expiry) > 0 && q.expiry[0].until <= d.now {
		l := q.expiry[0]
		if l.held {
			q.giveBack(l)
			continue
		}
		s := settlement{began: l.began, failure: Failure{Reason: ReasonVisibility}}
		if l.push {
			s.failure = Failure{Reason: ReasonWallTime, Error: ErrWallTime.Error()}
		}
		for _, m := range l.msgs {
			s.retried = append(s.retried, retried{m: m})
		}
		ended(l, d.settle(q, s))
	}
}

// expireMessages removes what is older than the queue's retention, also while it is paused (D-16). What somebody is
// working on is left to them.
func (d *decision) expireMessages(q *queue) []*message {
	if q.settings.Retention == KeepForever {
		return nil
	}
	old := q.waiting.until(d.now - q.settings.Retention.Milliseconds())
	for part := range slices.Chunk(old, 10_000) {
		d.emit(&Dropped{Queue: q.serial, Reason: DropExpired, Nums: nums(part)})
	}
	return old
}

// nextDeadline is when q next changes by itself, 0 for never.
func (q *queue) nextDeadline() int64 {
	var at []int64
	if len(q.delayed) > 0 {
		at = append(at, q.delayed[0].key)
	}
	if len(q.expiry) > 0 {
		at = append(at, q.expiry[0].until)
	}
	if m := q.waiting.oldest(); m != nil && q.settings.Retention != KeepForever {
		at = append(at, m.arrived()+q.settings.Retention.Milliseconds())
	}
	if len(at) == 0 {
		return 0
	}
	return slices.MinFunc(at, cmp.Compare[int64])
}
