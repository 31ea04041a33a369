// Package journal keeps what happened in a session: a rolling record of its events, for people who look (tail, trace),
// for files that run again (capture, replay), for the explorer and for OTLP.
//
// An [Entry] is one event: what came, which cause it has, what it said, sent and asked for, and what became of it. It
// is written when the event is over. A [Journal] is the record that one session writes: entries in a folder
// of the state directory that is the session's alone, because only one process can append to segments; it is named
// after the session's first Worker, whose lock keeps other sessions out. [Read] and [Follow] read all folders of a
// state directory, in any process, also while sessions write.
//
// It is not the source of truth and never in anybody's way. [Journal.Add] encodes on the caller's goroutine, because
// scripts may change the bytes afterwards, and appends to a buffer; one goroutine, started by [Open] and ended by
// Close, writes what has gathered, without sync, and takes segments away that are too many or too old. A full buffer
// drops entries, a failed write ends the journal; both are told once, by the function Options.Tell. A journal that does
// not open is set aside and begun anew. kill -9 loses what was in the buffer: what happened while the last write ran.
//
// It is no part of queues' log, which is synced, may not lose anything and knows no Worker, nor of control, which can
// only be asked while a session runs.
package journal
