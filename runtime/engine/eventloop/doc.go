// Package eventloop gives a goja runtime its one goroutine.
//
// # Nouns
//
//   - A [Loop] owns one goja runtime and one goroutine. JavaScript values are touched on that goroutine only. It takes
//     closures from its inbox and runs each as a turn: the closure, then all microtasks it caused, then the turn-end
//     hooks (which commit storage, report unhandled rejections and so on).
//   - A [Scope] is what JavaScript runs for: one event in flight in a Worker, or one live Durable Object. It is carried
//     through promises and timers by the engine, so that after an await the code is again in the scope that started
//     it. Everything asynchronous a scope starts comes back through [Scope.Enter], where a Durable Object puts its
//     input gate, and leaves through [Scope.Output], where it puts its output gate.
//   - A [Ticket] is the promise of one completion: work off the loop (HTTP, disk, the broker) takes a ticket first
//     and gives back exactly one closure. A ticket holds the clock, and counts as pending work of its scope.
//   - Async variables (AsyncLocalStorage) travel the same way as the scope, see [Loop.Variable].
//
// # Threads
//
// Post, Do, Enter, Ticket.Return and Stop may be called from any goroutine; all else belongs to the loop goroutine.
//
// # Ending
//
// [Scope.Close] ends a scope: its timers are cleared, its context is cancelled, and closures that come back later
// are dropped. [Loop.Stop] closes nothing by itself: it ends the goroutine after the current turn.
package eventloop
