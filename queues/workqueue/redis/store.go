package redis

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"eddy/queues/workqueue/internal/work"

	queue "eddy/queues/workqueue"
)

//go:embed scripts/shared.lua
var sharedText string

//go:embed scripts/put.lua
var putText string

//go:embed scripts/exchange.lua
var exchangeText string

//go:embed scripts/take.lua
var takeText string

// store is a work.Store in Redis.
type store struct {
	client goredis.UniversalClient
	owned  bool        // Close closes the client
	clock  queue.Clock // nil: the server's
	log    *slog.Logger

	put, exchange, take *goredis.Script

	ctx  context.Context // of what blocks
	stop context.CancelFunc

	known sync.Map // topics that are in topicsKey
	times times
}

func newStore(client goredis.UniversalClient, cfg work.Config) *store {
	s := &store{
		client: client, clock: cfg.Clock, log: cfg.Log, put: goredis.NewScript(sharedText + putText),
		exchange: goredis.NewScript(sharedText + exchangeText), take: goredis.NewScript(sharedText + takeText),
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

const (
	topicsKey = "workqueue:topics"
	deadKey   = "workqueue:dead"
)

func prefix(topic string) string { return "workqueue:{" + topic + "}:" }

// now is the time as an argument of a script: empty for the server's.
func (s *store) now() string {
	if s.clock == nil {
		return ""
	}
	return micros(s.clock.Now())
}

func micros(t time.Time) string { return strconv.FormatInt(t.UnixMicro(), 10) }

// Close implements work.Store.
func (s *store) Close(context.Context) error {
	s.stop()
	if s.owned {
		return s.client.Close()
	}
	return nil
}

// Enqueue implements work.Store.
func (s *store) Enqueue(ctx context.Context, topic string, jobs []work.NewJob) error {
	if err := s.name(ctx, topicsKey, topic); err != nil {
		return err
	}
	j := &jobs[0]
	if isFresh(j) {
		return s.push(ctx, topic, jobs)
	}
	runAt := ""
	if !j.RunAt.IsZero() {
		runAt = micros(j.RunAt)
	}
	// They were enqueued by one call, and so differ in nothing but their bodies.
	args := append(make([]any, 0, 4+6*len(jobs)), s.now(), j.Delay.Microseconds(), runAt, int(j.Priority))
	for i := range jobs {
		args = append(args, jobs[i].ID, jobs[i].Payload, "", jobs[i].Trace, "", "")
	}
	return s.put.Run(ctx, s.client, []string{prefix(topic)}, args...).Err()
}

// name remembers for operators that the topic exists.
func (s *store) name(ctx context.Context, key, topic string) error {
	if _, ok := s.known.Load(key + topic); ok {
		return nil
	}
	err := s.client.SAdd(ctx, key, topic).Err()
	if err == nil {
		s.known.Store(key+topic, true)
	}
	return err
}

// Exchange implements work.Store.
func (s *store) Exchange(ctx context.Context, x *work.Exchange) (work.Claimed, error) {
	for i := range x.Settle {
		if o := &x.Settle[i]; o.Verdict == work.Dead {
			if err := s.bury(ctx, x.Topic, o); err != nil {
				return work.Claimed{}, err
			}
		}
	}
	args := append(make([]any, 0, 5+5*len(x.Settle)+len(x.Lost)), s.now(), x.Want, x.Token,
		x.Visibility.Microseconds(), len(x.Settle))
	for i := range x.Settle {
		o := &x.Settle[i]
		args = append(args, o.ID, o.Token, string(o.Verdict), o.Delay.Microseconds(), o.Reason)
	}
	for _, token := range x.Lost {
		args = append(args, token)
	}
	answer, err := s.exchange.Run(ctx, s.client, []string{prefix(x.Topic)}, args...).Slice()
	if err != nil {
		return work.Claimed{}, err
	}
	return claimed(answer, x)
}

func claimed(answer []any, x *work.Exchange) (work.Claimed, error) {
	c := work.Claimed{Next: -1}
	if len(answer)%5 != 1 {
		return c, fmt.Errorf("the script answered %d values", len(answer))
	}
	if wait, ok := answer[0].(int64); ok && wait >= 0 {
		c.Next = time.Duration(wait) * time.Microsecond
	}
	for i := 1; i < len(answer); i += 5 {
		id, _ := answer[i].(string)
		payload, _ := answer[i+1].(string)
		attempt, _ := answer[i+2].(int64)
		enqueued, _ := answer[i+3].(string)
		trace, _ := answer[i+4].(string)
		at, err := strconv.ParseInt(enqueued, 10, 64)
		if err != nil {
			return c, fmt.Errorf("job %q in %s: it has no field enqueued: %w", id, prefix(x.Topic), err)
		}
		c.Deliveries = append(c.Deliveries, work.Delivery{
			Job: queue.Job{
				ID: id, Topic: x.Topic, Payload: []byte(payload), Attempt: int(attempt),
				EnqueuedAt: time.UnixMicro(at).UTC(),
			},
			Token: x.Token, Trace: trace,
		})
	}
	return c, nil
}

// bury puts a dead job into its dead letter topic. The exchange then removes it from its own. Both may be on different
// servers, so a crash in between leaves it in both; it is then buried again, under the same id.
func (s *store) bury(ctx context.Context, topic string, o *work.Settlement) error {
	fields, err := s.client.HMGet(ctx, prefix(topic)+"job:"+o.ID, "token", "payload", "enqueued", "trace",
		"priority").Result()
	if err != nil {
		return err
	}
	if fields[0] != o.Token {
		return nil // somebody else has it now
	}
	if err := errors.Join(s.name(ctx, topicsKey, o.DeadTopic), s.name(ctx, deadKey, o.DeadTopic)); err != nil {
		return err
	}
	trace, _ := fields[3].(string) // jobs without one have no such field
	return s.put.Run(ctx, s.client, []string{prefix(o.DeadTopic)}, s.now(), 0, "", fields[4],
		o.ID, fields[1], fields[2], trace, topic, o.Reason).Err()
}

// blockFor is how long a subscription blocks before it looks whether it is still wanted.
const blockFor = 2 * time.Second

// Watch implements work.Store. The server wakes one of those who block, also in other processes; who cannot follow it
// passes it on.
func (s *store) Watch(topic string, w *work.Watcher) (stop func(), err error) {
	ctx, cancel := context.WithCancel(s.ctx)
	key := prefix(topic) + "signal"
	pass := func() { _ = s.client.ZAdd(context.WithoutCancel(ctx), key, signal).Err() } // a poll makes up for it
	w.PassOn(func() { go pass() })
	go func() {
		for w.AwaitIdle(ctx) == nil && ctx.Err() == nil {
			err := s.client.BZPopMin(ctx, blockFor, key).Err()
			switch {
			case err == nil:
				if ctx.Err() != nil || !w.WakeIdle() {
					pass()
				}
			case !errors.Is(err, goredis.Nil) && ctx.Err() == nil:
				// An exchange will fail for the same reason, and report it.
				select {
				case <-time.After(time.Second):
				case <-ctx.Done():
				}
			}
		}
	}()
	return cancel, nil
}
