// Package metrics counts what a work queue does, for Prometheus, under the names that eddy's own /metrics uses for
// queues:
//
//	eddy_queue_messages_sent_total{queue}         jobs enqueued
//	eddy_queue_messages_received_total{queue}     jobs delivered to handlers, every attempt counted
//	eddy_queue_messages_acked_total{queue}        jobs acknowledged
//	eddy_queue_messages_retried_total{queue}      deliveries that ended with a retry
//	eddy_queue_dlq_total{queue,reason}            jobs moved to a dead letter topic; the reason is "skip retry" or
//	                                              "exhausted"
//	eddy_queue_processing_duration_ms{queue}      how long handlers take
//
// The label queue is the full name of the topic. The counts are this process's.
package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"eddy/queues/workqueue/internal/work"

	queue "eddy/queues/workqueue"
)

// meter holds the collectors.
type meter struct {
	sent, received, acked, retried, dead *prometheus.CounterVec
	duration                             *prometheus.HistogramVec
}

// bounds are those of eddy's own histogram.
var bounds = []float64{1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000, 900_000}

// WithRegisterer counts into r. Several services of a process may share a registry: they count together. It panics, as
// prometheus.MustRegister does, if r has other metrics of these names.
func WithRegisterer(r prometheus.Registerer) queue.QueueOption {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return register(r, prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "eddy", Subsystem: "queue",
			Name: name, Help: help}, labels))
	}
	m := &meter{
		sent: counter("messages_sent_total", "Messages that producers sent.", "queue"),
		received: counter("messages_received_total",
			"Messages delivered to consumers and pullers, every attempt counted.", "queue"),
		acked:   counter("messages_acked_total", "Messages acknowledged.", "queue"),
		retried: counter("messages_retried_total", "Deliveries that ended with a retry.", "queue"),
		dead: counter("dlq_total", "Messages moved to a dead letter queue, by the queue they failed in.",
			"queue", "reason"),
		duration: register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "eddy", Subsystem: "queue", Name: "processing_duration_ms",
			Help: "Time from a batch's delivery to its settlement, in milliseconds.", Buckets: bounds,
		}, []string{"queue"})),
	}
	return work.Option(func(cfg *work.Config) {
		cfg.Hooks = append(cfg.Hooks, work.Hooks{Enqueue: m.enqueue, Handle: m.handle})
	})
}

// register registers c, or finds what another service has registered.
func register[C prometheus.Collector](r prometheus.Registerer, c C) C {
	err := r.Register(c)
	var twice prometheus.AlreadyRegisteredError
	if errors.As(err, &twice) {
		if before, ok := twice.ExistingCollector.(C); ok {
			return before
		}
	}
	if err != nil {
		panic(err)
	}
	return c
}

func (m *meter) enqueue(ctx context.Context, topic string, n int) (context.Context, string, func(error)) {
	return ctx, "", func(err error) {
		if err == nil {
			m.sent.WithLabelValues(topic).Add(float64(n))
		}
	}
}

func (m *meter) handle(ctx context.Context, d *work.Delivery) (context.Context, func(work.Settlement, error)) {
	topic, began := d.Job.Topic, time.Now()
	m.received.WithLabelValues(topic).Inc()
	return ctx, func(s work.Settlement, err error) {
		m.duration.WithLabelValues(topic).Observe(float64(time.Since(began)) / float64(time.Millisecond))
		switch s.Verdict {
		case work.Acked:
			m.acked.WithLabelValues(topic).Inc()
		case work.Retry:
			m.retried.WithLabelValues(topic).Inc()
		case work.Dead:
			reason := "exhausted"
			if errors.Is(err, queue.ErrSkipRetry) {
				reason = "skip retry"
			}
			m.dead.WithLabelValues(topic, reason).Inc()
		}
	}
}
