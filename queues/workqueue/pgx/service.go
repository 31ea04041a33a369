package pgx

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"eddy/queues/workqueue/internal/work"

	queue "eddy/queues/workqueue"
)

// Service is a queue.Service on PostgreSQL. EnqueueBatch stores several jobs in one statement.
type Service struct {
	*work.Base
	store *store
}

var _ queue.Service = (*Service)(nil)

// New makes the tables if there are none, or brings them up to date, and returns a service on pool. The pool stays the
// caller's: Close leaves it open.
func New(ctx context.Context, pool *pgxpool.Pool, opts ...queue.QueueOption) (*Service, error) {
	cfg := work.Resolve(opts)
	if err := migrate(ctx, pool); err != nil {
		return nil, fmt.Errorf("queue/pgx: %w", err)
	}
	s := newStore(pool, cfg)
	return &Service{work.NewBase(s, cfg, work.Traits{Apart: true}), s}, nil
}

// Open is New on a pool of its own, which Close closes. dsn is what pgxpool.ParseConfig reads: a URL that begins with
// postgres://, or key=value pairs.
func Open(ctx context.Context, dsn string, opts ...queue.QueueOption) (*Service, error) {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return nil, fmt.Errorf("queue/pgx: %w", err)
	}
	s, err := New(ctx, pool, opts...)
	if err != nil {
		pool.Close()
		return nil, err
	}
	s.store.owned = true
	return s, nil
}

// Inspect returns the operations of operators on the tables, for `eddy work`.
func (s *Service) Inspect() work.Inspector { return s.store }
