// Package service joins Workers to each other: service bindings with fetch and RPC to the default or a named entrypoint
// (B3), and the entrypoints of ctx.exports (CL12).
//
// # Nouns
//
//   - A [Directory] knows the Workers that run now. It is asked at each call, so that a binding follows reloads, and a
//     Worker that is not running is told to the caller (CL11).
//   - A target is a Worker's name, an entrypoint and the props that its ctx gets.
//
// # Threads
//
// Calls are posted to the loop of the Worker that is called; each is an invocation of its own there. Nothing here is
// shared between loops but the Directory, which must be safe for any goroutine.
package service
