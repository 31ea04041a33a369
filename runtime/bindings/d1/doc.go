// Package d1 serves D1 databases: bindings through which Workers query a SQLite database (D1-1 to D1-7).
//
// # Nouns
//
//   - A [Database] is one file in the state directory, in wrangler's place and form. It is opened by the first query.
//     All Workers that bind the same database id share it.
//   - A [Statement] is a query with its values, as prepare and bind make it.
//   - A [Result] is what one statement gave.
//   - A [Binding] is env[Key]: the classes of d1.js around a Database.
//
// # Life cycle and threads
//
// A call takes a ticket and runs on a goroutine of its own; a Database lets one call at a time at its connection. The
// statements of a call are one transaction. The answer comes when it is on the disk. A call made by a Durable Object
// waits at its output gate first, as every outgoing request does.
package d1
