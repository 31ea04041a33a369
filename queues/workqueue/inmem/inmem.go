// Package inmem keeps the jobs of a work queue in the process: nothing survives it. It is for tests, and for work that
// may be lost.
//
// A [Service] has one lock, held for a moment at a time, over a heap of eligible and a heap of hidden jobs for each
// topic. It wakes its subscriptions for every job and never polls.
package inmem

import (
	"eddy/queues/workqueue/internal/work"

	queue "eddy/queues/workqueue"
)

// Service is a queue.Service in memory. EnqueueBatch stores several jobs in one step.
type Service struct{ *work.Base }

var _ queue.Service = (*Service)(nil)

// New makes an empty service.
func New(opts ...queue.QueueOption) *Service {
	cfg := work.Resolve(opts)
	if cfg.Clock == nil {
		cfg.Clock = queue.RealClock()
	}
	return &Service{work.NewBase(newStore(cfg.Clock), cfg, work.Traits{Numbered: true, Exact: true})}
}
