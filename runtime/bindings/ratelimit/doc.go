// Package ratelimit serves Rate Limit bindings: env.LIMITER.limit({key}) → {success}.
//
// # Nouns
//
// A [Limiter] counts the calls of one namespace_id, for all Workers and bindings that name it. Its windows begin at
// whole multiples of their length on the session's clock, as those of the reference do: all keys start anew at the same
// moment. Counts live in memory; a window is a minute at most.
//
// # Threads
//
// A Limiter may be used from any goroutine. The binding's values belong to the loop of their isolate.
package ratelimit
