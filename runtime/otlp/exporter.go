package otlp

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"eddy/runtime/clock"
	"eddy/runtime/journal"
)

const (
	exportTimeout = 10 * time.Second
	// gathering is how long spans wait for others.
	gathering = time.Second
	// stopTimeout is how long a session that ends waits for the last spans to be taken, while its process does not
	// stand still.
	stopTimeout = 2 * time.Second
	// portOfGRPC is where a collector takes OTLP over gRPC, unless told otherwise.
	portOfGRPC = "4317"
)

// Exporter sends spans to a collector. Make one with [New].
type Exporter struct {
	processor sdk.SpanProcessor
	mapper    mapper
}

// Check tells whether a URL is one of a collector.
func Check(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%q: expected the URL of a collector that takes OTLP over HTTP, such as "+
			"http://localhost:4318", text)
	}
	return nil
}

// New makes an exporter to the collector at a URL; without a path it is that of traces. Nothing is sent before the
// first entry. tell takes lines for the user.
func New(to string, tell func(string)) (*Exporter, error) {
	if err := Check(to); err != nil {
		return nil, err
	}
	target := strings.TrimSuffix(to, "/")
	if u, err := url.Parse(target); err == nil && u.Path == "" {
		target += "/v1/traces"
	}
	c, err := newClient(target)
	if err != nil {
		return nil, err
	}
	x, err := otlptrace.New(context.Background(), c)
	if err != nil {
		return nil, fmt.Errorf("otlp: %w", err)
	}
	o := &outage{SpanExporter: x, to: to, tell: tell}
	if u, err := url.Parse(target); err == nil && u.Port() == portOfGRPC {
		o.hint = " (eddy sends over HTTP; " + portOfGRPC +
			" is mostly a collector's port for gRPC, and 4318 that for HTTP)"
	}
	return &Exporter{processor: sdk.NewBatchSpanProcessor(o, sdk.WithBatchTimeout(gathering))}, nil
}

// Export sends an entry. It does not block and keeps nothing of the entry. The journal calls it for one entry at a
// time.
func (x *Exporter) Export(e *journal.Entry) {
	if e.Kind == journal.InstanceEvent {
		return // a moment is no span, and the lives have theirs
	}
	for _, s := range x.mapper.spans(e) {
		x.processor.OnEnd(s.Snapshot())
	}
}

// Stop sends what waits, as long as the collector takes it at once, and ends the exporter.
func (x *Exporter) Stop() error {
	ctx, cancel := clock.WithPatience(context.Background(), stopTimeout)
	defer cancel()
	_ = x.processor.Shutdown(ctx) // the user was told of a collector that does not answer
	return nil
}

// outage tells of a collector that does not answer, once until it does.
type outage struct {
	sdk.SpanExporter
	to   string
	tell func(string)
	told atomic.Bool
	hint string // what may be wrong with the URL
}

// ExportSpans implements [sdk.SpanExporter]. It never fails: the error has been told.
func (o *outage) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := o.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		o.told.Store(false)
	} else if !o.told.Swap(true) {
		o.tell(fmt.Sprintf("The collector at %s takes no traces; they are dropped until it does: %v%s", o.to, err,
			o.hint))
	}
	return nil
}
