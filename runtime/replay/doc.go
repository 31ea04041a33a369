// Package replay runs captured events through Workers again and compares what becomes of them.
//
// Nouns. A [Recorded] is an event of a file with the place where it stands. A [Rerun] is one run of it: a plan has one
// for each event, or several, or in another order ([Choose]). A [Replayed] is what became of a step, with its
// [Difference]s.
//
// Life cycle. [Read] reads files, [Choose] makes the plan, [Run] starts a session of its own on a virtual clock that
// stands at the first event, lets each step happen at its captured instant and ends the session. Queues deliver nothing
// by themselves: each delivery is a step. What events of the file have caused inside the session (calls of objects and
// of other Workers, alarms) happens again by itself, and is compared with the file below its cause.
//
// Threads. Run belongs to its caller's goroutine. Entries come on goroutines of isolates (player.seen), requests on
// those of outgoing fetches (answers); each has its lock.
package replay
