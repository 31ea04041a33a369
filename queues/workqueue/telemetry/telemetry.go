// Package telemetry has the options by which a work queue tells what it does. [WithLogger] is for log/slog. The
// packages metrics (Prometheus) and spans (OpenTelemetry) are below it, so that a program links only what it uses.
//
// The options go to the constructor of any backend:
//
//	s, err := pgx.New(ctx, pool, telemetry.WithLogger(logger), metrics.WithRegisterer(registry),
//	spans.WithTracerProvider(provider))
//
// They may be used for several services. What they report is called on the goroutines of Enqueue and of handlers.
package telemetry

import (
	"log/slog"

	"eddy/queues/workqueue/internal/work"

	queue "eddy/queues/workqueue"
)

// WithLogger lets the service log to l: failures of the backend and dead jobs as warnings, panics of handlers as
// errors, retries as debug messages. Without it slog.Default() is used.
func WithLogger(l *slog.Logger) queue.QueueOption {
	return work.Option(func(cfg *work.Config) { cfg.Log = l })
}
