// Package sqlite keeps the jobs of a work queue in an SQLite file, which any number of processes of a machine may
// share.
//
// # The file
//
// It is in WAL mode. A commit is flushed to the disk before Enqueue or an acknowledgement counts, so that a loss of
// power loses nothing either.
//
//	workqueue_schema  version        the version of the tables; a newer one than this package knows is refused
//	workqueue_jobs    seq            order of arrival
//	                  id             a UUID
//	                  topic          full name, "<app>.<namespace>.<topic>"
//	                  priority       -128 to 127, higher first
//	                  state          0 ready, 1 delayed, 2 claimed
//	                  due            when a job became or becomes eligible; of a claimed one: again. Microseconds
//	                                 since 1970
//	                  since          when due was counted from, 0 if it is an absolute time
//	                  attempt        deliveries so far
//	                  enqueued       when the job was enqueued first, microseconds since 1970
//	                  token          of the latest claim, or empty
//	                  origin         the topic in which a dead job failed, or empty
//	                  reason         the error of the latest failure, or empty
//	                  trace          the enqueuer's trace context, or empty
//	                  payload
//
// Ready jobs are found by the index workqueue_ready in the order of their delivery, the others by workqueue_hidden in
// the order of their time.
//
// # Threads
//
// A [Service] has one connection, owned by one goroutine. Calls are handed to it; it takes all that wait and carries
// them out in one transaction, so that they share one flush. If one fails, each gets a transaction of its own.
// Between processes SQLite's lock decides; who does not get it waits.
//
// # Wake-ups
//
// Services of one process that have opened the same file wake each other. Changes by other processes are seen by
// watching the folder for writes to the log; the poll interval is there for file systems that do not tell.
package sqlite
