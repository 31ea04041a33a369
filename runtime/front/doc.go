// Package front is the HTTP side of a Worker: what comes in over a port, or from a Go test, becomes an event of the
// Worker, and what the Worker answers goes out.
//
// # Nouns
//
//   - A [Front] is the [http.Handler] of one Worker. It knows the Worker that serves now and its assets, and nothing
//     else of the session.
//   - A [Port] is where a front listens, a [Listener] the open port. [Asked] is what the options say of ports, and
//     [Ports] are all open ones of a session.
//   - /cdn-cgi/ is the platform's part of every Worker's URL space (DEV5): cron events by hand and eddy's own API. It
//     answers this machine only, see local.go.
//
// # The way of a request
//
// [Front.ServeHTTP] sends it to /cdn-cgi (cdncgi.go) or to the Worker: its assets first (site.go), then its handler
// with the request as the platform shows it (request.go). The answer is written by answer.go; an answer 101 hands the
// connection to a WebSocket (upgrade.go), and a handler that threw gets a page (errorpage.go).
//
// # Threads
//
// A front holds no state: each request is on its own goroutine, net/http's or the caller's.
package front
