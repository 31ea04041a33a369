package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"eddy/queues/workqueue/eddylog"
	"eddy/queues/workqueue/sqlite"
	"eddy/queues/workqueue/telemetry"
	"eddy/queues/workqueue/telemetry/metrics"
	"eddy/queues/workqueue/telemetry/spans"

	queue "eddy/queues/workqueue"
)

// A handler's span is linked to that of the Enqueue also where jobs are messages of a log.
func TestSpansOverLog(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	s, err := eddylog.Open(t.Context(), filepath.Join(t.TempDir(), "log"),
		spans.WithTracerProvider(trace.NewTracerProvider(trace.WithSpanProcessor(recorder))))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	if _, err := s.Subscribe(t.Context(), "t", func(context.Context, *queue.Job) error {
		close(done)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Enqueue(t.Context(), "t", []byte("a")); err != nil {
		t.Fatal(err)
	}
	<-done
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	all := map[string]trace.ReadOnlySpan{}
	for _, span := range recorder.Ended() {
		all[span.Name()] = span
	}
	sent, processed := all["send app.default.t"], all["process app.default.t"]
	if sent == nil || processed == nil || len(processed.Links()) != 1 ||
		processed.Links()[0].SpanContext.SpanID() != sent.SpanContext().SpanID() {
		t.Errorf("spans %v", all)
	}
}

// One job is acknowledged, one is retried once and then dead.
func TestTelemetry(t *testing.T) {
	ctx := context.Background()
	var log bytes.Buffer
	registry, recorder := prometheus.NewRegistry(), tracetest.NewSpanRecorder()
	provider := trace.NewTracerProvider(trace.WithSpanProcessor(recorder))
	options := []queue.QueueOption{
		telemetry.WithLogger(slog.New(slog.NewTextHandler(&log,
			nil))), metrics.WithRegisterer(registry), spans.WithTracerProvider(provider),
	}
	s, err := sqlite.New(ctx, filepath.Join(t.TempDir(), "queue.db"), options...)
	if err != nil {
		t.Fatal(err)
	}
	metrics.WithRegisterer(registry) // a second service may use the same registry
	for _, payload := range []string{"good", "bad"} {
		if err := s.Enqueue(ctx, "t", []byte(payload)); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{}, 10)
	_, err = s.Subscribe(ctx, "t", func(_ context.Context, j *queue.Job) error {
		defer func() { done <- struct{}{} }()
		if string(j.Payload) == "bad" {
			return errors.New("cannot")
		}
		return nil
	}, queue.WithMaxRetries(1), queue.WithBackoff(func(int) time.Duration { return 0 }))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		<-done
	}
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
	const want = `
# HELP eddy_queue_dlq_total Messages moved to a dead letter queue, by the queue they failed in.
# TYPE eddy_queue_dlq_total counter
eddy_queue_dlq_total{queue="app.default.t",reason="exhausted"} 1
# HELP eddy_queue_messages_acked_total Messages acknowledged.
# TYPE eddy_queue_messages_acked_total counter
eddy_queue_messages_acked_total{queue="app.default.t"} 1
# HELP eddy_queue_messages_received_total Messages delivered to consumers and pullers, every attempt counted.
# TYPE eddy_queue_messages_received_total counter
eddy_queue_messages_received_total{queue="app.default.t"} 3
# HELP eddy_queue_messages_retried_total Deliveries that ended with a retry.
# TYPE eddy_queue_messages_retried_total counter
eddy_queue_messages_retried_total{queue="app.default.t"} 1
# HELP eddy_queue_messages_sent_total Messages that producers sent.
# TYPE eddy_queue_messages_sent_total counter
eddy_queue_messages_sent_total{queue="app.default.t"} 2
`
	err = testutil.GatherAndCompare(registry, strings.NewReader(want), "eddy_queue_dlq_total",
		"eddy_queue_messages_acked_total",
		"eddy_queue_messages_received_total", "eddy_queue_messages_retried_total", "eddy_queue_messages_sent_total")
	if err != nil {
		t.Error(err)
	}
	sent, processed := map[string]bool{}, 0
	for _, span := range recorder.Ended() {
		switch span.Name() {
		case "send app.default.t":
			sent[span.SpanContext().SpanID().String()] = true
		case "process app.default.t":
			processed++
			if links := span.Links(); len(links) != 1 || !sent[links[0].SpanContext.SpanID().String()] {
				t.Errorf("a handler's span is linked to %v", links)
			}
		}
	}
	if len(sent) != 2 || processed != 3 {
		t.Errorf("%d spans of producers and %d of handlers, want 2 and 3", len(sent), processed)
	}
	if !strings.Contains(log.String(), `a job goes to the dead letter topic" topic=app.default.t`) {
		t.Errorf("the log says %q", log.String())
	}
}
