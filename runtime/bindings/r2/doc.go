// Package r2 serves R2 buckets (B2).
//
// # Nouns
//
//   - A [Bucket] is one bucket in the state directory, in wrangler's place and form: an index in SQLite, a file for
//     each value or part. All Workers that bind the same name share it.
//   - A [StoredObject] is what the index knows of a key. Its value is one file, or the parts of a multipart upload.
//   - A [Condition] decides whether a get or put is carried out; a put decides in the transaction that writes.
//   - A [Binding] is env[Key]: the classes of r2.js around a Bucket.
//
// # Life cycle and threads
//
// The classes check arguments on the isolate's loop and hand a call over as JSON with the bytes beside it; the Bucket
// works on a goroutine of the call. A value is answered as a stream from its files, which stay readable while the key
// is overwritten. A call made by a Durable Object waits at its output gate first, as every outgoing request does.
package r2
