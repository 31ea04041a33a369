// Package queues is the broker: queues, their consumers, dead letters and FIFO lanes, kept in one write-ahead log.
//
// # The life of a message
//
//	          send                     batch goes out, or pull
//	producer ──────► delayed ──time──► ready ─────────────────► leased ──ack──► gone
//	                    ▲                ▲                        │
//	                    │  retry later   │  retry now             │ failed
//	                    └────────────────┴────────────────────────┤
//	                                                              │ failed for the last time
//	                                 dead letter queue (or gone) ◄┘
//
// In every state a message ends with a purge, with its queue, or when its retention is over.
//
// # Nouns
//
//   - A [Message] is in the log with its body; in memory there is an index entry of about a hundred bytes.
//   - A lease is a set of messages that somebody is working on: a batch in flight to a push consumer, or what a puller
//     took. Leases of pullers are logged and survive a restart. Deliveries to push consumers are not: after a restart
//     their messages are where they were, and the interrupted delivery does not count as an attempt. Delivery is at
//     least once (D-12).
//   - An [Outcome] is what became of a batch; settlement turns it into acks, retries, dead letters.
//   - A [LogEvent] is a change of the state, as it is logged. A group is the events of one turn.
//   - A lane is a FIFO partition of a do-queue queue; see partition.go.
//
// # Core and shell
//
// The core is pure: a decision looks at the [State] and emits events; applying events is the only thing that changes
// the state. Time, ids and randomness are chosen before an event is emitted and are in it. The shell is one goroutine
// with one inbox: a turn takes all waiting commands, decides them one by one, writes their events as one group with
// one sync, and only then answers, starts deliveries and tells observers. Many producers share one sync.
//
// # Time
//
// The broker holds its clock while it has work: virtual time does not pass meanwhile. When a clock is set back, the
// broker goes on from the earlier time, and what waits keeps the time that was left to it; see setback.go.
//
// # Threads
//
// Every method of [Broker] may be called from any goroutine. Callbacks (a [Consumer], the done of a send, observers)
// run on the broker's goroutine and must not block, nor call a method that waits.
package queues
