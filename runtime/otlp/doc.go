// Package otlp exports what the journal records to an OpenTelemetry collector, as traces over OTLP/HTTP with the
// semantic conventions of faas, messaging and HTTP.
//
// An [Exporter] is made by the session that has the flag --otlp, watches its journal, and ends with it. Spans wait in
// the queue of the SDK's batch processor, which one goroutine of the SDK empties: what comes faster than the collector
// takes it is dropped, so that nobody ever waits for it. Of a collector that does not answer the user is told once,
// until it does.
package otlp
