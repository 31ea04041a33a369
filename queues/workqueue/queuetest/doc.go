// Package queuetest is the conformance suite of the work queue, which every backend passes, and a [FakeClock] for their
// own tests.
//
// Every case stands for a sentence of the package's documentation, which it cites. [Run] opens an empty store for each
// case; within a case [Backend] may be opened several times, which stands for several processes on one store.
//
// No case waits for time to pass on the machine: the clock is a FakeClock, which moves when a case says so or while it
// waits for a delivery that is due later. What is asserted is order, and what the fake clock showed.
//
// A case runs on one goroutine; handlers report to it over channels.
package queuetest
