// Package objectstore is what the bindings that keep values by key have in common: an [Index] in SQLite, and [Values],
// a directory with a file for each value. Both are in the place and form of miniflare, so that a state directory goes
// back and forth between the two programs.
//
// A value is written before the index names it and removed after the index has forgotten it: a crash leaves the old
// entry or the new one, and at worst a file that nobody names.
//
// An Index lets one transaction at a time at its connection; Values may be read and written side by side.
package objectstore
