// Package runtimetest runs a Worker's project inside a Go test.
//
// Nouns. A [Session] is a session of eddy without a port and without state that outlives it, on a virtual clock that
// stands until the test moves it. A [Request] is a request in flight. A [Queue] and an [Object] are looked into and
// acted on by name.
//
// Life cycle. [Start] brings a session up and ends it with the test. Lines of the Worker go to the test's log, and an
// exception that nobody caught fails the test, unless the options take exceptions. [Explore] starts a session for each
// order of events that it tries.
//
// Threads. A Session belongs to the goroutine of its test. While that goroutine runs, an explored session stands still:
// it goes on inside the methods that wait ([Session.Advance], the response of a [Request] and the like).
package runtimetest
