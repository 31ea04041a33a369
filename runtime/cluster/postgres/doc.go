// Package postgres is the engine of a cluster that keeps its data in PostgreSQL.
//
// # Tables
//
//   - eddy_cluster is one row: what the cluster was made with, and its token.
//   - eddy_node has a row for each incarnation of a node; those that were ended stay, so that they are known.
//   - eddy_shard has a row for each shard: owner, epoch, head. It is what every batch updates, and so the fence: a
//     batch whose grant is over changes no row, and inserts nothing.
//   - eddy_note has notes: small values that belong to no shard.
//   - eddy_kv has the values, sealed (package engine).
//
// They lie in the first schema of the connection's search_path, so that one database may have several clusters.
//
// # Rules of the statements
//
// A batch that only puts is one statement, so that a client which dies between two holds no lock; one that deletes is
// several in one message, whose later ones have the first one's condition again. A claim waits for batches that are
// running, and those that come after it find another epoch.
//
// While batches are under way those of other shards gather, and go as one message and one transaction: one flush of
// the log, and one answer of the standby, for all of them. Their shards are locked in order of number. If the server
// refuses one of them it has undone all, and each goes alone.
//
// Sessions demand synchronous_commit, plan once (plan_cache_mode) and never scan a table from end to end
// (enable_seqscan): a plan that was made while statistics are young may be wrong by three orders of magnitude, and
// a scan of the index is loud about a damaged table where one of the table is not.
//
// # What is unknown
//
// A commit whose wait for the standby was cancelled is answered with success and a warning; here every warning makes
// the outcome unknown. So does a connection that breaks, and a timeout. Beats and looks have connections of their own:
// slow batches do not make a node silent.
//
// # Threads
//
// An [Engine] may be used from any goroutine.
package postgres
