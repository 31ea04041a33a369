// Package objectstore is what the bindings that keep values by key have in common: an [Index] in SQLite, and [Values],
// which it names: files of a directory. Both are in the place and form of miniflare, so that a state directory goes
// back and forth between the two programs.
//
// A value is written before the index names it and removed after the index has forgotten it: a crash leaves the old
// entry or the new one, and at worst a file that nobody names.
//
// In a cluster a store is an object of its kind's internal namespace: one node has it, and what is committed is kept in
// the store's shard before the call is answered, values in the same batch as the index. A [Residence] is the file on
// that node, a [Way] leads to a store from every node, a [Service] is what answers there.
//
// An Index lets one transaction at a time at its connection; Values may be read and written side by side.
package objectstore
