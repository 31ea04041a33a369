package queue

import "time"

// SubscribeConfig is the resolved configuration of one Subscribe call.
type SubscribeConfig struct {
	App       string
	Namespace string

	Concurrency       int
	MaxRetries        int
	PollInterval      time.Duration
	VisibilityTimeout time.Duration
	ShutdownTimeout   time.Duration

	// DeadLetterTopic is where exhausted jobs go. The zero value means "<topic>.dead".
	DeadLetterTopic string

	// Backoff returns the delay before the given retry. The zero value means [DefaultBackoff].
	Backoff BackoffFunc
}

// SubscribeOption configures one Subscribe call.
type SubscribeOption interface {
	Apply(*SubscribeConfig)
}

// SubscribeOptionFunc adapts a function to [SubscribeOption].
type SubscribeOptionFunc func(*SubscribeConfig)

// Apply calls f(cfg).
func (f SubscribeOptionFunc) Apply(cfg *SubscribeConfig) { f(cfg) }

// WithConcurrency sets how many handlers of this subscription run at a time. Default 1; values below 1 are taken as 1.
func WithConcurrency(n int) SubscribeOption {
	return SubscribeOptionFunc(func(cfg *SubscribeConfig) { cfg.Concurrency = max(n, 1) })
}

// WithMaxRetries sets how often a job is tried again before it is routed to the dead letter topic: n retries are n+1
// attempts. -1 means for ever. 0 is the zero value and so means [DefaultMaxRetries]; a handler that wants no retry
// returns [SkipRetry].
func WithMaxRetries(n int) SubscribeOption {
	return SubscribeOptionFunc(func(cfg *SubscribeConfig) { cfg.MaxRetries = n })
}

// WithBackoff overrides the default back-off.
func WithBackoff(b BackoffFunc) SubscribeOption {
	return SubscribeOptionFunc(func(cfg *SubscribeConfig) { cfg.Backoff = b })
}

// WithDeadLetterTopic sets the dead letter topic; the default is "<original-topic>.dead". The name is either a full
// one of this subscription's app and namespace, see [FormatTopic], or a short one, which is completed with them.
// Either way Subscribe with the short name gets its jobs.
func WithDeadLetterTopic(topic string) SubscribeOption {
	return SubscribeOptionFunc(func(cfg *SubscribeConfig) { cfg.DeadLetterTopic = topic })
}

// WithPollInterval sets how often an idle worker asks the backend by itself. Wake-ups come before it where the backend
// has them.
func WithPollInterval(d time.Duration) SubscribeOption {
	return SubscribeOptionFunc(func(cfg *SubscribeConfig) { cfg.PollInterval = d })
}

// WithShutdownTimeout sets how long [Consumer.Close] waits for handlers in flight.
func WithShutdownTimeout(d time.Duration) SubscribeOption {
	return SubscribeOptionFunc(func(cfg *SubscribeConfig) { cfg.ShutdownTimeout = d })
}

// WithSubscribeApp overrides the topic's app for this subscription. An empty one changes nothing.
func WithSubscribeApp(app string) SubscribeOption {
	return SubscribeOptionFunc(func(cfg *SubscribeConfig) { replace(&cfg.App, app) })
}

// WithSubscribeNamespace overrides the topic's namespace for this subscription. An empty one changes nothing.
func WithSubscribeNamespace(ns string) SubscribeOption {
	return SubscribeOptionFunc(func(cfg *SubscribeConfig) { replace(&cfg.Namespace, ns) })
}

// WithVisibilityTimeout sets how long a claimed job stays hidden from other workers. A handler that takes longer will
// see its job claimed again.
func WithVisibilityTimeout(d time.Duration) SubscribeOption {
	return SubscribeOptionFunc(func(cfg *SubscribeConfig) { cfg.VisibilityTimeout = d })
}

// ResolveSubscribeConfig fills in the defaults for fields of cfg that are zero, or below zero where that has no
// meaning. formattedTopic is the full name of the topic. Backends call it once per Subscribe, after the caller's
// options.
func ResolveSubscribeConfig(cfg *SubscribeConfig, formattedTopic string) {
	cfg.Concurrency = max(cfg.Concurrency, 1)
	if cfg.MaxRetries == 0 {
		cfg.MaxRetries = DefaultMaxRetries
	}
	positive(&cfg.PollInterval, DefaultPollInterval)
	positive(&cfg.VisibilityTimeout, DefaultVisibilityTimeout)
	positive(&cfg.ShutdownTimeout, DefaultShutdownTimeout)
	if cfg.DeadLetterTopic == "" {
		cfg.DeadLetterTopic = DeadLetterTopic(formattedTopic)
	}
	if cfg.Backoff == nil {
		cfg.Backoff = DefaultBackoff
	}
}

func positive(d *time.Duration, otherwise time.Duration) {
	if *d <= 0 {
		*d = otherwise
	}
}
