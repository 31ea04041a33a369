// Package testrun runs the tests of a project: `eddy test`.
//
// Nouns. A project is one configuration of tests: its files, its Worker, its settings. A run is one pass over the files
// of all projects. A program is the Worker and all test files of a project as modules (bundle.Modules), compiled once.
// A file runs in an isolate of a session of its own, so that files see nothing of each other (TEST-66).
//
// Life cycle. Run finds the files, builds the program, runs the files side by side, and tells an Observer of each
// report as it comes; the Result has everything at the end.
//
// Threads. Each file is a goroutine; the Observer is called by one of them at a time.
//
// It is a package of its own, and not a part of session, because a session knows nothing of tests: testrun starts
// sessions as the door does.
package testrun
