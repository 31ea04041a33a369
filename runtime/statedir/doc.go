// Package statedir knows the state directory: where everything in it lies, who may open it, and how its small files are
// replaced. It is the only package that spells a path of that directory; sessions, commands and storage ask a [Dir].
//
// # Nouns
//
//   - A [Dir] is a state directory: the folder of --persist-to, or .wrangler/state beside the configuration. Its layout
//     is wrangler's (DEV4) where wrangler has one: objects, databases, namespaces and buckets are found by either tool.
//     What only eddy has lies in a folder of its own, where wrangler does not look.
//   - A lock is a file that the operating system gives to one process. It ends with that process, however that ends.
//   - What was applied is the record of which migrations of Durable Objects the data has been through, one file for all
//     Workers of the directory. Several sessions may share it, so it is read again before every change.
//
// # Why a package of its own
//
// The layout is a promise to the data of users and to wrangler. It has one place, below everything that stores.
//
// # Threads
//
// A Dir is a path and may be used from any goroutine. Locks keep this process out too: a second [Lock] fails.
package statedir
