// Package logstore is the write-ahead log under the broker.
//
// # Nouns
//
//   - A group is what the caller appends: bytes that become durable together or not at all. One group is one frame.
//   - A frame is a group (or another record) on disk: magic, version, kind, length, sequence number, the length of
//     the file that was known to be synced when the frame was written, CRC-32C, payload.
//   - A segment is one file of frames, `00000007.log`. Segments are numbered without gaps as far as replay needs them.
//   - A snapshot, `00000007.snap`, holds the caller's state as of the start of segment 7. Replay is the newest
//     snapshot, then every group of the segments from that number on.
//   - The mark, `<folder>.mark`, says which segments there must be, the sizes of the full ones, and after an orderly
//     end where the log stops; see mark.go.
//   - A [Ref] is a place in a segment. Groups stay readable by Ref after replay no longer needs their segment, until
//     the caller drops it: message bodies are read back from where they were first written.
//
// # Life cycle
//
// [Open] takes the lock of the directory (a second process is refused with the pid of the first), replays, repairs
// the tail and returns the [Log]. [Log.Append] writes one group, and with [Strict] durability returns only after it
// is synced. Opening waits for no disk: the first file of a new log is synced before its first group, with which the
// mark comes. [Log.Snapshot] starts a new segment and makes the older ones unnecessary for replay; [Log.Drop] removes
// one of those. After a failed write or sync the log is poisoned: what is on disk is unknown, so every later call is
// refused until the log is opened again. A disk that is full is no such failure: what was written of the frame is cut
// off again, and the answer is [ErrFull].
//
// # Repair
//
// Only what was never synced may be missing after a crash. A frame that does not read back is cut off, with all that
// follows, if nothing proves that it was once synced; [Report.Cut] says what was cut. It is refused as a
// [CorruptError], naming file and offset, if a later segment exists or a later frame says that the place had been
// synced before it was written: then acknowledged data is damaged, and guessing would hide it.
//
// # Threads
//
// Append, Snapshot, Drop and Close are called by one goroutine, the broker's. ReadAt may be called by any.
package logstore
