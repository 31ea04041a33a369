package sqlite

import (
	"context"
	"fmt"

	"eddy/queues/workqueue/internal/work"

	queue "eddy/queues/workqueue"
)

// Service is a queue.Service on an SQLite file. EnqueueBatch stores several jobs in one transaction.
type Service struct {
	*work.Base
	store *store
}

var _ queue.Service = (*Service)(nil)

// New opens the file at path, or makes it and its tables, and returns a service on it. Close closes the file. Several
// services and processes may have the same file open, on one machine.
func New(ctx context.Context, path string, opts ...queue.QueueOption) (*Service, error) {
	cfg := work.Resolve(opts)
	s, err := openStore(ctx, path, cfg)
	if err != nil {
		return nil, fmt.Errorf("queue/sqlite: %w", err)
	}
	return &Service{work.NewBase(s, cfg, work.Traits{}), s}, nil
}

// Inspect returns the operations of operators on the file, for `eddy work`.
func (s *Service) Inspect() work.Inspector { return s.store }
