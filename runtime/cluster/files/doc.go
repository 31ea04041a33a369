// Package files is a file system in a shard: what the queues' log writes is kept by the cluster, and the broker above
// it is the one of a single machine.
//
// # Nouns
//
//   - A record, under "f/<name>", is a file as of its last sync: its id, its size, and the number of its last piece.
//   - A piece, under "d/<id>/<offset>", is some of its bytes. Each piece continues the one before it (package engine),
//     so that one which is missing is noticed, and the record says which is the last.
//   - Scratch is a file system of this machine with the same bytes, never synced: reads come from there. It is empty at
//     first and filled from the shard when a file is opened.
//
// # What is written when
//
// Writes go to scratch. Sync puts what was written since the last sync into the shard, as new pieces if the file has
// only grown, and returns when the batch is kept. Creations, renames and removals go along with the next sync, of
// whatever file, or with SyncDir. A file that does not fit into one batch gets its pieces first and its record with the
// last of them: until then it is as it was.
//
// # Life cycle
//
// An [FS] belongs to one ownership of a shard. When that is lost every sync fails, and so the log is poisoned: nothing
// was told to anybody. The next owner makes an FS of its own from what is kept.
//
// # Threads
//
// As logstore demands: one goroutine writes, any may read. The lock of FS guards names and what is dirty, and is not
// held while the cluster is waited for.
package files
