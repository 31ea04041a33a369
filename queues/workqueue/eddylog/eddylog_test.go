package eddylog_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"eddy/queues"
	"eddy/queues/workqueue/eddylog"
	"eddy/queues/workqueue/internal/work"
	"eddy/queues/workqueue/queuetest"
	"eddy/queues/workqueue/telemetry"

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

// The log says once that a queue which a configuration made does not keep jobs for ever.
func TestRetentionIsTold(t *testing.T) {
	broker, _, err := queues.Open(queues.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	if _, err := broker.CreateQueue(t.Context(), "shared", queues.DefaultQueueSettings()); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s, err := eddylog.New(t.Context(), broker, eddylog.WithQueue("a", "shared"),
		telemetry.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range []string{"own", "a", "a"} {
		if err := s.Enqueue(t.Context(), topic, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := log.String()
	if n := strings.Count(text, "queue=shared retention=96h0m0s"); n != 1 || strings.Contains(text, "own") {
		t.Errorf("the log says %q", text)
	}
}
