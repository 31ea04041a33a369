package queuestest

import (
	"context"
	"sync"

	"eddy/queues"
)

// Lanes is a lane consumer that records what it is given and settles it as told.
type Lanes struct {
	mu      sync.Mutex
	batches []LaneDelivery                                         // guarded by mu
	handed  []HandOff                                              // guarded by mu
	script  func(*queues.LaneBatch) *queues.Outcome                // set once
	dead    func(*queues.LaneDeadLetter) (settled bool, err error) // set once
}

// LaneDelivery is a batch that [Lanes] was given.
type LaneDelivery struct {
	*queues.LaneBatch
	Done func(queues.Outcome)
}

// HandOff is a dead letter that [Lanes] was given.
type HandOff struct {
	*queues.LaneDeadLetter
	Done func(error)
}

// NewLanes returns a consumer that asks script for the outcome of a batch and dead for that of a hand-off. A nil
// outcome, or false, leaves it in flight. A nil function accepts everything.
func NewLanes(
	script func(*queues.LaneBatch) *queues.Outcome,
	dead func(*queues.LaneDeadLetter) (settled bool, err error),
) *Lanes {
	return &Lanes{script: script, dead: dead}
}

// DeliverLane implements queues.LaneConsumer.
func (l *Lanes) DeliverLane(_ context.Context, b *queues.LaneBatch, done func(queues.Outcome)) {
	l.mu.Lock()
	l.batches = append(l.batches, LaneDelivery{b, done})
	l.mu.Unlock()
	o := &queues.Outcome{}
	if l.script != nil {
		o = l.script(b)
	}
	if o != nil {
		done(*o)
	}
}

// DeadLetterLane implements queues.LaneConsumer.
func (l *Lanes) DeadLetterLane(_ context.Context, d *queues.LaneDeadLetter, done func(error)) {
	l.mu.Lock()
	l.handed = append(l.handed, HandOff{d, done})
	l.mu.Unlock()
	if l.dead == nil {
		done(nil)
		return
	}
	if settled, err := l.dead(d); settled {
		done(err)
	}
}

// Batches are all batches so far.
func (l *Lanes) Batches() []LaneDelivery {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]LaneDelivery(nil), l.batches...)
}

// HandOffs are all dead letters so far.
func (l *Lanes) HandOffs() []HandOff {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]HandOff(nil), l.handed...)
}
