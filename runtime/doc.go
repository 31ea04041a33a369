// Package runtime runs Cloudflare Workers in a Go process: it is the public Go API, and cmd/eddy is a thin shell around
// it.
//
//	s, err := runtime.Start(ctx, runtime.Options{Dir: "path/to/project"})
//	if err != nil {
//		return errors.New(runtime.Explain(err, false))
//	}
//	defer s.Stop(context.Background())
//	h, err := s.Handler("")
//
// # Nouns
//
//   - A [Session] is one run: one or more Workers that share a state directory, queues by name and objects by class.
//     Sessions in other processes may join it on the same state directory.
//   - A Worker is named as its configuration names it. Wherever a method takes a name, "" is the first Worker.
//   - [Options] ask for what a session does to its surroundings: without Listen no port is opened, without Persist or
//     PersistTo nothing is written into the project.
//
// # Where things are
//
// This package only puts the parts together. Package session runs the Workers and reloads them, package front serves
// them over HTTP, package sharing finds other sessions, and package statedir knows where state lies.
//
// # Threads
//
// A Session's methods may be called from any goroutine.
package runtime
