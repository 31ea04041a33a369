// Package coverage keeps what ran of a project's files while its tests did, and reports it in istanbul's shapes.
//
// Nouns. A file has statements, functions and branches, each with a place and a count (istanbul's file coverage); a Map
// has the files of a run. Counts come from the programs of isolates (bundle.Counted), one list for each module and
// isolate, and are added up. A report is text, text-summary, lcov, json, json-summary, html, clover or cobertura.
// Thresholds are percentages that a run must reach.
//
// Threads. Map.Add may be called from any goroutine; the rest belongs to whoever ends the run.
//
// It is a package of its own, and not a part of testrun, because it knows nothing of tests.
package coverage
