package work

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"

	queue "eddy/queues/workqueue"
)

// exchangeTimeout is how long an exchange may take: a server that has gone silent must not silence the worker too.
const exchangeTimeout = 30 * time.Second

var (
	errShutdown = errors.New("queue: the handler has outlived the shutdown timeout")
	errGoexit   = errors.New("queue: the handler ended its goroutine")
)

// consumer is a subscription: a [machine], the goroutine that runs it, and the handlers' goroutines.
type consumer struct {
	base    *Base
	topic   string
	handler queue.Handler
	cfg     queue.SubscribeConfig
	clock   queue.Clock
	log     *slog.Logger

	ctx     context.Context // of handlers
	cancel  context.CancelCauseFunc
	storage context.Context // of exchanges; ends with the store
	drop    context.CancelFunc

	watcher  *Watcher
	ends     chan Settlement
	answers  chan answer
	stop     chan struct{} // closed by the first shut
	stopOnce sync.Once
	gone     chan struct{} // closed when the store is
	goneOnce sync.Once
	ended    chan struct{} // closed when the goroutine has ended
	unwatch  func()
}

type answer struct {
	Claimed
	exchange *Exchange
	began    time.Time
	err      error
}

func newConsumer(ctx context.Context, b *Base, topic string, h queue.Handler, cfg queue.SubscribeConfig) *consumer {
	c := &consumer{
		base: b, topic: topic, handler: h, cfg: cfg, clock: b.cfg.clock(), log: b.cfg.Log.With("topic", topic),
		watcher: NewWatcher(), ends: make(chan Settlement, cfg.Concurrency), answers: make(chan answer, 2),
		stop: make(chan struct{}), gone: make(chan struct{}), ended: make(chan struct{}),
	}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.storage, c.drop = context.WithCancel(context.WithoutCancel(ctx))
	return c
}

func (c *consumer) start() (err error) {
	if c.unwatch, err = c.base.store.Watch(c.topic, c.watcher); err != nil {
		return err
	}
	go c.loop()
	return nil
}

// Close implements queue.Consumer.
func (c *consumer) Close() error {
	c.shut(context.Background())
	return nil
}

// shut stops claiming and waits for what is in flight, as long as the shutdown timeout and ctx allow.
func (c *consumer) shut(ctx context.Context) {
	c.stopOnce.Do(func() { close(c.stop) })
	select {
	case <-c.ended:
		return
	default:
	}
	timer := c.clock.NewTimer(c.cfg.ShutdownTimeout)
	defer timer.Stop()
	select {
	case <-c.ended:
		return
	case <-timer.C():
	case <-ctx.Done():
	}
	c.log.Warn("queue: handlers go on after the shutdown timeout", "timeout", c.cfg.ShutdownTimeout)
	c.cancel(errShutdown)
}

// abandon tells that the store is closed.
func (c *consumer) abandon() {
	c.goneOnce.Do(func() { close(c.gone) })
}

func (c *consumer) loop() {
	defer close(c.ended)
	defer c.base.forget(c)
	defer c.drop()
	defer c.cancel(nil)
	defer c.unwatch()
	// An idle subscription is not told of jobs that others claim. It looks often enough to find those that they give
	// up.
	poll := c.cfg.VisibilityTimeout
	if c.base.polled {
		poll = min(poll, c.cfg.PollInterval)
	}
	m := newMachine(c.cfg.Concurrency, poll, c.base.apart)
	defer c.deafen()
	timer := c.clock.NewTimer(time.Hour)
	defer timer.Stop()
	stop, done, gone, dropped := c.stop, c.ctx.Done(), c.gone, false
	for {
		if dropped {
			if n := m.abandon(); n > 0 {
				c.log.Warn("queue: the service was closed before results of handlers were stored; their jobs will "+
					"be delivered again", "jobs", n)
			}
		}
		m.tick(c.clock.Now())
		for x := m.next(uuid.NewString); x != nil; x = m.next(uuid.NewString) {
			c.exchange(x)
		}
		c.watcher.setIdle(m.waits())
		if m.passOn() {
			c.watcher.pass()
		}
		if m.done() {
			return
		}
		var fire <-chan time.Time
		if at := m.alarm(); !at.IsZero() {
			timer.Reset(at.Sub(c.clock.Now()))
			fire = timer.C()
		}
		select {
		case <-c.watcher.Wakes():
			m.wake()
		case s := <-c.ends:
			m.finished(s)
			c.gather(m)
		case a := <-c.answers:
			switch {
			case dropped:
			case a.err != nil:
				c.log.Warn("queue: the backend failed; trying again", "error", a.err)
				m.failed(a.exchange, c.clock.Now())
			default:
				m.answered(a.exchange, a.Claimed, a.began)
				for i := range a.Deliveries {
					go c.handle(&a.Deliveries[i], a.began)
				}
			}
		case <-fire:
		case <-stop:
			stop = nil
			m.close()
		case <-done:
			done = nil
			m.close()
		case <-gone:
			gone, dropped = nil, true
			c.drop()
		}
	}
}

// gather takes the results of handlers that end together, so that they share an exchange.
func (c *consumer) gather(m *machine) {
	for m.running > 0 {
		select {
		case s := <-c.ends:
			m.finished(s)
			continue
		default:
		}
		runtime.Gosched()
		select {
		case s := <-c.ends:
			m.finished(s)
		default:
			return
		}
	}
}

// deafen lets nobody wake this subscription any more. Somebody else gets the wake-up that came last.
func (c *consumer) deafen() {
	c.watcher.setIdle(false)
	select {
	case <-c.watcher.Wakes():
		c.watcher.pass()
	default:
	}
}

func (c *consumer) exchange(x *Exchange) {
	x.Topic, x.Visibility = c.topic, c.cfg.VisibilityTimeout
	began := c.clock.Now()
	x.Began = began
	go func() {
		ctx, cancel := context.WithTimeout(c.storage, exchangeTimeout)
		defer cancel()
		claimed, err := c.base.store.Exchange(ctx, x)
		c.answers <- answer{claimed, x, began, err}
	}()
}

// handle runs the handler for one job, which was claimed at that time or later, and says what became of it.
func (c *consumer) handle(d *Delivery, claimed time.Time) {
	ctx := c.ctx
	var ends []func(Settlement, error)
	for _, h := range c.base.cfg.Hooks {
		if h.Handle != nil {
			var end func(Settlement, error)
			ctx, end = h.Handle(ctx, d)
			ends = append(ends, end)
		}
	}
	job := d.Job // the handler may write into what it gets
	err := errGoexit
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("queue: the handler panicked: %v", p)
			c.log.Error("queue: the handler panicked", "job", job.ID, "attempt", job.Attempt, "panic", p, "stack",
				string(debug.Stack()))
		}
		s := c.settle(d, err)
		for i := len(ends) - 1; i >= 0; i-- {
			ends[i](s, err)
		}
		s.until = claimed.Add(c.cfg.VisibilityTimeout * 3 / 4)
		c.ends <- s
	}()
	err = c.handler(ctx, &job)
}

func (c *consumer) settle(d *Delivery, err error) Settlement {
	s := Settle(d, err, &c.cfg)
	switch s.Verdict {
	case Retry:
		c.log.Debug("queue: a job is tried again", "job", d.Job.ID, "attempt", d.Job.Attempt, "delay", s.Delay,
			"error", err)
	case Dead:
		c.log.Warn("queue: a job goes to the dead letter topic", "job", d.Job.ID, "attempt", d.Job.Attempt,
			"dead_letter_topic", s.DeadTopic, "error", err)
	}
	return s
}

func newID() string { return uuid.NewString() }
