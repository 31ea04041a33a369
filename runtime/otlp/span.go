package otlp

import (
	"encoding/hex"
	"net/url"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"eddy/runtime/cause"
	"eddy/runtime/journal"
)

// System is messaging.system of Queues, which the conventions have no name for.
const System = "cloudflare_queues"

// mapper makes spans of entries.
type mapper struct {
	resources map[string]*resource.Resource // by Worker
}

func (m *mapper) resource(worker string) *resource.Resource {
	r := m.resources[worker]
	if r == nil {
		if m.resources == nil {
			m.resources = map[string]*resource.Resource{}
		}
		r = resource.NewWithAttributes(semconv.SchemaURL, semconv.ServiceName(worker), semconv.FaaSName(worker),
			attribute.String("telemetry.sdk.language", "go"), attribute.String("telemetry.sdk.name", "opentelemetry"))
		m.resources[worker] = r
	}
	return r
}

func contextOf(c cause.Cause) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: c.Trace, SpanID: c.Span,
		TraceFlags: trace.FlagsSampled})
}

// spans are those of an entry: its own, and one for each send and each request to the network.
func (m *mapper) spans(e *journal.Entry) []tracetest.SpanStub {
	own := tracetest.SpanStub{SpanContext: contextOf(e.Cause()), StartTime: e.Start(), EndTime: e.End(),
		SpanKind: trace.SpanKindInternal}
	if e.Parent != [8]byte{} {
		own.Parent = contextOf(cause.Cause{Trace: e.Trace, Span: e.Parent})
	}
	for _, l := range e.Links {
		own.Links = append(own.Links, sdk.Link{SpanContext: contextOf(l)})
	}
	own.Attributes = []attribute.KeyValue{semconv.FaaSInvocationID(hex.EncodeToString(e.Span[:])),
		attribute.Int64("eddy.cpu_time_us", e.CPU.Microseconds()), attribute.String("eddy.outcome", e.Outcome)}
	if e.Entrypoint != "" {
		own.Attributes = append(own.Attributes, attribute.String("eddy.entrypoint", e.Entrypoint))
	}
	if o := e.Object; o != nil {
		own.Attributes = append(own.Attributes, semconv.FaaSInstance(o.ID),
			attribute.String("eddy.object.namespace", o.Namespace))
	}
	describe(&own, e)
	for _, l := range e.Logs {
		own.Events = append(own.Events, sdk.Event{Name: "log", Time: time.UnixMilli(l.At),
			Attributes: []attribute.KeyValue{attribute.String("log.severity", l.Level),
				attribute.String("log.message", journal.LogText(l.Message))}})
	}
	for _, x := range e.Exceptions {
		own.Events = append(own.Events, sdk.Event{Name: semconv.ExceptionEventName, Time: time.UnixMilli(x.At),
			Attributes: []attribute.KeyValue{semconv.ExceptionType(x.Name), semconv.ExceptionMessage(x.Message),
				semconv.ExceptionStacktrace(x.Stack)}})
	}
	if e.Failed() {
		own.Status = sdk.Status{Code: codes.Error, Description: failureOf(e)}
		own.Attributes = append(own.Attributes, semconv.ErrorTypeKey.String(errorType(e)))
	}
	list := []tracetest.SpanStub{own}
	for i := range e.Sent {
		list = append(list, sent(e, &e.Sent[i]))
	}
	for i := range e.Outgoing {
		list = append(list, asked(e, &e.Outgoing[i]))
	}
	for i := range e.Spans {
		if s := &e.Spans[i]; s.ID != e.Span {
			list = append(list, opened(e, s))
		} else {
			list[0].Attributes = append(list[0].Attributes, attributesOf(s)...)
		}
	}
	for i := range list {
		list[i].Resource = m.resource(e.Worker)
		list[i].InstrumentationScope.Name = "eddy"
	}
	return list
}

// describe names a span and says what came.
func describe(s *tracetest.SpanStub, e *journal.Entry) {
	add := func(list ...attribute.KeyValue) { s.Attributes = append(s.Attributes, list...) }
	switch {
	case e.Request != nil:
		s.Name, s.SpanKind = e.Request.Method, trace.SpanKindServer
		add(semconv.FaaSTriggerHTTP, semconv.HTTPRequestMethodKey.String(e.Request.Method))
		add(urlOf(e.Request.URL, false)...)
		if e.Request.Status != 0 {
			add(semconv.HTTPResponseStatusCode(e.Request.Status))
		}
	case e.Delivery != nil:
		d := e.Delivery
		s.Name, s.SpanKind = "process "+d.Queue, trace.SpanKindConsumer
		add(semconv.FaaSTriggerPubSub)
		add(messaging(d.Queue, "process", d.Messages)...)
		if d.Lane != "" {
			add(semconv.MessagingDestinationPartitionID(d.Lane))
		}
	case e.Schedule != nil:
		s.Name = "scheduled " + e.Schedule.Cron
		add(semconv.FaaSTriggerTimer, semconv.FaaSCron(e.Schedule.Cron), timeOf(e.Schedule.Time))
	case e.Kind == journal.Alarm:
		s.Name = "alarm"
		add(semconv.FaaSTriggerTimer, timeOf(e.AlarmAt))
	case e.Kind == journal.RPC:
		s.Name, s.SpanKind = e.RPCMethod, trace.SpanKindServer
		add(semconv.FaaSTriggerOther, semconv.RPCMethod(e.RPCMethod))
	default:
		s.Name = string(e.Kind)
		add(semconv.FaaSTriggerOther)
		if e.Workflow != nil {
			s.Name = "workflow " + e.Workflow.Name
			add(attribute.String("eddy.workflow.instance", e.Workflow.Instance))
		}
	}
}

