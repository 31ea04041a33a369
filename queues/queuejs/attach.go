package queuejs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"eddy/queues"
	"eddy/runtime/worker"
)

// Lanes is what do-queue needs of the broker.
type Lanes interface {
	LaneSendAsync(queue, key string, msg queues.Outgoing, done func(queues.ID, error))
	AttachLanesAsync(queue string, config queues.LaneConfig, c queues.LaneConsumer, done func(error)) (detach func())
	LaneQueues(ctx context.Context) ([]queues.LaneQueueInfo, error)
}

// laneAttachment is a class's code at one lane queue, from the moment at which the broker is asked to attach it. All
// fields are guarded by the mu of [DOQueues].
type laneAttachment struct {
	class  *laneClass
	detach func()
	// answered says that the broker has attached it, or refused to with err; waiters are called then.
	answered bool
	err      error
	waiters  []func(error)
}

// Ensure attaches a lane queue to its class, if the class is running. It is called when another session has sent to the
// queue. It waits for the broker, so it must not be called on a loop's goroutine.
func (d *DOQueues) Ensure(queue string) error {
	unique, _, ok := strings.Cut(queue, "/")
	if !ok {
		return fmt.Errorf("lane queue %q: expected the class before a slash", queue)
	}
	answer := make(chan error, 1)
	d.mu.Lock()
	a := d.ensure(unique, queue)
	if a != nil {
		d.wait(a, func(err error) { answer <- err })
	}
	d.mu.Unlock()
	if a == nil {
		return nil
	}
	return <-answer
}

// Deliver hands a batch to the class of its lane queue, in place of the broker. With an error nothing is delivered and
// done is not called. Any goroutine.
func (d *DOQueues) Deliver(ctx context.Context, b *queues.LaneBatch, done func(queues.Outcome)) error {
	c, err := d.class(b.Queue)
	if err == nil {
		laneConsumer{c}.DeliverLane(ctx, b, done)
	}
	return err
}

// DeadLetter hands a dead letter to the class of its lane queue, in place of the broker. With an error nothing is
// handed over and done is not called. Any goroutine.
func (d *DOQueues) DeadLetter(ctx context.Context, dead *queues.LaneDeadLetter, done func(error)) error {
	c, err := d.class(dead.Queue)
	switch {
	case err != nil:
		return err
	case !c.config.DeadLetter:
		return fmt.Errorf("do-queue %s: its class has no deadLetter", dead.Queue)
	}
	laneConsumer{c}.DeadLetterLane(ctx, dead, done)
	return nil
}

// Config returns the settings of the class of a lane queue. Any goroutine.
func (d *DOQueues) Config(queue string) (queues.LaneConfig, error) {
	c, err := d.class(queue)
	if err != nil {
		return queues.LaneConfig{}, err
	}
	return c.config, nil
}

// class is the class of a lane queue.
func (d *DOQueues) class(queue string) (*laneClass, error) {
	unique, _, _ := strings.Cut(queue, "/")
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.classes[unique]; c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("do-queue %s: no Worker that runs exports its class", queue)
}

// ensure begins to attach the class's code to a lane queue, if the class is running and no earlier call has begun it.
// It returns the attachment while the broker has not answered for it, else nil. The caller holds mu.
func (d *DOQueues) ensure(unique, name string) *laneAttachment {
	c, a := d.classes[unique], d.attached[name]
	switch {
	case c == nil || d.Driven:
		return nil
	case a == nil:
		return d.attach(c, name)
	case a.answered:
		return nil
	}
	return a
}

// attach asks the broker to attach c to a lane queue, in place of what was attached before. The caller holds mu, so
// that the broker hears of attachments in the order in which they are in the table.
func (d *DOQueues) attach(c *laneClass, name string) *laneAttachment {
	a := &laneAttachment{class: c}
	if d.attached == nil {
		d.attached = map[string]*laneAttachment{}
	}
	if before := d.attached[name]; before != nil {
		d.displaced = append(d.displaced, before)
	}
	d.attached[name] = a
	a.detach = d.Broker.AttachLanesAsync(name, c.config, laneConsumer{c}, func(err error) {
		if err != nil {
			err = fmt.Errorf("do-queue %s: %w", name, err)
		}
		d.mu.Lock()
		a.answered, a.err = true, err
		waiters := a.waiters
		a.waiters = nil
		if err != nil && d.attached[name] == a {
			delete(d.attached, name) // the next send tries again
		}
		d.mu.Unlock()
		for _, f := range waiters {
			f(err)
		}
	})
	return a
}

// wait calls f with the broker's answer; f must not block. The caller holds mu, and a is not answered.
func (d *DOQueues) wait(a *laneAttachment, f func(error)) { a.waiters = append(a.waiters, f) }

// Attach finds the do-queue classes that a Worker exports and connects them; name is the Worker's. It waits for the
// broker, so it must not be called on a loop's goroutine. detach takes them off again, unless another generation was
// attached meanwhile. With an error nothing is attached.
func (d *DOQueues) Attach(iso *worker.Isolate, name string) (detach func(), err error) {
	found := map[string]*laneClass{}
	if err := iso.Look(context.Background(), func() {
		for _, export := range iso.ExportNames() {
			if c, ok := iso.Realm.State(iso.Export(export)).(*laneClass); ok {
				found[name+"-"+export] = c
			}
		}
	}); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return func() {}, nil
	}
	existing, err := d.Broker.LaneQueues(context.Background())
	if err != nil {
		return nil, err
	}
	answers := d.attachAll(found, existing)
	detach = func() { d.detachAll(found) }
	var errs []error
	for range cap(answers) {
		errs = append(errs, <-answers)
	}
	if err := errors.Join(errs...); err != nil {
		detach()
		return nil, err
	}
	return detach, nil
}

// attachAll makes classes the running ones and attaches each to its lane queues: those that hold messages, and those
// that an earlier generation was attached to. The channel's capacity is the number of answers that come through it.
func (d *DOQueues) attachAll(classes map[string]*laneClass, existing []queues.LaneQueueInfo) <-chan error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.classes == nil {
		d.classes = map[string]*laneClass{}
	}
	var asked []*laneAttachment
	for unique, c := range classes {
		d.classes[unique] = c
		if d.Driven {
			continue
		}
		names := map[string]bool{}
		for _, q := range existing {
			names[q.Name] = true
		}
		for n := range d.attached {
			names[n] = true
		}
		for n := range names {
			if strings.HasPrefix(n, unique+"/") {
				asked = append(asked, d.attach(c, n))
			}
		}
	}
	answers := make(chan error, len(asked))
	for _, a := range asked {
		d.wait(a, func(err error) { answers <- err })
	}
	return answers
}

// detachAll takes classes off, except those that another generation runs by now.
func (d *DOQueues) detachAll(classes map[string]*laneClass) {
	d.mu.Lock()
	var off []func()
	for unique, c := range classes {
		if d.classes[unique] == c {
			delete(d.classes, unique)
		}
		for n, a := range d.attached {
			if a.class == c {
				off = append(off, a.detach)
				delete(d.attached, n)
			}
		}
		d.displaced = slices.DeleteFunc(d.displaced, func(a *laneAttachment) bool {
			if a.class != c {
				return false
			}
			off = append(off, a.detach)
			return true
		})
	}
	d.mu.Unlock()
	for _, f := range off {
		f()
	}
}
