// Package kv serves Workers KV namespaces (B1).
//
// # Nouns
//
//   - A [Store] is one namespace in the state directory, in wrangler's place and form: an index in SQLite, a file for
//     each value. It is opened by the first call. All Workers that bind the same id share it.
//   - A [StoredValue] is a value with its metadata and expiration.
//   - A [Binding] is env[Key]: a KvNamespace around a Store.
//
// # Life cycle and threads
//
// A call checks its arguments on the isolate's loop, then works on a goroutine of its own; the Store's lock covers the
// index only, so values are read and written side by side. A put is answered when it is on the disk. Expiration follows
// the session's clock. A call made by a Durable Object waits at its output gate first, as every outgoing request does.
//
// Writes are seen at once by everybody here. Production may show an old value for a minute.
package kv
