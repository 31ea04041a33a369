// Package inspector lets a debugger into Workers, by the Chrome DevTools protocol
// (https://chromedevtools.github.io/devtools-protocol/): Chrome's front end, VS Code's JavaScript debugger, or any
// other
// client of it.
//
// The engine has no hooks. A Worker that shall be debugged runs a script whose statements tell that they are about to
// run (package bundle, Stops); in all other sessions nothing of this package is there.
//
// # Nouns
//
//   - An [Inspector] answers debuggers on one port. It has a target for each Worker's name, which outlives reloads.
//   - A realm is one isolate of a target. A reload makes another; its files are new scripts under the same URLs, where
//     the breakpoints of before stand again.
//   - A client is one connected debugger. What it has set goes when it does.
//   - A call is one call of a function that goes on or waits. It knows who called it, also across an await: a step over
//     an await ends in the same call, a step out in the one that awaits it.
//   - A pause is a stop at a statement. The isolate's goroutine waits in it and does what clients ask for; the
//     session's clock stands.
//
// # Life cycle
//
// [Inspector.Attach] is called with the options of an isolate that is about to start; the realm appears to clients
// when the
// isolate runs and disappears when its loop has stopped. A loop that is cut ends its pause.
//
// # Threads
//
// A realm's calls, objects and steps belong to its loop's goroutine. Clients reach it through realm.do, which runs a
// function in a turn of its own or within the pause. Inspector, target and client are guarded by the server's mutex,
// which
// is never held while JavaScript runs. Each client has one goroutine that reads and one that writes.
//
// It stands above package worker, whose isolates it looks into, and below the session, which starts them. It is no part
// of package control, because a debugger's port and protocol are not eddy's own.
package inspector
