// Package reporter shows what became of tests, in the forms that vitest has (TEST-119 to TEST-131).
//
// Nouns. A Reporter is told of reports while files run and of the result at the end. Default, Verbose and Dot are for
// people, JSON and JUnit for machines, GitHub for annotations of a workflow.
//
// Threads. A Reporter is called by one goroutine at a time.
//
// It is a package of its own, and not a part of testrun, because a run knows nothing of terminals and files of reports.
package reporter
