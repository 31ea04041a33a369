package queues

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Work is one step of a Go work queue on this broker: sends, results of handlers and the next jobs, in one turn.
// Package workqueue/eddylog makes it. The caller decides on retries and dead letters; the consumer's settings do not
// count.
//
// The broker has no priorities. Messages of another priority than 0 wait in a queue of their own beside the base queue,
// see [WorkQueue]. A Worker that consumes the base queue does not see those: while one does, all messages go into the
// base queue.
type Work struct {
	// Queue is the base queue. It is made if it does not exist, and then keeps its messages forever; the retention of a
	// queue that exists is left alone.
	Queue string
	Send  []WorkSend
	// Settle are ends of deliveries. A lease that is over, or a message that somebody else has by now, is passed over.
	Settle []WorkResult
	// Want is how many messages to lease at most, highest priority first, and for how long.
	Want       int
	Visibility time.Duration
}

// WorkSend is a message for a work queue.
type WorkSend struct {
	ContentType ContentType
	Body        []byte
	Priority    int8
	// Delay is exact to the millisecond. It may be longer than a Worker's (K-9), but not longer than the queue's
	// retention.
	Delay time.Duration
	// Trace is the trace context of who sends, in W3C form, or empty.
	Trace string
}

// WorkResult ends the delivery of one message: it is acknowledged, or retried after Delay, or, with a queue in
// DeadTo, moved there for Reason.
type WorkResult struct {
	Queue, LeaseID string
	Retry          bool
	Delay          time.Duration
	DeadTo, Reason string
}

// Worked is the answer to a step.
type Worked struct {
	Jobs []WorkJob
	// Next is how long it takes until a hidden message becomes visible, negative if there is none.
	Next time.Duration
	// Retention is how long the base queue keeps messages, and so jobs; 0 is for ever.
	Retention time.Duration
}

// MaxWorkBytes is how large a message of a work queue may be, unless a Worker consumes the queue (P-23). It is also
// about how much one answer holds.
const MaxWorkBytes = 2 << 20

// WorkJob is a leased message and the queue that it is in.
type WorkJob struct {
	Pulled
	Queue string
	// Trace is that of the send.
	Trace string
}

// ErrWorkerConsumes refuses work from a queue whose messages go to a Worker.
var ErrWorkerConsumes = errors.New("a Worker consumes this queue")

// WorkQueue is the queue beside base in which messages of a priority wait: base itself for 0.
func WorkQueue(base string, priority int8) string {
	if priority == 0 {
		return base
	}
	return base + ".p" + strconv.Itoa(int(priority))
}

// Work carries out one step. If ctx ends first it does not happen.
func (b *Broker) Work(ctx context.Context, w Work) (Worked, error) {
	var out Worked
	if err := checkQueueName(w.Queue); err != nil {
		return Worked{}, err
	}
	if err := checkQueueName(WorkQueue(w.Queue, -128)); err != nil {
		return Worked{}, fmt.Errorf("%w; a work queue needs room for the longest of its endings", err)
	}
	err := b.call(ctx, func(t *turn) error {
		if err := t.workSend(w.Queue, w.Send); err != nil {
			return err
		}
		for i := range w.Settle {
			t.workSettle(&w.Settle[i])
		}
		if q := t.state.byName[w.Queue]; q != nil && q.settings.Retention != KeepForever {
			out.Retention = q.settings.Retention
		}
		out.Next = -1
		for p := 127; p >= -128 && len(out.Jobs) < w.Want; p-- {
			name := WorkQueue(w.Queue, int8(p))
			if p != 0 && t.state.byName[name] == nil {
				continue
			}
			q, full, err := t.workPull(name, &w, &out)
			if err != nil {
				return err
			}
			if full {
				out.Next = 0 // the next step finds more, and nothing of lower priority goes before that
				break
			}
			if next := q.nextVisible(); next > 0 {
				if d := max(time.Duration(next-t.now)*time.Millisecond, 0); out.Next < 0 || d < out.Next {
					out.Next = d
				}
			}
		}
		return nil
	})
	if err != nil {
		return Worked{}, err
	}
	return out, nil
}

// checkWorkSend applies the limits to messages for a work queue.
func (t *turn) checkWorkSend(base string, all []WorkSend) error {
	q := t.state.byName[base]
	for i := range all {
		s := &all[i]
		if q != nil && q.workerConsumes() {
			if err := CheckSend([]Outgoing{{Body: s.Body}}, false, Delay{}); err != nil {
				return err
			}
		}
		if n := len(s.Body); n > MaxWorkBytes {
			return newError(CodeMessageSize, fmt.Sprintf("message length of %d bytes exceeds limit of %d", n,
				MaxWorkBytes))
		}
		if q != nil && q.settings.Retention != KeepForever && s.Delay >= q.settings.Retention {
			return fmt.Errorf("delay of %s: queue %q keeps messages for %s", s.Delay, base, q.settings.Retention)
		}
	}
	return nil
}

// workerConsumes reports whether messages go to a Worker.
func (q *queue) workerConsumes() bool {
	return q.consumer != nil && q.consumer.config.Type != PullConsumer
}

