// Package worker runs one Worker.
//
// # Nouns
//
//   - A [Worker] is a bundled script with its compatibility flags and bindings, running in one isolate. On reload a new
//     Worker is started beside the old one and swapped in whole; the old one drains and is closed.
//   - An [Isolate] is one goja runtime on one event loop with everything installed: built-ins, web APIs, env, modules.
//   - An [Invocation] is one event in flight: its scope, its ExecutionContext, its waitUntil promises, its outcome.
//   - An [Event] is the seam through which kinds of events are added (fetch and scheduled are here; queue batches,
//     RPC calls and Durable Object events come from packages above).
//   - A [Binding] is the seam through which one entry of env is made.
//   - An [Exception] is what JavaScript threw, in the terms of the user's own files.
//
// Nothing here knows of queues or Durable Objects.
//
// # Life of an invocation
//
// Dispatch posts a turn; the event calls the handler; its promise is followed. The invocation is over when the
// handler has settled, every waitUntil promise has settled and nobody holds it (a response body that is still
// streaming does). Then its scope is closed: timers are cleared, completions that come late are dropped.
//
// # Threads
//
// Dispatch, Close and the http.Handler methods may be called from any goroutine. Everything with a goja value in its
// signature belongs to the loop goroutine.
package worker
