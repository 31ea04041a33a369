package inmem_test

import (
	"testing"

	"eddy/queues/workqueue/inmem"
	"eddy/queues/workqueue/internal/work"
	"eddy/queues/workqueue/queuetest"

	queue "eddy/queues/workqueue"
)

func TestConformance(t *testing.T) {
	queuetest.Run(t, func(_ *testing.T, clock *queuetest.FakeClock) queuetest.Backend {
		return queuetest.Backend{Open: func(_ *testing.T, opts ...queue.QueueOption) queue.Service {
			return inmem.New(append(opts, work.WithClock(clock))...)
		}}
	})
}
