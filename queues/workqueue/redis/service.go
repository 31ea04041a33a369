package redis

import (
	"context"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"eddy/queues/workqueue/internal/work"

	queue "eddy/queues/workqueue"
)

// Service is a queue.Service on Redis. EnqueueBatch stores several jobs in one step.
type Service struct {
	*work.Base
	store *store
}

var _ queue.Service = (*Service)(nil)

// New returns a service on client: a *redis.Client, a *redis.ClusterClient or a *redis.Ring. The client stays the
// caller's: Close leaves it open. New fails if the server does not answer.
func New(ctx context.Context, client goredis.UniversalClient, opts ...queue.QueueOption) (*Service, error) {
	cfg := work.Resolve(opts)
	now, err := client.Time(ctx).Result()
	if err != nil {
		return nil, fmt.Errorf("queue/redis: %w", err)
	}
	s := newStore(client, cfg)
	s.times.set(now)
	return &Service{work.NewBase(s, cfg, work.Traits{}), s}, nil
}

// Open is New on a client of its own, which Close closes. url is what redis.ParseURL reads: redis://, rediss:// or
// unix://.
func Open(ctx context.Context, url string, opts ...queue.QueueOption) (*Service, error) {
	o, err := goredis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("queue/redis: %w", err)
	}
	client := goredis.NewClient(o)
	s, err := New(ctx, client, opts...)
	if err != nil {
		_ = client.Close() // a client that was never used has nothing to lose
		return nil, err
	}
	s.store.owned = true
	return s, nil
}

// Inspect returns the operations of operators on the keys, for `eddy work`.
func (s *Service) Inspect() work.Inspector { return s.store }
