// Package rpc is the platform's JavaScript RPC: RpcTarget, stubs, promises that can be called before they are settled,
// service stubs, and the values that cross.
//
// # Nouns
//
//   - A [Client] is what a stub points at: an object or function of some isolate, an entrypoint, a Durable Object, the
//     result of a call that is still running. Clients are plain Go, so they may be handed from isolate to isolate.
//   - An [Op] is one call or one reading of a property on its way to a Client; it gets one [OpResult].
//   - A [Parcel] is a value on its way: bytes of structured clone, and the handles (Clients, streams) that bytes
//     cannot carry. Primitive values that stay in their isolate need none.
//   - A [Callee] serves Ops: it finds what a path names, calls it and sends the result back.
//   - A [Kit] is the package's state on one isolate.
//
// # Life of a call
//
// The caller encodes the arguments at once, waits for its scope's output gate, and sends the Op. The callee enters its
// scope through its input gate, decodes, calls, awaits, encodes the result, and waits for its own output gate. The
// result comes back through a ticket of the caller's scope. Stubs among the arguments are disposed when the call has
// returned, unless the callee made duplicates (RPC13); stubs among results live until they are disposed or the scope
// that holds them ends.
//
// # Threads
//
// Clients, Ops and Messages may be passed between goroutines. Everything with a goja value in its signature belongs to
// the loop of that value's isolate. The package starts goroutines only to copy bodies.
package rpc
