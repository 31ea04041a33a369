package replay

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"eddy/queues"
	"eddy/queues/queuejs"
	"eddy/runtime/journal"
)

// A lane of do-queue delivers its messages one batch at a time and in order, and a message that is to be tried again
// holds up those behind it (DQ-5, DQ-17). So a batch of a lane never comes twice at once, nor after a later one; it may
// come again before the next one, in two parts, and later than batches of other lanes.

// laneOf names the lane of a delivery, "" for one of a queue.
func laneOf(l *journal.Line) string {
	if l.Kind != journal.Lane {
		return ""
	}
	return l.Queue + "\x00" + l.Lane
}

// place is where a pending batch begins in the delivery that it comes from.
func (r *chaosRun) place(p *pending) int {
	id := p.messages[0].ID
	return slices.IndexFunc(r.base[p.base].Line.Messages, func(m journal.FileMessage) bool { return m.ID == id })
}

// maxRetries is how often messages of a delivery without settings are tried again.
func (r *chaosRun) maxRetries(l *journal.Line) int {
	if l.Kind == journal.Lane {
		if c, err := r.up.LaneConfig(l.Queue); err == nil {
			return c.MaxRetries
		}
	}
	return 3
}

// consumer returns what hands a batch to its consumer.
func (r *chaosRun) consumer(l *journal.Line, b *queues.Batch) (
	func(context.Context, func(queues.Outcome)) error, error) {
	if l.Kind == journal.Lane {
		return func(ctx context.Context, done func(queues.Outcome)) error {
			return r.up.DeliverLane(ctx, &queues.LaneBatch{Queue: l.Queue, Key: l.Lane, Messages: b.Messages}, done)
		}, nil
	}
	w := r.player.target(l)
	if w == nil {
		return nil, errors.New("the Worker does not run")
	}
	return func(ctx context.Context, done func(queues.Outcome)) error {
		queuejs.Consumer{Isolate: w.Isolate}.Deliver(ctx, b, done)
		return nil
	}, nil
}

// deadLetter sends a message of a lane whose attempts are used up to the handler deadLetter, if there is one (DQ-20).
func (r *chaosRun) deadLetter(p *pending, m queues.Message, f *queues.Failure) {
	l := r.base[p.base].Line
	if l.Kind != journal.Lane {
		return
	}
	if c, err := r.up.LaneConfig(l.Queue); err != nil || !c.DeadLetter {
		return
	}
	dead := &queues.LaneDeadLetter{Queue: l.Queue, Key: l.Lane, Message: m, Failure: queues.DeadLetter{
		Source: l.Queue, Reason: "retry", Attempts: r.number[journalID(m)]}}
	dead.Message.Attempts = dead.Failure.Attempts
	if f != nil {
		dead.Failure.Reason, dead.Failure.Error, dead.Failure.Stack = f.Reason, f.Error, f.Stack
	}
	at := slices.IndexFunc(p.messages, func(o journal.FileMessage) bool { return o.ID == journalID(m) })
	r.wait(&pending{due: r.soon(), base: p.base, messages: p.messages[at : at+1 : at+1], dead: dead})
}

// journalID is a message's id as files have it.
func journalID(m queues.Message) string { return m.ID.String() }

// deadTries is how often deadLetter is called. A lane goes on for ever.
const deadTries = 5

// die calls deadLetter, again if it fails (DQ-21).
func (r *chaosRun) die(ctx context.Context, p *pending) error {
	r.order = chaosOrder{r: r}
	p.tries++
	p.dead.Try = p.tries
	r.player.random.begin("dead letter " + p.messages[0].ID)
	r.steps = append(r.steps, ChaosStep{Text: "DEAD LETTER " + p.dead.Key})
	step := len(r.steps) - 1
	var ended, failed atomic.Bool
	err := r.up.DeadLetterLane(ctx, p.dead, func(err error) {
		failed.Store(err != nil)
		ended.Store(true)
	})
	if err != nil {
		return err
	}
	if err := r.until(ctx, ended.Load); err != nil {
		return err
	}
	r.steps[step].Lines = r.order.lines
	if (failed.Load() || !ended.Load()) && p.tries < deadTries {
		p.due = r.clock.Now().Add(time.Duration(p.tries) * time.Second)
		r.wait(p)
	}
	return nil
}
