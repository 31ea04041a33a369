package queue

import "time"

// EnqueueConfig is the resolved configuration of one Enqueue call. Backends fill in App, Namespace and Priority from
// their own configuration and then apply the caller's options.
type EnqueueConfig struct {
	App       string
	Namespace string
	Priority  Priority
	// RunAt is when the job becomes eligible; zero means now. [WithDelay] and [WithRunAt] both set it, and WithRunAt
	// wins in whatever order they are given.
	RunAt time.Time
}

// EnqueueOption configures one Enqueue call.
type EnqueueOption interface {
	Apply(*EnqueueConfig)
}

// EnqueueOptionFunc adapts a function to [EnqueueOption].
type EnqueueOptionFunc func(*EnqueueConfig)

// Apply calls f(cfg).
func (f EnqueueOptionFunc) Apply(cfg *EnqueueConfig) { f(cfg) }

// delay is a WithDelay. Backends look for its Delay, so that they can count from their own clock.
type delay time.Duration

// Apply leaves a time that WithRunAt has set. Such a time has no monotonic reading, and one that was counted from now
// has: the struct has no other field that could tell them apart.
func (d delay) Apply(cfg *EnqueueConfig) {
	if cfg.RunAt.IsZero() || cfg.RunAt != cfg.RunAt.Round(0) {
		cfg.RunAt = time.Now().Add(time.Duration(d))
	}
}

// Delay is the duration given to WithDelay.
func (d delay) Delay() time.Duration { return time.Duration(d) }

// WithDelay schedules the job to run no earlier than d from now. A negative d means now.
func WithDelay(d time.Duration) EnqueueOption { return delay(d) }

// WithRunAt schedules the job to run no earlier than t. It overrides [WithDelay]. A zero t means now, a past one too.
func WithRunAt(t time.Time) EnqueueOption {
	if t.IsZero() {
		t = time.Unix(0, 0) // a time that a later WithDelay leaves
	}
	t = t.Round(0)
	return EnqueueOptionFunc(func(cfg *EnqueueConfig) { cfg.RunAt = t })
}

// WithPriority assigns the job's priority.
func WithPriority(p Priority) EnqueueOption {
	return EnqueueOptionFunc(func(cfg *EnqueueConfig) { cfg.Priority = p })
}

// WithEnqueueApp overrides the topic's app for this call only. An empty one changes nothing.
func WithEnqueueApp(app string) EnqueueOption {
	return EnqueueOptionFunc(func(cfg *EnqueueConfig) { replace(&cfg.App, app) })
}

// WithEnqueueNamespace overrides the topic's namespace for this call only. An empty one changes nothing.
func WithEnqueueNamespace(ns string) EnqueueOption {
	return EnqueueOptionFunc(func(cfg *EnqueueConfig) { replace(&cfg.Namespace, ns) })
}
