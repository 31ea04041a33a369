// Package trial runs a project under one order of events after the other, for tests that are no Worker's own.
//
// Nouns. A [Trial] is a session without a port and without state that outlives it, on a virtual clock that stands
// until somebody moves it; under an order it stands still altogether but while the test waits for it. A [Request] is a
// request in flight. [Search] runs a test in a trial for each order. A [Searcher] does so for the control API: there
// the test is a client, which is told of a trial and judges it.
//
// Threads. A Trial belongs to the goroutine of its test; with a Searcher, to whichever handles the client's request. A
// Searcher's search has a goroutine of its own, which ends with [Searcher.End].
package trial
