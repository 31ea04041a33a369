// Package session runs Workers: it reads their configurations, builds them, wires them to queues, objects, stores and
// each other, and reloads them while they run. It knows no HTTP; package front serves what runs here.
//
// # Nouns
//
//   - A [Session] is one or more Workers that share a state directory, queues by name and objects by class.
//   - A service is one Worker of the session. Its configuration and code may change while it runs.
//   - A generation is one start of a service: a bundle in an isolate.
//   - An attachment is something that a generation serves for the session: its objects, its lanes, a queue. Attachments
//     belong to a generation and end with it.
//
// # Life cycle
//
// [Start] loads all configurations and reports every mistake at once, opens the state directory with [sharing.Open],
// applies migrations, builds every Worker, starts the Workers and connects them: objects first, because a queue handler
// may call them. [Session.Hold] begins the end, [Session.Stop] ends it.
//
// A reload builds, starts the next generation beside the present one, connects it, and only then swaps it in; the one
// before drains. A step that fails takes back what the steps before it did, and connects the present generation again:
// the code from before goes on (reload.go, exchange.go). An isolate that can no longer be relied on is replaced the
// same way, with the same code (replace.go).
//
// # Threads
//
// A Session's methods may be called from any goroutine. After the start, one goroutine builds (builds.go); proofs are
// built beside it, by bundlers of their own (proof.go). Whoever changes which generation serves, or what is attached to
// it, holds service.changing; what they change is guarded by service.mu, which nobody holds while waiting. Goroutines
// are started through tasks, for which Stop waits.
package session
