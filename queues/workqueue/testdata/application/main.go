// This is a program as somebody writes it who has read the page of the package, and nothing else: with every name,
// signature, field, constant and default that stands there. TestApplication changes the imports, and compiles and runs
// it. Literals without field names and conversions hold the fields of a struct, their order and their types.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"page/queue"
	"page/queue/inmem"
)

// "View Source const ("
const (
	app, namespace                            string        = queue.DefaultAppName, queue.DefaultNamespace
	maxRetries                                              = queue.DefaultMaxRetries
	pollInterval, visibilityTimeout, shutdown time.Duration = queue.DefaultPollInterval,
		queue.DefaultVisibilityTimeout, queue.DefaultShutdownTimeout
	low, normal, high queue.Priority = queue.PriorityLow, queue.PriorityNormal, queue.PriorityHigh
)

// The functions of the page, by signature.
var (
	_ func(formattedTopic string) string                      = queue.DeadLetterTopic
	_ func(attempt int) time.Duration                         = queue.DefaultBackoff
	_ func(app, namespace, topic string) string               = queue.FormatTopic
	_ func(cfg *queue.SubscribeConfig, formattedTopic string) = queue.ResolveSubscribeConfig
	_ func(err error) error                                   = queue.SkipRetry
	_ func() queue.Clock                                      = queue.RealClock
	_ func(d time.Duration) queue.EnqueueOption               = queue.WithDelay
	_ func(app string) queue.EnqueueOption                    = queue.WithEnqueueApp
	_ func(ns string) queue.EnqueueOption                     = queue.WithEnqueueNamespace
	_ func(p queue.Priority) queue.EnqueueOption              = queue.WithPriority
	_ func(t time.Time) queue.EnqueueOption                   = queue.WithRunAt
	_ func(app string) queue.QueueOption                      = queue.WithApp
	_ func(ns string) queue.QueueOption                       = queue.WithNamespace
	_ func(b queue.BackoffFunc) queue.SubscribeOption         = queue.WithBackoff
	_ func(n int) queue.SubscribeOption                       = queue.WithConcurrency
	_ func(topic string) queue.SubscribeOption                = queue.WithDeadLetterTopic
	_ func(n int) queue.SubscribeOption                       = queue.WithMaxRetries
	_ func(d time.Duration) queue.SubscribeOption             = queue.WithPollInterval
	_ func(d time.Duration) queue.SubscribeOption             = queue.WithShutdownTimeout
	_ func(app string) queue.SubscribeOption                  = queue.WithSubscribeApp
	_ func(ns string) queue.SubscribeOption                   = queue.WithSubscribeNamespace
	_ func(d time.Duration) queue.SubscribeOption             = queue.WithVisibilityTimeout
	_ func(queue.EnqueueOptionFunc, *queue.EnqueueConfig)     = queue.EnqueueOptionFunc.Apply
	_ func(queue.QueueOptionFunc, *queue.QueueConfig)         = queue.QueueOptionFunc.Apply
	_ func(queue.SubscribeOptionFunc, *queue.SubscribeConfig) = queue.SubscribeOptionFunc.Apply
	_ func(ctx context.Context, job *queue.Job) error         = queue.Handler(nil)
	_ func(attempt int) time.Duration                         = queue.BackoffFunc(nil)
	_ error                                                   = queue.ErrSkipRetry
	_ int8                                                    = int8(queue.Priority(0))
)

// The interfaces, both ways: they have these methods and no others.
type (
	clock interface {
		Now() time.Time
		NewTimer(d time.Duration) queue.Timer
	}
	timer interface {
		C() <-chan time.Time
		Stop() bool
		Reset(d time.Duration) bool
	}
	enqueuer interface {
		Enqueue(ctx context.Context, topic string, payload []byte, opts ...queue.EnqueueOption) error
	}
	subscriber interface {
		Subscribe(ctx context.Context, topic string, h queue.Handler, opts ...queue.SubscribeOption) (queue.Consumer, error)
	}
	service interface {
		queue.Enqueuer
		queue.Subscriber
		Close(ctx context.Context) error
	}
)

var (
	_ clock                                      = queue.Clock(nil)
	_ queue.Clock                                = clock(nil)
	_ timer                                      = queue.Timer(nil)
	_ queue.Timer                                = timer(nil)
	_ enqueuer                                   = queue.Enqueuer(nil)
	_ queue.Enqueuer                             = enqueuer(nil)
	_ subscriber                                 = queue.Subscriber(nil)
	_ queue.Subscriber                           = subscriber(nil)
	_ service                                    = queue.Service(nil)
	_ queue.Service                              = service(nil)
	_ interface{ Close() error }                 = queue.Consumer(nil)
	_ queue.Consumer                             = interface{ Close() error }(nil)
	_ interface{ Apply(*queue.EnqueueConfig) }   = queue.EnqueueOption(nil)
	_ queue.EnqueueOption                        = interface{ Apply(*queue.EnqueueConfig) }(nil)
	_ interface{ Apply(*queue.QueueConfig) }     = queue.QueueOption(nil)
	_ queue.QueueOption                          = interface{ Apply(*queue.QueueConfig) }(nil)
	_ interface{ Apply(*queue.SubscribeConfig) } = queue.SubscribeOption(nil)
	_ queue.SubscribeOption                      = interface{ Apply(*queue.SubscribeConfig) }(nil)
)

