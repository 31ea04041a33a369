// Package objects keeps Durable Objects in the shards of a cluster.
//
// # Nouns
//
//   - [Shipped] is all that a node has of it: the shards that it owns, and for each the objects in it. It implements
//     [node.Part].
//   - A record, under "i/<key>/<id>", is an object as of its last commit: how long its database and its log are, its
//     name and its alarm. Records are read when a shard is gained; an object's bytes when it is first wanted.
//   - An extent, under "e/<key>/<id>/<number>", or "E/<key>/<id>/<place>/<number>" for a database that was put in the
//     place of another one, is 64 KiB of its database. A piece, under
//     "w/<key>/<id>/<generation>/<offset>", is bytes of SQLite's log, each continuing the one before.
//   - A [Store] is a KV namespace or another store of the bindings: an object whose file is an index, and values beside
//     it, under "v/<key>/<id>/<name>/<number>" in pieces of 512 KiB. A mark under "n/<key>/<id>/<name>" says that the
//     index may not name the value, because it is being written, or still read. A [Stay] is a store on the node that
//     has it.
//   - A facet is an object of its own here, in the shard of the object that it belongs to. The list of an object's
//     facets lies under "f/<key>/<id>/<number>", an entry each.
//   - To fold is to copy the log into the database: extents that it has changed are put, its pieces deleted, and the
//     next generation of the log begins.
//
// # What is kept when
//
// A commit puts the bytes that its log has grown by, and the record, in one batch; when that is in the store, the
// object may say what it has written. After 256 KiB of log it is folded. A batch that is too large goes in parts, the
// record with the last of them: extents that come before it hold what the pieces hold, too, so whoever reads in between
// finds the same.
//
// # Life cycle of a shard
//
// Gained: records are read, and then the objects are here: alarms are armed, and the stores are told ([Live]). Handing:
// nobody new comes in, what runs may end, and all that was committed is kept before the shard goes. Lost: the objects
// that are live are reset, and their files removed.
//
// # Threads
//
// All methods may be called from any goroutine. [storage.Keeper]'s Keep is called by the goroutine that owns the
// object; it reads the object's files before it returns.
package objects
