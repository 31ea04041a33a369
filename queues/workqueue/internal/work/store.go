package work

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	queue "eddy/queues/workqueue"
)

// NewJob is a job on its way into a store.
type NewJob struct {
	// ID is a UUID. Empty where the store numbers jobs itself.
	ID       string
	Payload  []byte
	Priority queue.Priority
	// Delay counts from the store's now. RunAt, if not zero, is used instead.
	Delay time.Duration
	RunAt time.Time
	// Trace is the trace context of the enqueuer in W3C form, or empty.
	Trace string

	relative bool // the time is a Delay
}

// Verdict is what becomes of a delivered job.
type Verdict string

// The verdicts; metrics and spans show them.
const (
	Acked Verdict = "acked"
	Retry Verdict = "retried"
	Dead  Verdict = "dead-lettered"
)

// Settlement ends one delivery. It is void when the job's token is another one by now.
type Settlement struct {
	ID, Token string
	// Ref is that of the delivery.
	Ref     int64
	Verdict Verdict
	// Delay is when a retry becomes eligible, from now.
	Delay time.Duration
	// DeadTopic is where a dead job goes. It keeps its id, payload, priority and time; its attempts begin anew.
	DeadTopic string
	// Reason is the text of the handler's error, kept with the job.
	Reason string

	until time.Time // when the job may be given up soon; zero for never
}

// Exchange is one step of a subscription.
type Exchange struct {
	Topic  string
	Settle []Settlement
	// Lost are the tokens of exchanges whose answer never came. The jobs claimed with them become eligible again, and
	// that attempt does not count.
	Lost []string
	// Want is how many jobs to claim at most, highest priority first, and Token what they are claimed with.
	Want       int
	Token      string
	Visibility time.Duration
	// Began is what the subscription's clock showed when it decided on the exchange. A store that is given a clock goes
	// by it: the clock may jump before the store looks at it, and a job whose acknowledgement is under way in another
	// exchange would count as given up.
	Began time.Time
}

// Wakes are the topics that have new work when x has happened.
func (x *Exchange) Wakes() []string {
	topics := map[string]bool{}
	for i := range x.Settle {
		switch s := &x.Settle[i]; {
		case s.Verdict == Dead:
			topics[s.DeadTopic] = true
		case s.Verdict == Retry && x.Want == 0: // this subscription will not claim it itself
			topics[x.Topic] = true
		}
	}
	if len(x.Lost) > 0 {
		topics[x.Topic] = true
	}
	return slices.Sorted(maps.Keys(topics))
}

// Delivery is a claimed job.
type Delivery struct {
	Job   queue.Job
	Token string
	// Ref is how the store finds the job again. Only the store understands it.
	Ref   int64
	Trace string
}

// Claimed answers an exchange.
type Claimed struct {
	Deliveries []Delivery
	// Next is how long it takes until a hidden job of the topic becomes eligible; negative if there is none.
	Next time.Duration
}

// Store keeps jobs. Methods may be called from any goroutine. An exchange that fails may have happened.
type Store interface {
	// Enqueue adds all jobs or none, and wakes who watches the topic.
	Enqueue(ctx context.Context, topic string, jobs []NewJob) error
	// Exchange carries out x as one step.
	Exchange(ctx context.Context, x *Exchange) (Claimed, error)
	// Watch wakes w when jobs may have become eligible in the topic. A store that cannot always know relies on the
	// subscription's poll interval.
	Watch(topic string, w *Watcher) (stop func(), err error)
	// Close ends all calls.
	Close(ctx context.Context) error
}

// Preparer is a Store that must be told of a topic before it is subscribed to.
type Preparer interface {
	// Prepare is called once for each Subscribe, before anything else.
	Prepare(ctx context.Context, topic string, cfg *queue.SubscribeConfig) error
}

// Settle decides what the end of a handler means for its job.
func Settle(d *Delivery, err error, cfg *queue.SubscribeConfig) Settlement {
	s := Settlement{ID: d.Job.ID, Token: d.Token, Ref: d.Ref, Verdict: Acked}
	if err == nil {
		return s
	}
	s.Reason = reason(err)
	if errors.Is(err, queue.ErrSkipRetry) || cfg.MaxRetries >= 0 && d.Job.Attempt > cfg.MaxRetries {
		s.Verdict, s.DeadTopic = Dead, cfg.DeadLetterTopic
		return s
	}
	s.Verdict, s.Delay = Retry, max(cfg.Backoff(d.Job.Attempt), 0)
	return s
}

// reason is the text of an error as stores keep it: of bounded length, valid UTF-8, and without the zero byte that
// PostgreSQL refuses.
func reason(err error) string {
	text := err.Error()
	if len(text) > maxReason {
		text = text[:maxReason]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

const maxReason = 4096