// The structs.
var (
	_ = queue.Job{"id", "topic", []byte("payload"), 1, time.Time{}}
	_ = queue.QueueConfig{"app", "namespace"}
	_ = queue.EnqueueConfig{"app", "namespace", queue.PriorityHigh, time.Time{}}
	_ = queue.SubscribeConfig{"app", "namespace", 1, 3, time.Second, time.Second, time.Second, "dead", nil}
	_ = queue.EnqueueConfig(struct {
		App       string
		Namespace string
		Priority  queue.Priority
		RunAt     time.Time
	}{})
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	fmt.Println(app, namespace, maxRetries, pollInterval, visibilityTimeout, shutdown, low, normal, high)
	fmt.Println(queue.FormatTopic(app, namespace, "orders"), queue.DeadLetterTopic("app.default.orders"))

	var s queue.Service = inmem.New(queue.WithApp("shop"), queue.WithNamespace("eu"))
	var mu sync.Mutex
	var dead []string
	settled := make(chan string, 10)
	bad := errors.New("no such address")
	consumer, err := s.Subscribe(ctx, "orders", func(ctx context.Context, job *queue.Job) error {
		if job.ID == "" || job.EnqueuedAt.IsZero() {
			return errors.New("a job has an ID and a time")
		}
		switch string(job.Payload) {
		case "fails twice":
			if job.Attempt < 3 {
				return errors.New("not yet")
			}
		case "never":
			return queue.SkipRetry(bad)
		}
		settled <- fmt.Sprintf("%s %s, attempt %d", job.Topic, job.Payload, job.Attempt)
		return nil
	},
		queue.WithConcurrency(2), queue.WithMaxRetries(5), queue.WithPollInterval(time.Second),
		queue.WithVisibilityTimeout(time.Minute), queue.WithShutdownTimeout(time.Second),
		queue.WithDeadLetterTopic("graves"), queue.WithSubscribeApp("shop"), queue.WithSubscribeNamespace("eu"),
		queue.WithBackoff(func(attempt int) time.Duration { return time.Duration(attempt) * time.Millisecond }))
	if err != nil {
		return err
	}
	_, err = s.Subscribe(ctx, "graves", func(ctx context.Context, job *queue.Job) error {
		mu.Lock()
		dead = append(dead, string(job.Payload))
		mu.Unlock()
		settled <- fmt.Sprintf("%s %s, attempt %d", job.Topic, job.Payload, job.Attempt)
		return nil
	})
	if err != nil {
		return err
	}
	for _, job := range []struct {
		payload string
		opts    []queue.EnqueueOption
	}{
		{"fails twice", nil},
		{"never", []queue.EnqueueOption{queue.WithPriority(queue.PriorityHigh)}},
		{"later", []queue.EnqueueOption{queue.WithDelay(time.Millisecond)}},
		{"overdue", []queue.EnqueueOption{queue.WithDelay(time.Hour), queue.WithRunAt(time.Now().Add(-time.Hour))}},
		{"not in an hour", []queue.EnqueueOption{queue.WithRunAt(time.Now()), queue.WithDelay(time.Hour)}},
		{"named", []queue.EnqueueOption{queue.WithEnqueueApp("shop"), queue.WithEnqueueNamespace("eu")}},
		{"by a function", []queue.EnqueueOption{queue.EnqueueOptionFunc(func(cfg *queue.EnqueueConfig) {
			cfg.Priority = queue.PriorityLow
		})}},
	} {
		if err := s.Enqueue(ctx, "orders", []byte(job.payload), job.opts...); err != nil {
			return err
		}
	}
	for range 7 {
		fmt.Println(<-settled)
	}
	if err := consumer.Close(); err != nil {
		return err
	}
	// "Safe to call once; subsequent calls return nil."
	for range 2 {
		if err := s.Close(ctx); err != nil {
			return err
		}
	}
	if err := queue.SkipRetry(bad); !errors.Is(err, queue.ErrSkipRetry) || !errors.Is(err, bad) {
		return fmt.Errorf("SkipRetry: %w", err)
	}
	var cfg queue.SubscribeConfig
	queue.ResolveSubscribeConfig(&cfg, "app.default.orders")
	fmt.Println(cfg.Concurrency, cfg.MaxRetries, cfg.PollInterval, cfg.VisibilityTimeout, cfg.ShutdownTimeout,
		cfg.DeadLetterTopic, cfg.Backoff != nil)
	t := queue.RealClock().NewTimer(time.Hour)
	fmt.Println(t.Stop(), t.Reset(0), (<-t.C()).IsZero())
	return nil
}
