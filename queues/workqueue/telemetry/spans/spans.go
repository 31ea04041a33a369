// Package spans traces a work queue with OpenTelemetry, by its semantic conventions for messaging.
//
// Enqueue is a span of kind producer, "send <topic>"; a handler runs in one of kind consumer, "process <topic>",
// which is linked to the enqueuer's: the trace context is kept with the job, also across processes. Each attempt is a
// span. A handler's error is its span's status.
package spans

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"eddy/queues/workqueue/internal/work"

	queue "eddy/queues/workqueue"
)

const scope = "eddy/queues/workqueue"

// WithTracerProvider makes spans with p.
func WithTracerProvider(p trace.TracerProvider) queue.QueueOption {
	t := &tracer{p.Tracer(scope)}
	return work.Option(func(cfg *work.Config) {
		cfg.Hooks = append(cfg.Hooks, work.Hooks{Enqueue: t.enqueue, Handle: t.handle})
	})
}

type tracer struct{ trace.Tracer }

const header = "traceparent"

func attributes(topic, operation string) trace.SpanStartEventOption {
	return trace.WithAttributes(
		attribute.String("messaging.system", "eddy"), attribute.String("messaging.destination.name", topic),
		attribute.String("messaging.operation.type", operation),
	)
}

func (t *tracer) enqueue(ctx context.Context, topic string, n int) (context.Context, string, func(error)) {
	ctx, span := t.Start(ctx, "send "+topic, trace.WithSpanKind(trace.SpanKindProducer), attributes(topic, "send"),
		trace.WithAttributes(attribute.Int("messaging.batch.message_count", n)))
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return ctx, carrier[header], func(err error) { end(span, err) }
}

func (t *tracer) handle(ctx context.Context, d *work.Delivery) (context.Context, func(work.Settlement, error)) {
	options := []trace.SpanStartOption{
		trace.WithSpanKind(trace.SpanKindConsumer), attributes(d.Job.Topic, "process"),
		trace.WithAttributes(attribute.String("messaging.message.id", d.Job.ID),
			attribute.Int("messaging.eddy.attempt", d.Job.Attempt)),
	}
	from := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{header: d.Trace})
	if sender := trace.SpanContextFromContext(from); sender.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: sender}))
	}
	ctx, span := t.Start(ctx, "process "+d.Job.Topic, options...)
	return ctx, func(s work.Settlement, err error) {
		span.SetAttributes(attribute.String("messaging.eddy.outcome", string(s.Verdict)))
		end(span, err)
	}
}

func end(span trace.Span, err error) {
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}