func (t *turn) workSend(base string, all []WorkSend) error {
	if err := t.checkWorkSend(base, all); err != nil {
		return err
	}
	for i := range all {
		s := &all[i]
		name := WorkQueue(base, s.Priority)
		if q := t.state.byName[base]; q != nil && q.workerConsumes() {
			name = base // a Worker would not see the other queue
		}
		q, err := t.workQueue(name)
		if err != nil {
			return err
		}
		if q.bytes+int64(len(s.Body)) > MaxBacklogBytes {
			return newError(CodeStorage, "Storage Limit Exceeded") // P-28
		}
		t.emit(&Sent{Queue: q.serial, Items: []SentItem{{
			ID: t.newID(), ContentType: s.ContentType, Body: s.Body, Delay: roundUp(s.Delay),
		}}})
		if s.Trace != "" {
			t.emit(&Traced{Queue: q.serial, Num: q.arrival.tail.num, Trace: s.Trace})
		}
		t.tell(Activity{Kind: ActivitySent, Queue: q.name, Messages: t.refs([]*message{q.arrival.tail}, 0), Count: 1})
	}
	return nil
}

// workQueue finds a queue, or makes one whose messages do not expire.
func (t *turn) workQueue(name string) (*queue, error) {
	if q, err := t.find(name); err == nil {
		return q, nil
	}
	settings := DefaultQueueSettings()
	settings.Retention = KeepForever
	return t.createQueue(name, settings)
}

// roundUp is a duration in milliseconds: a message never comes early.
func roundUp(d time.Duration) int64 {
	return max(int64((d+time.Millisecond-1)/time.Millisecond), 0)
}

func (t *turn) workSettle(r *WorkResult) {
	q, err := t.find(r.Queue)
	if err != nil {
		return // it was deleted with its messages
	}
	tok, err := q.token(r.LeaseID)
	if err != nil {
		return
	}
	m, l := q.numbers.get(tok.num), q.leases[tok.lease]
	held := m != nil && l != nil && m.at == atLease && uint64(m.key) == tok.lease
	var s settled
	switch {
	case m == nil:
		return
	case !r.Retry && r.DeadTo == "":
		if m.at == atLease && !held {
			return // somebody else has it now
		}
		s = t.settle(q, settlement{acked: []*message{m}})
	case !held:
		return
	case r.Retry:
		at := fromMillis(t.now + roundUp(r.Delay))
		t.emit(&Retried{Queue: q.serial, Visible: at, Began: fromMillis(l.began), Nums: []uint64{m.num}})
		s.retried = []*message{m}
	default:
		to, err := t.workQueue(r.DeadTo)
		if err != nil {
			to = q // there can be no more queues: it stays where it is
		}
		t.emit(&DeadLettered{
			Queue: q.serial, To: to.serial, Began: fromMillis(l.began), Reason: "exception", Error: r.Reason,
			Nums: []uint64{m.num},
		})
		s.dead, s.deadTo = []*message{m}, to.name
	}
	t.reportSettled(q, s, nil)
}

// workPull leases messages of one queue. A queue that nobody consumes gets an http_pull consumer, so that a lease
// that is over ends as a retry; only after a hundred such ends does the broker itself call a message dead.
func (t *turn) workPull(name string, w *Work, out *Worked) (q *queue, full bool, err error) {
	if q, err = t.workQueue(name); err != nil {
		return nil, false, err
	}
	if q.consumer == nil {
		c := DefaultConsumer(name, PullConsumer)
		c.MaxRetries, c.DeadLetterQueue = MaxRetriesLimit, w.Queue+".dead"
		if _, err := t.workQueue(c.DeadLetterQueue); err != nil {
			return nil, false, err
		}
		if _, err := t.setConsumer(c, false, false); err != nil {
			return nil, false, err
		}
	}
	if q.workerConsumes() {
		return nil, false, fmt.Errorf("queue %q: %w", name, ErrWorkerConsumes)
	}
	if q.settings.DeliveryPaused {
		return q, full, nil
	}
	_, ready, o, err := t.pullable(name, PullOptions{
		BatchSize: min(w.Want-len(out.Jobs), MaxBatchSizeLimit), VisibilityTimeout: min(w.Visibility,
			MaxVisibilityTimeout),
	})
	if err != nil || len(ready) == 0 {
		return q, false, err
	}
	full = len(ready) == MaxBatchSizeLimit && len(ready)+len(out.Jobs) < w.Want
	room := MaxWorkBytes
	for _, j := range out.Jobs {
		room -= len(j.Body)
	}
	for i, m := range ready {
		if room -= int(m.size); room < 0 && i+len(out.Jobs) > 0 {
			ready, full = ready[:i], true
			break
		}
	}
	if len(ready) == 0 {
		return q, full, nil
	}
	bodies, err := t.bodies(ready)
	if err != nil {
		return nil, false, fmt.Errorf("queue %q: %w", name, err)
	}
	l := t.lend(q, ready, o)
	for i, m := range l.msgs {
		out.Jobs = append(out.Jobs, WorkJob{Pulled{bodies[i], token{q.serial, l.num, m.num}.String()}, name, m.trace()})
	}
	t.tell(Activity{Kind: ActivityDelivered, Queue: name, Messages: t.refs(l.msgs, 1), Count: len(l.msgs)})
	return q, full, nil
}

// nextVisible is when a hidden message of q becomes visible, 0 for never.
func (q *queue) nextVisible() (at int64) {
	if len(q.delayed) > 0 {
		at = q.delayed[0].key
	}
	if len(q.expiry) > 0 && (at == 0 || q.expiry[0].until < at) {
		at = q.expiry[0].until
	}
	return at
}
