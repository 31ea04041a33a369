package queue_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	queue "eddy/queues/workqueue"
)

// The numbers and names of the package's documentation.
func TestConstants(t *testing.T) {
	for _, c := range []struct{ name, got, want any }{
		{"DefaultAppName", queue.DefaultAppName, "app"},
		{"DefaultNamespace", queue.DefaultNamespace, "default"},
		{"DefaultMaxRetries", queue.DefaultMaxRetries, 3},
		{"DefaultPollInterval", queue.DefaultPollInterval, time.Second},
		{"DefaultVisibilityTimeout", queue.DefaultVisibilityTimeout, 30 * time.Second},
		{"DefaultShutdownTimeout", queue.DefaultShutdownTimeout, 30 * time.Second},
		{"PriorityLow", queue.PriorityLow, queue.Priority(-1)},
		{"PriorityNormal", queue.PriorityNormal, queue.Priority(0)},
		{"PriorityHigh", queue.PriorityHigh, queue.Priority(1)},
		{"ErrSkipRetry", queue.ErrSkipRetry.Error(), "queue: skip retry"},
		{"FormatTopic", queue.FormatTopic("shop", "eu", "orders"), "shop.eu.orders"},
		{"DeadLetterTopic", queue.DeadLetterTopic("shop.eu.orders"), "shop.eu.orders.dead"},
	} {
		if c.got != c.want {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
}

// The package documents these types; a program may use them in every way that Go allows.
var (
	_ queue.EnqueueOption   = queue.EnqueueOptionFunc(func(*queue.EnqueueConfig) {})
	_ queue.SubscribeOption = queue.SubscribeOptionFunc(func(*queue.SubscribeConfig) {})
	_ queue.QueueOption     = queue.QueueOptionFunc(func(*queue.QueueConfig) {})
	_ queue.BackoffFunc     = queue.DefaultBackoff
	_ interface {
		queue.Enqueuer
		queue.Subscriber
	} = queue.Service(nil)
	_ func(error) error                             = queue.SkipRetry
	_ func(*queue.SubscribeConfig, string)          = queue.ResolveSubscribeConfig
	_ func(time.Duration) queue.EnqueueOption       = queue.WithDelay
	_ func(time.Time) queue.EnqueueOption           = queue.WithRunAt
	_ func(queue.Priority) queue.EnqueueOption      = queue.WithPriority
	_ func(queue.BackoffFunc) queue.SubscribeOption = queue.WithBackoff
	_ int8                                          = int8(queue.PriorityHigh)
)

// "ResolveSubscribeConfig fills in package defaults for any zero-valued field in cfg."
func TestResolveSubscribeConfig(t *testing.T) {
	var cfg queue.SubscribeConfig
	queue.ResolveSubscribeConfig(&cfg, "app.default.orders")
	if cfg.Backoff == nil {
		t.Error("Backoff: no default")
	}
	cfg.Backoff = nil
	want := queue.SubscribeConfig{
		Concurrency: 1, MaxRetries: 3, PollInterval: time.Second, VisibilityTimeout: 30 * time.Second,
		ShutdownTimeout: 30 * time.Second, DeadLetterTopic: "app.default.orders.dead",
	}
	if got := fmt.Sprintf("%+v", cfg); got != fmt.Sprintf("%+v", want) {
		t.Errorf("defaults:\n got %s\nwant %+v", got, want)
	}
	set := queue.SubscribeConfig{
		App: "a", Namespace: "n", Concurrency: 7, MaxRetries: -1, PollInterval: 1, VisibilityTimeout: 2,
		ShutdownTimeout: 3,
		DeadLetterTopic: "d",
	}
	before := fmt.Sprintf("%+v", set)
	set.Backoff = func(int) time.Duration { return 42 }
	queue.ResolveSubscribeConfig(&set, "t")
	if set.Backoff(1) != 42 {
		t.Error("Backoff was replaced")
	}
	set.Backoff = nil
	if got := fmt.Sprintf("%+v", set); got != before {
		t.Errorf("what was set was changed:\n got %s\nwant %s", got, before)
	}
}

func TestSubscribeOptions(t *testing.T) {
	var cfg queue.SubscribeConfig
	for _, o := range []queue.SubscribeOption{
		queue.WithConcurrency(4), queue.WithMaxRetries(5), queue.WithPollInterval(6), queue.WithVisibilityTimeout(7),
		queue.WithShutdownTimeout(8), queue.WithDeadLetterTopic("d"), queue.WithSubscribeApp("a"),
		queue.WithSubscribeNamespace("n"), queue.WithBackoff(func(int) time.Duration { return 9 }),
	} {
		o.Apply(&cfg)
	}
	if cfg.Backoff(1) != 9 {
		t.Error("WithBackoff")
	}
	cfg.Backoff = nil
	want := queue.SubscribeConfig{
		App: "a", Namespace: "n", Concurrency: 4, MaxRetries: 5, PollInterval: 6, VisibilityTimeout: 7,
		ShutdownTimeout: 8,
		DeadLetterTopic: "d",
	}
	if got := fmt.Sprintf("%+v", cfg); got != fmt.Sprintf("%+v", want) {
		t.Errorf("got %s, want %+v", got, want)
	}
	// "Values < 1 are clamped to 1."
	for _, n := range []int{0, -1, math.MinInt} {
		queue.WithConcurrency(n).Apply(&cfg)
		if cfg.Concurrency != 1 {
			t.Errorf("WithConcurrency(%d) gives %d", n, cfg.Concurrency)
		}
	}
}

func TestQueueOptions(t *testing.T) {
	cfg := queue.QueueConfig{App: "app", Namespace: "default"}
	for _, o := range []queue.QueueOption{queue.WithApp("a"), queue.WithNamespace("n"), queue.WithApp(""),
		queue.WithNamespace("")} {
		o.Apply(&cfg)
	}
	if cfg != (queue.QueueConfig{App: "a", Namespace: "n"}) {
		t.Errorf("%+v", cfg)
	}
}

// "WithDelay and WithRunAt both populate this field; WithRunAt always wins".
func TestEnqueueOptions(t *testing.T) {
	var cfg queue.EnqueueConfig
	before := time.Now()
	queue.WithDelay(time.Hour).Apply(&cfg)
	if d := cfg.RunAt.Sub(before); d < time.Hour || d > time.Hour+time.Since(before) {
		t.Errorf("WithDelay: RunAt is %s from now", d)
	}
	at := time.Unix(1, 0)
	queue.WithRunAt(at).Apply(&cfg)
	queue.WithDelay(time.Hour).Apply(&cfg)
	if !cfg.RunAt.Equal(at) {
		t.Errorf("RunAt = %v, want that of WithRunAt", cfg.RunAt)
	}
	queue.WithRunAt(time.Time{}).Apply(&cfg)
	queue.WithDelay(time.Hour).Apply(&cfg)
	if cfg.RunAt.After(before) {
		t.Errorf("RunAt = %v, want a time that has passed: WithRunAt overrides WithDelay", cfg.RunAt)
	}
	queue.WithPriority(-7).Apply(&cfg)
	queue.WithEnqueueApp("a").Apply(&cfg)
	queue.WithEnqueueNamespace("n").Apply(&cfg)
	if cfg.App != "a" || cfg.Namespace != "n" || cfg.Priority != -7 {
		t.Errorf("%+v", cfg)
	}
}

// "SkipRetry wraps err so it satisfies errors.Is(err, ErrSkipRetry) while still preserving the wrapped error chain."
func TestSkipRetry(t *testing.T) {
	cause := errors.New("bad input")
	err := queue.SkipRetry(fmt.Errorf("job 7: %w", cause))
	if !errors.Is(err, queue.ErrSkipRetry) || !errors.Is(err, cause) {
		t.Errorf("%v matches only one of its errors", err)
	}
	if !errors.Is(queue.SkipRetry(nil), queue.ErrSkipRetry) {
		t.Error("SkipRetry(nil) does not match ErrSkipRetry")
	}
	if errors.Is(cause, queue.ErrSkipRetry) {
		t.Error("an error that was not wrapped matches")
	}
}

// "exponential backoff (1s base, 5 min cap) with uniform ±25% jitter. attempt overflow is handled by clamping to the
// cap."
func TestDefaultBackoff(t *testing.T) {
	for attempt, base := range map[int]time.Duration{
		math.MinInt: time.Second, 0: time.Second, 1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second,
		9:  256 * time.Second,
		10: 5 * time.Minute, 63: 5 * time.Minute, 64: 5 * time.Minute, 65: 5 * time.Minute,
		math.MaxInt: 5 * time.Minute,
	} {
		low, high := base*3/4, min(base*5/4, 5*time.Minute)
		var below, above bool
		for range 1000 {
			d := queue.DefaultBackoff(attempt)
			if d < low || d > high {
				t.Fatalf("attempt %d: %s is not within %s and %s", attempt, d, low, high)
			}
			below = below || d < low+(high-low)/4
			above = above || d > high-(high-low)/4
		}
		if !below || !above {
			t.Errorf("attempt %d: no jitter over the whole range", attempt)
		}
	}
}

func TestRealClock(t *testing.T) {
	c := queue.RealClock()
	timer := c.NewTimer(time.Hour)
	if !timer.Stop() || timer.Stop() {
		t.Error("Stop returns true if the call stops the timer, false if it was stopped before")
	}
	if timer.Reset(0) {
		t.Error("Reset of a stopped timer returned true")
	}
	if at := <-timer.C(); at.After(c.Now()) {
		t.Errorf("the timer fired at %v, in the future", at)
	}
}
