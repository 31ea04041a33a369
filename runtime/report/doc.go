// Package report writes what a person or a log collector sees of a running session: requests, batches, alarms, console
// output, uncaught exceptions, reloads. One [Reporter] serves the whole session; it writes whole lines, from any
// goroutine.
package report
