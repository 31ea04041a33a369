// Package compression is the Compression Standard on an isolate: CompressionStream and DecompressionStream for gzip,
// deflate (zlib) and deflate-raw, with the strict checks of the platform: input that ends early and bytes after the end
// are errors.
//
// Compression is the standard library's. Decompression is an inflater of our own, because bytes come in pieces: the
// library's reader blocks for input and would need a goroutine per stream, which nobody ends when JavaScript drops the
// stream. [inflater] is fed instead, and keeps what it cannot decode yet.
//
// Everything runs on the loop goroutine, within the write of a chunk.
package compression
