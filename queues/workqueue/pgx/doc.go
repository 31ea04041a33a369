// Package pgx keeps the jobs of a work queue in PostgreSQL, through jackc/pgx/v5.
//
// # The tables
//
// They are made by [New] in the first schema of the connection's search_path, by the numbered files of the folder
// migrations, each once; an advisory lock orders processes that start together. An account that may not create tables
// can be used once somebody else has.
//
//	workqueue_schema  version   the migrations that were applied
//	workqueue_jobs    a row for each job; the columns carry comments
//
// A ready job (state 0) is claimed in the order of the index workqueue_ready with FOR UPDATE SKIP LOCKED, so that
// workers do not wait for each other. Delayed (1) and claimed (2) jobs are in workqueue_hidden by their time; whoever
// claims next makes those ready whose time has come. The end of a job deletes its row, or moves it to the dead letter
// topic by an update: there is no moment at which it is in both topics or in none. Times are the server's.
//
// # Wake-ups
//
// A service with subscriptions has a connection of its own, beside the pool, that listens on the channel "workqueue".
// Who enqueues notifies it, after the commit and at most every few milliseconds, with the topic as payload. A
// notification that is lost costs a poll interval.
//
// # Threads
//
// Methods run on their callers' goroutines and the pool's connections. A [Service] has one goroutine that notifies,
// and with subscriptions one that listens.
package pgx
