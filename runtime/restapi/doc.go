// Package restapi speaks Cloudflare's REST protocol for queues under /cdn-cgi/eddy/client/v4, so that the `cloudflare`
// SDK and wrangler work against a local session. Any account and any token will do.
//
// # Nouns
//
//   - An envelope is the form of every answer (H-1): success, errors, result. A refusal is an [Error] with the
//     product's code.
//   - A route is one of H-2's: of queues (queue.go), of messages (message.go), of consumers (consumer.go), of event
//     subscriptions (subscription.go), and what clients ask for on their way (account.go).
//   - The side file keeps what the product knows and the broker does not: event subscriptions, jurisdictions, the times
//     of purges.
//   - A source event is something that happened at an event source; [API.Fire] sends it to the queues of those who
//     subscribed to it (H-23).
//
// # Life cycle and threads
//
// Handlers run on net/http's goroutines and ask the broker, which serialises everything: what a change of a queue
// leaves as it is, is decided in the broker's turn. The side file is guarded by one mutex, and written before a change
// counts.
//
// # Why a package
//
// It follows the product's documents and nothing else. Package control, which is eddy's own door, stands on it.
package restapi