func timeOf(ms int64) attribute.KeyValue {
	return semconv.FaaSTime(time.UnixMilli(ms).UTC().Format(time.RFC3339Nano))
}

// messaging are the attributes of a delivery or of a send: of a single message its own, else how many there are.
func messaging(queue, operation string, messages []journal.Message) []attribute.KeyValue {
	list := []attribute.KeyValue{semconv.MessagingSystemKey.String(System), semconv.MessagingDestinationName(queue),
		semconv.MessagingOperationName(operation), semconv.MessagingOperationTypeKey.String(operation)}
	if len(messages) != 1 {
		list = append(list, semconv.MessagingBatchMessageCount(len(messages)))
	} else {
		m := &messages[0]
		list = append(list, semconv.MessagingMessageBodySize(len(m.Body)))
		if m.ID != [16]byte{} {
			list = append(list, semconv.MessagingMessageID(hex.EncodeToString(m.ID[:])))
		}
	}
	return list
}

// sent is the span of a send.
func sent(e *journal.Entry, s *journal.Sent) tracetest.SpanStub {
	at := time.UnixMicro(s.At)
	out := tracetest.SpanStub{Name: "send " + s.Queue, SpanKind: trace.SpanKindProducer, StartTime: at, EndTime: at,
		SpanContext: contextOf(e.Cause().Next()), Parent: contextOf(e.Cause()),
		Attributes: messaging(s.Queue, "send", s.Messages)}
	if s.Error != "" {
		out.Status = sdk.Status{Code: codes.Error, Description: s.Error}
		out.Attributes = append(out.Attributes, semconv.ErrorTypeOther)
	}
	return out
}

// asked is the span of a request to the network.
func asked(e *journal.Entry, o *journal.Subrequest) tracetest.SpanStub {
	at := time.UnixMicro(o.At)
	out := tracetest.SpanStub{Name: o.Method, SpanKind: trace.SpanKindClient, StartTime: at, EndTime: at.Add(o.Took),
		SpanContext: contextOf(cause.Cause{Trace: e.Trace, Span: o.Span}), Parent: contextOf(e.Cause()),
		Attributes: append(urlOf(o.URL, true), semconv.HTTPRequestMethodKey.String(o.Method))}
	if o.Status != 0 {
		out.Attributes = append(out.Attributes, semconv.HTTPResponseStatusCode(o.Status))
	}
	if o.Error != "" || o.Status >= 400 {
		out.Status = sdk.Status{Code: codes.Error, Description: o.Error}
		kind := semconv.ErrorTypeOther
		if o.Status >= 400 {
			kind = semconv.ErrorTypeKey.String(strconv.Itoa(o.Status))
		}
		out.Attributes = append(out.Attributes, kind)
	}
	return out
}

// urlOf are the attributes of a URL, of a client's request or of a server's.
func urlOf(text string, client bool) []attribute.KeyValue {
	u, err := url.Parse(text)
	if err != nil {
		return []attribute.KeyValue{semconv.URLFull(text)}
	}
	if client {
		port, err := strconv.Atoi(u.Port())
		if err != nil {
			port = map[string]int{"http": 80, "https": 443}[u.Scheme]
		}
		return []attribute.KeyValue{semconv.URLFull(withoutUser(u)), semconv.ServerAddress(u.Hostname()),
			semconv.ServerPort(port)}
	}
	return []attribute.KeyValue{semconv.URLScheme(u.Scheme), semconv.URLPath(u.Path), semconv.URLQuery(u.RawQuery),
		semconv.ServerAddress(u.Hostname())}
}

// withoutUser is a URL in which a user's name and password are hidden.
func withoutUser(u *url.URL) string {
	if u.User == nil {
		return u.String()
	}
	hidden := *u
	hidden.User = url.UserPassword("REDACTED", "REDACTED")
	return hidden.String()
}

func failureOf(e *journal.Entry) string {
	switch {
	case len(e.Exceptions) > 0:
		return e.Exceptions[0].Name + ": " + e.Exceptions[0].Message
	case e.Delivery != nil && e.Delivery.Error != "":
		return e.Delivery.Error
	case e.Outcome == "ok":
		return "messages are to be tried again"
	}
	return e.Outcome
}

func errorType(e *journal.Entry) string {
	switch {
	case len(e.Exceptions) > 0:
		return e.Exceptions[0].Name
	case e.Outcome == "ok":
		return "retry"
	}
	return e.Outcome
}
