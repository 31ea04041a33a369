// Package analytics serves Analytics Engine: bindings whose writeDataPoint is checked as in production, a file that
// keeps the points, and the SQL API that answers about them (package dialect). wrangler dev takes everything, checks
// nothing and keeps nothing.
//
// # Nouns
//
//   - A [Binding] is env[Key], of one dataset.
//   - A [Store] is the file of all datasets of a state directory, v3/eddy/analytics.sqlite, with one table.
//   - A statement of the SQL API comes over [SQLAPI], or from the command line.
//
// # Life cycle and threads
//
// writeDataPoint hands a point over and returns, as on the platform. One goroutine writes what has come together in one
// transaction, and ends; a query waits for it. What a killed process had not written yet (milliseconds) is lost. A
// binding's value belongs to the loop of its isolate; a Store may be used from any goroutine.
package analytics
