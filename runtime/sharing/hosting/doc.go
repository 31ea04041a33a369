// Package hosting serves a cluster's queues from this node while it owns their shard.
//
// # Nouns
//
//   - [Hosting] is a node's part in it, whether it has the queues or not. It implements [node.Part].
//   - An ownership begins when the shard was gained: the log's files are read from it, the broker replays them, and a
//     [peer.Hub] serves the broker to all nodes. It ends when the shard is handed over, in order, or lost: then links
//     are cut, and what the broker still says does not count, because its log cannot write any more.
//
// # Threads
//
// All methods may be called from any goroutine. An ownership begins when the one before it has ended.
package hosting
