// Package runtime is the local runtime: it reads the configurations, builds the Workers, wires them to queues, objects
// and each other, and serves them over HTTP. It is the public Go API; cmd/eddy is a thin shell around it.
//
// # Nouns
//
//   - A [Server] is one running session: one or more Workers that share a state directory, queues by name and objects
//     by class. Servers in other processes may join it on the same state directory: they share its queues (package peer).
//   - A service is one Worker of the session. Its configuration may change while it runs.
//   - A generation is one start of a service: a bundle in an isolate. A reload starts the next generation beside the
//     present one, swaps it in when it is up, and lets the old one drain. A build that fails changes nothing.
//
// # Start
//
// Start loads all configurations and reports every mistake at once, locks its Workers in the state directory, opens the log
// or joins the session that has it open, starts the Workers, attaches consumers, arms alarms and only then listens, so that the ready line means ready.
//
// # Threads
//
// A Server's methods may be called from any goroutine. Reloads are serialised by one goroutine per Server.
package runtime
