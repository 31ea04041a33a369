// Package fetch is the Fetch standard (https://fetch.spec.whatwg.org/) as the platform has it: Headers, Body, Request,
// Response, Blob, File, FormData, fetch(), and navigator. What stands on it (caches, EventSource, bindings) sees
// requests and responses through the methods here.
//
// # Nouns
//
//   - [Headers], [Request], [Response], [Blob], [FormData] are the states behind the JavaScript objects of the same
//     name.
//   - A [Body] is null, a buffer, a Go reader or a ReadableStream. It becomes a stream only when a script asks for one,
//     so that an incoming request and a text answer never touch the streams standard.
//   - [Incoming] and [Parts] describe what comes into the isolate; [OutResponse], [OutRequest] and [Payload] what
//     leaves it.
//
// # Life of a message
//
// An incoming request is wrapped by [NewRequest] without converting anything: headers become a list when they are
// first read, the body when it is first consumed. The handler's Response is taken apart by [Outgoing]; the body goes
// out as bytes, as a Go reader, or is pumped from a stream on the loop.
//
// # Threads
//
// Everything here belongs to the loop goroutine, but for readers and round trips, which run on goroutines of their own
// and come back through a ticket of the scope.
package fetch
