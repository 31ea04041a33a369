// Package vitest is the module "vitest" of a test isolate: what tests import to declare themselves and to expect, and
// the run of one file of them (TEST-79 to TEST-118).
//
// Nouns. A task is a test or a suite; a try is one run of a test, of which retries and repeats make several. A report
// is one JSON object that the isolate tells of a task: collected, start, test, suite, file. A Host is what the module
// needs of whoever runs it.
//
// Life cycle. Install makes the module once per isolate, from the scripts in js/. RunFile imports a test file, which
// declares its tasks, and runs them; its promise settles when the last afterAll has. One isolate may run several files,
// one after the other.
//
// Threads. All of it belongs to the isolate's loop; Host's functions are called there.
//
// It is a package of its own, and not a part of testrun, because it knows nothing of sessions, configurations and
// reporters: it can be tested with an isolate alone.
package vitest
