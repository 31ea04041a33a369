// Package eddylog keeps the jobs of a work queue in the queues of eddy, so that a Go service and a Worker share them:
// what Go enqueues, a Worker's queue() handler consumes, and what a Worker sends, a Go handler processes.
//
// The queues are those of a broker in this process ([New], [Open]) or of a running session ([Join]), which is reached
// over its control API and may be restarted meanwhile.
//
// # Topics and queues
//
// The jobs of a topic are in the queue that has the topic's full name, "<app>.<namespace>.<topic>". With [WithQueue]
// they are in another queue, for example one that a Worker's configuration names. A queue that does not exist is made.
//
// A queue has one kind of consumer. Go subscribes to queues that no Worker consumes. If a Worker consumes the queue,
// Subscribe works all the same, but its claims are refused, and the log says why.
//
// # Payloads
//
// A payload is a message's body. A Worker gets it as an ArrayBuffer, or as what [WithContentType] says. A handler gets
// the body of a Worker's message as it was serialized: JSON text for what send() sends by default.
//
// # What the log does differently
//
//   - It has no priorities. Jobs of another priority than normal wait in queues of their own, "<queue>.p<priority>",
//     which are asked first or last. A Worker does not see those: what is enqueued while it consumes the queue goes to
//     it in the order of arrival, whatever its priority.
//   - A queue that a Worker's configuration made has its own retention, four days by default; the log says so once, and
//     a delay that is longer is refused. Queues that this package makes keep their jobs without expiry.
//   - A payload has 2 MiB at most, or 128,000 bytes where a Worker consumes the queue, and the name of a queue 57
//     characters. More is refused.
//   - A job whose workers died a hundred times is dead.
//   - When the answer to a claim is lost on the way, its jobs come back after their visibility timeout.
//
// # Threads
//
// Methods run on their callers' goroutines. A joined session with subscriptions has one that hears of new messages.
package eddylog
