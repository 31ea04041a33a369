// Package streams is the Streams Standard on an isolate, with workerd's IdentityTransformStream and FixedLengthStream,
// and the Go side's way into and out of streams.
//
// # Two halves
//
// The standard's algorithms are JavaScript (js/*.js), joined to one script that is compiled once per process and run
// once per isolate, when one of its globals is first touched or the Go side first needs a stream. Each public class
// holds one private field, an internal record; the algorithms work on records and on functions captured before user
// code ran, so a patched prototype cannot steer them.
//
// The Go half has three parts: native sources (an io.Reader or bytes behind a byte stream), consumers (ReadAll, Pump,
// Native) and sinks (NewWritable, NewTransform). A native source that nobody has touched passes from producer to
// consumer without any JavaScript: that is how bodies are read and proxied.
//
// # Threads
//
// All functions belong to the loop goroutine. Readers and sinks are called off it, one call at a time; their results
// come back by a ticket of the scope that was current when the work began.
package streams
