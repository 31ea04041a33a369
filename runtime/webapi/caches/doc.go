// Package caches is the Cache API as the platform has it
// (https://developers.cloudflare.com/workers/runtime-apis/cache/): caches.default, named caches, and what a shared
// cache may keep and answer (RFC 9111, RFC 9110).
//
// # Nouns
//
//   - A [Store] keeps entries: [Memory] for one isolate, [Disk] for those of a state directory, over reloads and
//     restarts.
//   - A [StoredResponse] is a stored response. It says itself until when it may be used.
//
// # Life of an entry
//
// put() reads the whole body, works out how long a shared cache may use the response, waits for the scope's output
// gate, and hands the entry to the store. match() turns it into the answer to that request: whole, a range, or 304.
// Time is the session's clock.
//
// # Threads
//
// The classes belong to the loop goroutine. A store is called on goroutines of its callers, any number at once.
package caches
