// Package control is the door for everybody who is not a Worker: it serves /cdn-cgi/eddy/ of a session, and holds the
// Go client that the command line uses.
//
// # Nouns
//
//   - The product API, /cdn-cgi/eddy/client/v4, is package restapi's; it is served from here.
//   - The control API, /cdn-cgi/eddy/api, has a verb for every command of the CLI, in plain JSON: what it answers are
//     the views of view.go, what it refuses is {"error": …}. /cdn-cgi/eddy/api/tail streams what happens (server-sent
//     events).
//   - Metrics, /cdn-cgi/eddy/metrics, are Prometheus's.
//   - How a session is found and asked is package running's. The API of a session that has joined another one is that
//     one's.
//   - A [Client] talks to a running session over HTTP, or to a stopped one's log through an [API] in its own process.
//     Commands cannot tell the difference.
//
// # Threads
//
// Handlers run on net/http's goroutines and ask the broker, which serialises everything. Observers (meter.go, tail.go)
// run on the broker's goroutine: they count under a small mutex, or hand on without waiting.
package control
