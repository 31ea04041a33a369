// Package peer lets several sessions share one state directory: the first owns the queues' log, the others join it.
//
// # Nouns
//
//   - The owner is the session that has the log open. There is one writer, ever: the log's lock sees to that.
//   - A guest is a session that found the log locked, looked the owner up, and uses its queues over a link.
//   - A link is one connection from a guest to its owner: a WebSocket on the owner's port, opened with the token that
//     the owner wrote to a file of the state directory. Whoever has the token can read that directory.
//   - A packet is one message on a link, JSON text of at most maxPacket bytes (packet.go).
//   - [Queues] is what the rest of a session sees: the broker's own methods, whichever side the session is on.
//
// # What goes over a link
//
// A guest's requests are numbered and answered: sends, metrics, declarations, attachments. They are handled in the
// order in which they were made. The owner sends deliveries, which the guest answers with outcomes. To the broker a
// guest's consumer is a [queues.Consumer] like any other (remote.go); when its link ends it is detached, and what it
// had in flight is abandoned: the messages are where they were, and wait until a consumer is attached again.
//
// # When the owner ends
//
// Every guest tries to open the log. One succeeds and is the owner from then on; the others join it (guest.go). An
// owner that ends in order says bye with the number of the last request it handled: everything after it is asked again.
// Of a send that an owner did not answer because it crashed, nobody knows whether it is in the log: it fails, and its
// error says so. Sends that are made while there is no owner wait. What was acknowledged is in the log, which the next
// owner replays.
//
// # Threads
//
// [Queues] may be used from any goroutine. A guest has one goroutine that reads the link and, when it ends, looks for
// the next owner; an owner has one for each guest. A pipe has one that writes. Callbacks of requests run on the
// goroutine that reads, or on the broker's, and must not block.
package peer
