// Package member is a node's part in a cluster: its lease, its view of the others, and the shards that it owns.
//
// # Nouns
//
//   - A [Member] is this node, from Start to Leave or until it is given up. It beats four times a lease, and looks
//     twice as often.
//   - The lease is the node's, not a shard's. It runs from the sending of the last beat that succeeded, on the node's
//     own monotonic clock. Who has seen the same beat of another node for [Patience] leases may claim it.
//   - A [Shard] is one that this node owns, during one epoch. Whoever wants to change it hands in a batch; one is
//     on its way at a time, and what comes meanwhile goes with the next one.
//   - Confirm is what an answer asks that was made of what a shard holds: it goes out if the lease still holds, waits
//     while that is unknown, and fails if the shard is lost. So a node that was away and does not know it answers
//     nobody, also if it only reads. Writes need no lease: the engine's fence refuses them.
//   - A node that is starting gets no shards while another one is ready. The shards of one that has left, or was ended
//     because it is dead, are free: each node takes those that belong to it, and after a lease also those that nobody
//     has taken.
//   - To hand a shard over is to give it to the node to which rendezvous hashing with a bound assigns it: in order,
//     one at a time, after the last batch.
//
// # Life cycle of a shard
//
// Claimed from a dead node or from nobody, or handed over by its owner: Gained. Then batches. Handing asks the user to
// come to an end, and Lost ends it, in order or not. A shard that was handed over begins with an empty batch: a look
// may have shown what a failover of the database takes back, but nothing that was read after a write has succeeded
// was seen too early.
//
// # What is not here
//
// No wall clocks are compared, only rates (10 %). There is no leader, and nothing that nodes say to each other counts:
// all that they know of each other they have from the engine. Changed lets the user tell the others to look at once.
//
// # Threads
//
// All methods may be called from any goroutine. [Events] are called one at a time, in order, with no lock held, and
// must not block.
package member
