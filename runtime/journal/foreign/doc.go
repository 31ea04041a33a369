// Package foreign reads what other tools keep of queues, and makes lines of a capture of it, so that it can be run
// again: `eddy capture import` and `eddy capture pull`.
//
// [Read] takes a text and finds out by itself what is in it: answers of the pull API, dead letters and messages as
// `eddy … --json` shows them, arrays of bodies, NDJSON and CSV with a column body; and records of deliveries, from
// `wrangler tail --format json`, Workers Logs and Logpush. It gives back a [Result]: the lines, what was left out, each
// with its reason, and how many records were of other events.
//
// A message without an id gets one that depends on what it says and on its place, so that the same text makes the same
// lines. Cloudflare's records of a delivery name its queue and the number of its messages and nothing of the messages:
// they are taken from what the consumer has logged, objects with id and body, and a record without them is left out.
//
// Everything here is a function without state, for any goroutine. It is not part of package journal, which has one
// form, written and read by eddy alone.
package foreign
