// Package containers runs the containers of Durable Objects (BIND-150) on a Docker or Podman that is there: it speaks
// the Docker Engine API over the engine's socket. It knows no JavaScript.
//
// An [Engine] is the connection to one. An [App] is what the configuration says of a class: its image, which is built
// or pulled once for a session. A [Container] is one that runs for an object.
//
// Every container has labels that name the Worker's lock file. The lock ends with its session, however that ends, so
// that [Engine.Sweep] of any later session finds what a killed one has left. All types may be used from any goroutine.
package containers
