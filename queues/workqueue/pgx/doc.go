// Package pgx keeps the jobs of a work queue in PostgreSQL, through jackc/pgx/v5.
//
// # The tables
//
// [New] makes them in the first schema of the connection's search_path. It runs the numbered files of the folder
// migrations, each once; an advisory lock orders processes that start together. An account that may not create tables
// can be used once another account has created them.
//
//	workqueue_schema  version   the migrations that were applied
//	workqueue_jobs    a row for each job; the columns carry comments
//
// A ready job (state 0) is claimed in the order of the index workqueue_ready with FOR UPDATE SKIP LOCKED, so that
// workers do not wait for each other. Delayed (1) and claimed (2) jobs are in workqueue_hidden by their time; the next
// claim first makes those ready whose time has come. The end of a job deletes its row, or moves it to the dead letter
// topic by an update: there is no moment at which it is in both topics or in none. Times are the server's.
//
// Who enqueues waits for the disk, and so do results of handlers; the next handler does not wait for the result of the
// last one. A claim does not wait: what the server's crash undoes is claimed again.
//
// # Wake-ups
//
// A service with subscriptions has a connection of its own, beside the pool, that listens on the channel "workqueue". A
// service that enqueues notifies the channel after the commit, at most every few milliseconds, with the topic as
// payload. If a notification is lost, the job waits for a poll.
//
// # Threads
//
// Methods run on their callers' goroutines and the pool's connections. A [Service] has one goroutine that notifies, and
// with subscriptions one that listens.
package pgx
