package queues

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"sync"
	"time"
)

// QueueSettings are the settings of a queue. Use [DefaultQueueSettings] and change what differs.
type QueueSettings struct {
	// DeliveryDelay applies to messages sent without one of their own: 0 to 24 h, whole seconds (K-9).
	DeliveryDelay time.Duration
	// DeliveryPaused keeps messages from being delivered or pulled (D-17).
	DeliveryPaused bool
	// Retention is how long a message is kept after it arrived: 60 s to 14 days (K-10, D-16), or [KeepForever].
	Retention time.Duration
}

// KeepForever is the retention of a queue whose messages do not expire. The platform has no such queue, and no
// configuration or API request can ask for one: the queues that a Go work queue makes have it, see [Work].
const KeepForever = math.MaxInt64 / time.Millisecond * time.Millisecond // events hold whole milliseconds

// DefaultQueueSettings are production's.
func DefaultQueueSettings() QueueSettings { return QueueSettings{Retention: 4 * 24 * time.Hour} }

func (s QueueSettings) validate(queue string) error {
	err := inRange(queue, "delivery_delay", s.DeliveryDelay, 0, MaxDelaySeconds*time.Second)
	if s.Retention == KeepForever {
		return err
	}
	return errors.Join(err, inRange(queue, "message_retention_period", s.Retention, MinRetention, MaxRetention))
}

// ConsumerType says how messages leave a queue.
type ConsumerType uint8

// The consumer types; the numbers are on disk.
const (
	WorkerConsumer ConsumerType = 1
	PullConsumer   ConsumerType = 2
)

func (t ConsumerType) String() string {
	if t == PullConsumer {
		return "http_pull"
	}
	return "worker"
}

// ConsumerConfig is the consumer of a queue. Use [DefaultConsumer] and change what differs.
type ConsumerConfig struct {
	Queue string
	Type  ConsumerType
	// Script is the name of the Worker; empty for pull consumers.
	Script string
	// MaxBatchSize is how many messages a batch holds at most: 1 to 100 (K-1).
	MaxBatchSize int
	// MaxBatchTimeout is how long a batch that is not full waits: 0 to 60 s (K-2).
	MaxBatchTimeout time.Duration
	// MaxRetries: a message is delivered at most MaxRetries+1 times; 0 to 100 (K-3, D-7).
	MaxRetries int
	// RetryDelay is the delay of a retry that names none: 0 to 24 h (K-4).
	RetryDelay time.Duration
	// DeadLetterQueue takes messages that failed for good; it is made if it does not exist. If it is empty, the
	// messages are deleted (K-5, D-8).
	DeadLetterQueue string
	// MaxConcurrency caps deliveries in flight: 1 to 250, or 0 for the platform's 250 (K-6).
	MaxConcurrency int
	// VisibilityTimeout is how long a pulled message is leased: up to 12 h (K-7).
	VisibilityTimeout time.Duration
}

// DefaultConsumer has production's defaults; a pull consumer's batches are of 5 (K-8).
func DefaultConsumer(queue string, t ConsumerType) ConsumerConfig {
	c := ConsumerConfig{
		Queue: queue, Type: t, MaxBatchSize: 10, MaxBatchTimeout: 5 * time.Second, MaxRetries: 3,
		VisibilityTimeout: 30 * time.Second,
	}
	if t == PullConsumer {
		c.MaxBatchSize = 5
	}
	return c
}

func (c ConsumerConfig) validate() error {
	var errs []error
	if c.Type != WorkerConsumer && c.Type != PullConsumer {
		errs = append(errs, fmt.Errorf("consumer of queue %q: unknown type %d", c.Queue, c.Type))
	}
	if c.DeadLetterQueue == c.Queue {
		errs = append(errs, fmt.Errorf("dead letter queue for queue %q cannot be itself", c.Queue)) // K-17
	}
	if c.DeadLetterQueue != "" {
		errs = append(errs, checkQueueName(c.DeadLetterQueue))
	}
	return errors.Join(append(errs,
		inRange(c.Queue, "max_batch_size", c.MaxBatchSize, 1, MaxBatchSizeLimit),
		inRange(c.Queue, "max_batch_timeout", c.MaxBatchTimeout, 0, MaxBatchTimeoutLimit),
		inRange(c.Queue, "max_retries", c.MaxRetries, 0, MaxRetriesLimit),
		inRange(c.Queue, "retry_delay", c.RetryDelay, 0, MaxDelaySeconds*time.Second),
		inRange(c.Queue, "max_concurrency", c.MaxConcurrency, 0, MaxConcurrencyLimit),
		inRange(c.Queue, "visibility_timeout_ms", c.VisibilityTimeout, 0, MaxVisibilityTimeout),
	)...)
}

// concurrency is the cap on deliveries in flight.
func (c ConsumerConfig) concurrency() int {
	if c.MaxConcurrency == 0 {
		return MaxConcurrencyLimit
	}
	return c.MaxConcurrency
}

func inRange[T int | time.Duration](queue, name string, v, low, high T) error {
	if v < low || v > high {
		return fmt.Errorf("queue %q: %s of %v is outside %v to %v", queue, name, v, low, high)
	}
	return nil
}

var queueName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$`)
})

// CheckName says what is wrong with the name of a queue, nil if nothing is.
func CheckName(name string) error { return checkQueueName(name) }

// checkQueueName accepts a little more than production, which refuses capitals, and underscores at the ends: a
// configuration that wrangler dev accepts must start here, too.
func checkQueueName(name string) error {
	if !queueName().MatchString(name) {
		return fmt.Errorf(
			"%w %q: want 1 to 63 letters, digits, '-', '_' or '.', not beginning with '-' or '.'",
			ErrQueueName, name,
		)
	}
	return nil
}

// Topology is what a project's configuration declares; see [Broker.Declare].
type Topology struct {
	// Queues are made if they do not exist; their settings are left alone if they do.
	Queues []string
	// Consumers replace those of an earlier Declare. Their queues and dead letter queues are made too.
	Consumers []ConsumerConfig
}
