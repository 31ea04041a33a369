// Package storage keeps the state of Durable Objects: one SQLite file per
// object, with a key-value face, a SQL face, transactions and the alarm.
//
// It knows no JavaScript. Values of the key-value face are bytes (the caller
// serializes them), SQL values are nil, float64, string and []byte.
//
// # Nouns
//
//   - A [Namespace] is the folder of one object class. It owns the alarm index,
//     the list of objects, and decides which files are open.
//   - A [Store] is the storage of one object. Making one costs a small struct:
//     the file is opened at the first use, created at the first write, and may
//     be closed again behind the Store's back while it is idle.
//   - A turn is what the object's owner runs without giving way. All writes of
//     a turn form one implicit transaction (TX7): the first write opens it,
//     [Store.Commit] at the end of the turn closes it.
//   - A [Txn] is an explicit transaction (TX1 to TX6), nested ones are
//     savepoints.
//   - A [Cursor] streams the rows of a SQL query, a [KVCursor] a key range.
//   - A commit is safe from a crash of the process at once, and from a loss of
//     power once [Store.Sync] has called back. Replies wait for the latter at
//     the output gate.
//
// # On disk
//
// The layout is that of wrangler dev, so a project can go back and forth
// (KV17, DEV4): <state>/v3/do/<unique key>/<object id>.sqlite with the tables
// _cf_KV and _cf_METADATA, and metadata.sqlite beside them with _cf_ALARM. Both
// programs must not run at the same time on one state directory.
//
// Histories for point-in-time recovery (SQL18) lie in a folder of eddy's own
// ([Options.HistoryDir]); package history says how they are made. Here a recorder notes
// when commits were made, and every closing and every checkpoint hands the log
// over before SQLite copies it away. An object that is idle has no recorder.
//
// # Threads
//
// A Namespace and its Stores belong to one goroutine, the loop of the isolate
// that runs the class. Only the callbacks of Sync and of Options come from others, and
// only Store.Interrupt and Namespace.Alarms may be called from one.
// Two kinds of goroutine are started here, and both have ended when
// Namespace.Close returns: those that make files durable, and those that close
// or checkpoint databases and write histories, one at a time for each file, so
// that none of it holds up the loop.
//
// # Failure
//
// A failed statement leaves the transaction as it was before the statement. A
// failure that made SQLite roll back (disk full, I/O error), a violated
// constraint at commit, and a damaged file break the Store: a [*BrokenError]
// names the file and says what to do, every later call returns it, and the owner
// resets the object. No other object is affected. A damaged alarm index is put
// aside and made again of the objects' rows. A history that cannot be written
// never fails a write: it ends, and Options.Notify is told.
package storage
