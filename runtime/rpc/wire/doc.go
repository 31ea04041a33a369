// Package wire carries calls between Workers and Durable Objects of two sessions: everything that package rpc carries
// between two isolates of one. The protocol is written down in docs/wire.md.
//
// # Nouns
//
//   - A [Wire] is one connection between two processes. Both sides may call, and both see the same.
//   - A frame is one message on it (frame.go). Numbers in frames are given by the side that made what they name, and
//     are never used again on that wire.
//   - An entry is what the other side may call without having been given it: a Worker's entrypoint ([Entry]), or an
//     object that it has opened.
//   - An export is a Client that was given to the other side; a proxy is the Client that it has of it there.
//   - A reader, a sink and a trigger are the two ends of a stream or an AbortSignal that was given away.
//
// # Life cycle
//
// [New] makes a Wire that takes calls at once; frames wait. [Wire.Run] greets, checks that both speak one version, and
// serves until the connection breaks or [Wire.End] is called. Then every call fails, every export is released, and
// every stream is aborted, on both sides: a Wire leaves nothing behind.
//
// # Threads
//
// All methods may be called from any goroutine. A Wire has one goroutine that reads, which is Run's, and one that
// writes. What comes in is handed on by the one that reads, in the order in which it was sent; Clients do not block.
// Reads of an exported stream and writes to an exported sink have goroutines of their own.
package wire
