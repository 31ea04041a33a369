// Package node is one process of a cluster as the parts of a session see it: who it is, which shards it has, where the
// others are, and the port at which they reach it.
//
// # Nouns
//
//   - [Self] outlives its incarnations: when the cluster has given one up, e.g. because the machine was asleep, the
//     next one joins with nothing.
//   - A [Part] is what runs on shards: the queues, on the one that is theirs, and the objects, on all others. It hears
//     of a shard that was gained, that is about to be handed over, and that was lost.
//   - A [Place] is where a shard is, as of the last look.
//   - A knock tells another node that there is something to see, so that it need not wait for its next look.
//   - The link port takes what nodes say to each other, over TLS with a certificate that the node makes at its start:
//     the others know it from the database. Whoever calls shows the cluster's token.
//
// # Life cycle
//
// [Start] opens the link port and joins. [Self.Queues], [Self.Objects] and [Self.Handle] say who takes shards and
// requests; a shard that comes before is kept until then. With [Self.Objects] the node is
// ready, and the others hand it its part of the shards. [Self.Leave] gives all shards back, [Self.Close] ends the
// port.
//
// # Threads
//
// All methods may be called from any goroutine. Methods of a Part are called one at a time and must not block.
package node
