package eddylog_test

import (
	"testing"

	"eddy/queues"
	"eddy/queues/workqueue/eddylog"
	"eddy/queues/workqueue/internal/work"
	"eddy/queues/workqueue/queuetest"

	queue "eddy/queues/workqueue"
)

func TestConformance(t *testing.T) {
	queuetest.Run(t, func(t *testing.T, clock *queuetest.FakeClock) queuetest.Backend {
		broker, _, err := queues.Open(queues.Options{Dir: t.TempDir(), Clock: eddylog.BrokerClock(clock)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := broker.Close(); err != nil {
				t.Error(err)
			}
		})
		return queuetest.Backend{
			Durable: true,
			Open: func(t *testing.T, opts ...queue.QueueOption) queue.Service {
				s, err := eddylog.New(t.Context(), broker, append(opts, work.WithClock(clock))...)
				if err != nil {
					t.Fatal(err)
				}
				return s
			},
		}
	})
}
