package sqlite_test

import (
	"path/filepath"
	"testing"

	"eddy/queues/workqueue/internal/work"
	"eddy/queues/workqueue/queuetest"
	"eddy/queues/workqueue/sqlite"

	queue "eddy/queues/workqueue"
)

func TestConformance(t *testing.T) {
	queuetest.Run(t, func(t *testing.T, clock *queuetest.FakeClock) queuetest.Backend {
		path := filepath.Join(t.TempDir(), "queue.db")
		return queuetest.Backend{Durable: true, Open: func(t *testing.T, opts ...queue.QueueOption) queue.Service {
			s, err := sqlite.New(t.Context(), path, append(opts, work.WithClock(clock))...)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}}
	})
}
