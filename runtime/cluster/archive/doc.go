// Package archive takes what a cluster keeps into the state directory of a session on one machine, and puts what such a
// directory has into a cluster.
//
// # Nouns
//
//   - An export is a state directory, in the layout that eddy dev, eddy serve and, for objects, wrangler have. It is
//     made of one snapshot of the database, so it is a consistent cut also while nodes go on, and it gets its name
//     when it is whole.
//   - An import is one transaction: the cluster has all of a state directory or is what it was. No node may run.
//   - What was imported last, and how far shards were then, is noted ([Imported]), so that the same import again, after
//     an outcome that was not heard, changes nothing.
//
// # What is taken
//
// Durable Objects with their facets, alarms and names; KV namespaces, D1 databases, R2 buckets and stores of secrets
// with their values; workflows, vector indexes and pipelines; the queues' log; and which migrations were applied. What
// else a state directory has is named and left where it is.
//
// # Threads
//
// [Export] and [Import] each run on the caller's goroutine.
package archive
