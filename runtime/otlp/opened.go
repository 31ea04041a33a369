package otlp

import (
	"encoding/json"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"eddy/runtime/cause"
	"eddy/runtime/journal"
)

// opened is a span that a script has opened with tracing of cloudflare:workers.
func opened(e *journal.Entry, s *journal.NamedSpan) tracetest.SpanStub {
	out := tracetest.SpanStub{Name: s.Name, SpanKind: trace.SpanKindInternal, StartTime: s.Start(), EndTime: s.End(),
		SpanContext: contextOf(cause.Cause{Trace: e.Trace, Span: s.ID}),
		Parent:      contextOf(cause.Cause{Trace: e.Trace, Span: s.Parent}), Attributes: attributesOf(s)}
	for _, x := range s.Exceptions {
		out.Events = append(out.Events, sdk.Event{Name: semconv.ExceptionEventName, Time: time.UnixMilli(x.At),
			Attributes: []attribute.KeyValue{semconv.ExceptionType(x.Name), semconv.ExceptionMessage(x.Message),
				semconv.ExceptionStacktrace(x.Stack)}})
	}
	switch s.Status {
	case "ok":
		out.Status = sdk.Status{Code: codes.Ok}
	case "error":
		out.Status = sdk.Status{Code: codes.Error, Description: s.Message}
	}
	return out
}

func attributesOf(s *journal.NamedSpan) (list []attribute.KeyValue) {
	for _, a := range s.Attributes {
		var v any
		if json.Unmarshal([]byte(a.Value), &v) != nil {
			continue // damage: it was written as JSON
		}
		switch v := v.(type) {
		case bool:
			list = append(list, attribute.Bool(a.Name, v))
		case float64:
			list = append(list, attribute.Float64(a.Name, v))
		case string:
			list = append(list, attribute.String(a.Name, v))
		}
	}
	return list
}
