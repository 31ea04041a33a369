package queue

import (
	"context"
	"errors"
	"time"
)

const (
	// DefaultAppName is the app of topics when no [WithApp] says otherwise.
	DefaultAppName = "app"
	// DefaultNamespace is the namespace of topics when no [WithNamespace] says otherwise.
	DefaultNamespace = "default"

	// DefaultMaxRetries is how often a job is tried again. It is small on purpose: most workloads should set their own.
	DefaultMaxRetries = 3

	// DefaultPollInterval is how often an idle worker asks a backend that cannot tell it (sqlite between processes,
	// redis and pgx when a wake-up was lost). Wake-ups come before it where the backend has them.
	DefaultPollInterval = time.Second

	// DefaultVisibilityTimeout is how long a claimed job stays hidden from other workers before it can be claimed
	// again.
	DefaultVisibilityTimeout = 30 * time.Second

	// DefaultShutdownTimeout is how long [Consumer.Close] waits for handlers in flight.
	DefaultShutdownTimeout = 30 * time.Second
)

// ErrClosed is returned by a [Service] that was closed.
var ErrClosed = errors.New("queue: the service is closed")

// Enqueuer enqueues jobs onto a topic.
type Enqueuer interface {
	// Enqueue returns when the job is stored: in a durable backend, when it would survive the end of this process.
	Enqueue(ctx context.Context, topic string, payload []byte, opts ...EnqueueOption) error
}

// Subscriber registers a Handler against a topic. The [Consumer] controls the lifetime of the workers.
type Subscriber interface {
	// Subscribe starts workers for the topic. They stop when ctx ends or the Consumer is closed.
	Subscribe(ctx context.Context, topic string, h Handler, opts ...SubscribeOption) (Consumer, error)
}

// Consumer is the handle of a subscription.
type Consumer interface {
	// Close stops claiming new jobs and waits for handlers in flight, up to the configured shutdown timeout. Handlers
	// left behind are no error: they are logged, and their jobs are safe. Closing again waits for the same end.
	Close() error
}

// Service is what a backend offers: Enqueuer, Subscriber, and an end.
type Service interface {
	Enqueuer
	Subscriber
	// Close closes the subscriptions that are left and releases the backend's resources. A pool or a client that was
	// given to the backend stays open. It waits no longer than ctx. Subsequent calls return nil.
	Close(ctx context.Context) error
}

// QueueConfig is the service-level configuration shared by Enqueue and Subscribe.
type QueueConfig struct {
	App       string
	Namespace string
}

// QueueOption configures a backend's constructor.
type QueueOption interface {
	Apply(*QueueConfig)
}

// QueueOptionFunc adapts a function to [QueueOption].
type QueueOptionFunc func(*QueueConfig)

// Apply calls f(cfg).
func (f QueueOptionFunc) Apply(cfg *QueueConfig) { f(cfg) }

// WithApp sets the service-level app name. An empty one changes nothing.
func WithApp(app string) QueueOption {
	return QueueOptionFunc(func(cfg *QueueConfig) { replace(&cfg.App, app) })
}

// WithNamespace sets the service-level namespace. An empty one changes nothing.
func WithNamespace(ns string) QueueOption {
	return QueueOptionFunc(func(cfg *QueueConfig) { replace(&cfg.Namespace, ns) })
}

func replace(s *string, with string) {
	if with != "" {
		*s = with
	}
}
