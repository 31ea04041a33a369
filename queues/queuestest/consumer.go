package queuestest

import (
	"context"
	"sync"

	"eddy/queues"
)

// Consumer is a push consumer that records what it is given and settles it as told.
type Consumer struct {
	mu      sync.Mutex
	batches []Delivered                              // guarded by mu
	script  func(*queues.Batch, int) *queues.Outcome // guarded by mu
	arrived chan struct{}
}

// Delivered is a batch that a [Consumer] was given, with the means to settle it if the script did not.
type Delivered struct {
	*queues.Batch
	Ctx  context.Context
	Done func(queues.Outcome)
}

// NewConsumer returns a consumer that asks script for the outcome of its n-th batch, counted from 0. A nil outcome
// leaves the batch in flight, to be settled through [Delivered]. A nil script acknowledges everything.
func NewConsumer(script func(b *queues.Batch, n int) *queues.Outcome) *Consumer {
	return &Consumer{script: script, arrived: make(chan struct{}, 1<<16)}
}

// Deliver implements queues.Consumer.
func (c *Consumer) Deliver(ctx context.Context, b *queues.Batch, done func(queues.Outcome)) {
	c.mu.Lock()
	n := len(c.batches)
	c.batches = append(c.batches, Delivered{b, ctx, done})
	script := c.script
	c.mu.Unlock()
	o := &queues.Outcome{}
	if script != nil {
		o = script(b, n)
	}
	if o != nil {
		done(*o)
	}
	c.arrived <- struct{}{}
}

// Arrived has one value per batch.
func (c *Consumer) Arrived() <-chan struct{} { return c.arrived }

// Batches are all batches so far.
func (c *Consumer) Batches() []Delivered {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Delivered(nil), c.batches...)
}

// Bodies are the bodies of all messages of all batches so far, in order.
func (c *Consumer) Bodies() [][]string {
	var out [][]string
	for _, b := range c.Batches() {
		var bodies []string
		for _, m := range b.Messages {
			bodies = append(bodies, string(m.Body))
		}
		out = append(out, bodies)
	}
	return out
}
