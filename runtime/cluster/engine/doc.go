// Package engine is the seam between a cluster of eddy nodes and what keeps its data: an ordered key-value store that
// is cut into shards, each with one writer at a time and atomic, numbered batches.
//
// # Nouns
//
//   - A node is one process of the cluster. Its [NodeID] is its name and an incarnation, which is random for each
//     start. A node that is alive beats; an incarnation that was ended never beats again.
//   - A shard is the unit of ownership: one owner, one epoch, one chain of batches. The epoch rises each time the owner
//     changes; the head is the number of the last batch.
//   - A [Grant] is (shard, epoch, owner): the right to commit. A commit with the grant of an older epoch is refused
//     with [ErrFenced], for ever: that is the fence.
//   - A [Batch] is puts and deletions of ranges, all or nothing. Its number is its place in the shard's chain.
//   - An outcome is unknown if Commit gave any other error than ErrFenced. It is settled by committing the same batch
//     under the same number again, never by looking: what a read shows may not have reached the standby yet, and is
//     gone after a failover.
//   - A sealed value is what lies in the store: the value with its number, its predecessor's number, and a sum over all
//     of it (seal.go). The store is not trusted to be loud about damage.
//
// # Implementations
//
// [Memory] for tests and simulations, runtime/cluster/postgres for use. enginetest is the suite that each of them
// passes.
//
// # Why not a part of member
//
// An engine knows nothing of leases, clocks and who should own what; member knows nothing of SQL. Tests of either run
// without the other.
package engine
