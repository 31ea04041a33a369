// Package sqlite opens SQLite databases for everything in eddy that keeps its
// state in one: Durable Objects, KV, D1, R2. It is the only package that knows
// which SQLite it is (a translation of the C library to Go, so no cgo).
//
// # Nouns
//
//   - A [DB] is one connection to one file, in WAL mode with 4096-byte pages.
//   - A [Stmt] is one compiled statement. It is trusted, or it was written by a
//     user and is then regulated: names that begin with _cf_, transactions,
//     most PRAGMAs and many functions are refused by the authorizer (SQL10 to
//     SQL13), also when SQLite compiles it again after a schema change.
//   - A [Cache] keeps compiled statements by their text, least recently used
//     first to go.
//   - An [Error] carries the text that the platform shows (SQL9), the result
//     code and the file.
//
// # Life cycle and threads
//
// A DB and everything made from it is used by one goroutine at a time; only
// [Options].Stop may be set by another. Close finalizes what is left
// open. A crash of the process loses no commit; a loss of power may lose
// those since the user of the DB has synced the WAL, never consistency.
package sqlite
