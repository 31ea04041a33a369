// Package eventsource is EventSource (https://html.spec.whatwg.org/#server-sent-events) as the platform has it: over
// the network, through a binding, or from a stream that a script has.
//
// # Life of a source
//
// A source connects through package fetch, checks the answer and reads the body as a stream; a parser beside the loop
// makes events of the bytes. When the server ends the stream the source waits for its reconnection time and connects
// again with the last event id. A source from a stream ends with the stream.
//
// # Threads
//
// The source belongs to the loop goroutine and to the scope it was made in. The parser runs where the stream is pumped,
// and gives its events back in order.
package eventsource
