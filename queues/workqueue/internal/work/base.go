package work

import (
	"context"
	"fmt"
	"strings"
	"sync"

	queue "eddy/queues/workqueue"
)

// Base is a queue.Service on a [Store].
type Base struct {
	store Store
	cfg   Config
	// numbered says that the store numbers jobs itself, polled that it cannot always wake a subscription, apart that
	// acknowledgements go by themselves.
	numbered, polled, apart bool

	mu        sync.Mutex // guards what follows
	closed    bool
	consumers map[*consumer]bool
}

// Traits are what a Base must know of its store.
type Traits struct {
	// Numbered: the store gives jobs their ids. Exact: it wakes subscriptions for every job, so that nobody needs to
	// poll.
	Numbered, Exact bool
	// Apart: its writes take long and can overlap, so that acknowledgements are not to hold up claims.
	Apart bool
}

// NewBase makes a service of a store.
func NewBase(store Store, cfg Config, t Traits) *Base {
	return &Base{
		store: store, cfg: cfg, numbered: t.Numbered, polled: !t.Exact, apart: t.Apart, consumers: map[*consumer]bool{},
	}
}

// Enqueue stores one job; see queue.Enqueuer.
func (b *Base) Enqueue(ctx context.Context, topic string, payload []byte, opts ...queue.EnqueueOption) error {
	return b.EnqueueBatch(ctx, topic, [][]byte{payload}, opts...)
}

// EnqueueBatch stores a job for each payload, all with the same options, in one step: all of them or none. They are
// delivered in the order of the slice.
func (b *Base) EnqueueBatch(ctx context.Context, topic string, payloads [][]byte,
	opts ...queue.EnqueueOption) (err error) {
	if err := b.usable(ctx); err != nil {
		return err
	}
	formatted, job, err := b.cfg.enqueue(topic, opts)
	if err != nil {
		return err
	}
	if len(payloads) == 0 {
		return nil
	}
	for _, h := range b.cfg.Hooks {
		if h.Enqueue == nil {
			continue
		}
		var trace string
		var end func(error)
		ctx, trace, end = h.Enqueue(ctx, formatted, len(payloads))
		defer func() { end(err) }()
		if trace != "" {
			job.Trace = trace
		}
	}
	jobs := make([]NewJob, len(payloads))
	for i, p := range payloads {
		jobs[i] = job
		jobs[i].Payload = p
		if !b.numbered {
			jobs[i].ID = newID()
		}
	}
	if err := b.store.Enqueue(ctx, formatted, jobs); err != nil {
		return fmt.Errorf("queue: enqueue on %s: %w", formatted, err)
	}
	return nil
}

// Subscribe starts workers; see queue.Subscriber.
func (b *Base) Subscribe(ctx context.Context, topic string, h queue.Handler,
	opts ...queue.SubscribeOption) (queue.Consumer, error) {
	if err := b.usable(ctx); err != nil {
		return nil, err
	}
	if h == nil {
		return nil, fmt.Errorf("queue: subscribe to %q: the handler is nil", topic)
	}
	cfg := queue.SubscribeConfig{App: b.cfg.App, Namespace: b.cfg.Namespace}
	for _, o := range opts {
		o.Apply(&cfg)
	}
	if err := checkTopic(topic); err != nil {
		return nil, err
	}
	formatted := queue.FormatTopic(cfg.App, cfg.Namespace, topic)
	queue.ResolveSubscribeConfig(&cfg, formatted)
	if prefix := queue.FormatTopic(cfg.App, cfg.Namespace, ""); !strings.HasPrefix(cfg.DeadLetterTopic, prefix) {
		cfg.DeadLetterTopic = prefix + cfg.DeadLetterTopic
	}
	if p, ok := b.store.(Preparer); ok {
		if err := p.Prepare(ctx, formatted, &cfg); err != nil {
			return nil, fmt.Errorf("queue: subscribe to %s: %w", formatted, err)
		}
	}
	c := newConsumer(ctx, b, formatted, h, cfg)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, queue.ErrClosed
	}
	if err := c.start(); err != nil {
		return nil, fmt.Errorf("queue: subscribe to %s: %w", formatted, err)
	}
	b.consumers[c] = true
	return c, nil
}

// Close ends the service; see queue.Service.
func (b *Base) Close(ctx context.Context) error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	b.closed = true
	var open []*consumer
	for c := range b.consumers {
		open = append(open, c)
	}
	b.mu.Unlock()
	var wait sync.WaitGroup
	for _, c := range open {
		wait.Go(func() { c.shut(ctx) })
	}
	wait.Wait()
	err := b.store.Close(ctx)
	for _, c := range open {
		c.abandon()
	}
	return err
}

func (b *Base) usable(ctx context.Context) error {
	b.mu.Lock()
	closed := b.closed
	b.mu.Unlock()
	if closed {
		return queue.ErrClosed
	}
	return context.Cause(ctx)
}

func (b *Base) forget(c *consumer) {
	b.mu.Lock()
	delete(b.consumers, c)
	b.mu.Unlock()
}

func checkTopic(topic string) error {
	if topic == "" {
		return fmt.Errorf("queue: the topic's name is empty")
	}
	return nil
}
