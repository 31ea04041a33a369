package work

import (
	"context"
	"log/slog"
	"time"

	queue "eddy/queues/workqueue"
)

// Config is what a backend's constructor was told.
type Config struct {
	queue.QueueConfig
	// Clock is nil for real time, where a durable store counts from its server's clock.
	Clock queue.Clock
	Log   *slog.Logger
	Hooks []Hooks
}

// Hooks let telemetry see what happens. Each may be nil.
type Hooks struct {
	// Enqueue is called before n jobs go into a topic. It returns end, which is called with the outcome, and the trace
	// context to keep with the jobs.
	Enqueue func(ctx context.Context, topic string, n int) (_ context.Context, trace string, end func(error))
	// Handle is called before a handler. It returns end, which is called with the handler's verdict and error.
	Handle func(ctx context.Context, d *Delivery) (_ context.Context, end func(Settlement, error))
}

// Option is a queue.QueueOption that only backends of this module understand.
type Option func(*Config)

// Apply implements queue.QueueOption. It does nothing: the public configuration has no place for these options.
func (Option) Apply(*queue.QueueConfig) {}

// WithClock makes the backend tell time by c.
func WithClock(c queue.Clock) queue.QueueOption { return Option(func(cfg *Config) { cfg.Clock = c }) }

// Resolve applies the options of a constructor.
func Resolve(opts []queue.QueueOption) Config {
	cfg := Config{
		QueueConfig: queue.QueueConfig{App: queue.DefaultAppName, Namespace: queue.DefaultNamespace},
		Log:         slog.Default(),
	}
	for _, o := range opts {
		if o, ok := o.(Option); ok {
			o(&cfg)
			continue
		}
		o.Apply(&cfg.QueueConfig)
	}
	return cfg
}

func (cfg *Config) clock() queue.Clock {
	if cfg.Clock != nil {
		return cfg.Clock
	}
	return queue.RealClock()
}

// enqueue applies the options of an Enqueue call. It does not turn a delay into a time: the store's clock counts it.
func (cfg *Config) enqueue(topic string, opts []queue.EnqueueOption) (formatted string, job NewJob, err error) {
	if err := checkTopic(topic); err != nil {
		return "", job, err
	}
	ec := queue.EnqueueConfig{App: cfg.App, Namespace: cfg.Namespace, Priority: queue.PriorityNormal}
	for _, o := range opts {
		before := ec.RunAt
		o.Apply(&ec)
		if ec.RunAt.Equal(before) {
			continue // not about time, or overruled by WithRunAt
		}
		job.Delay = 0
		if d, ok := o.(interface{ Delay() time.Duration }); ok {
			job.Delay = max(d.Delay(), 0)
			job.relative = true
			continue
		}
		job.relative = false
	}
	job.Priority = ec.Priority
	if !job.relative {
		job.RunAt = ec.RunAt
	}
	return queue.FormatTopic(ec.App, ec.Namespace, topic), job, nil
}
