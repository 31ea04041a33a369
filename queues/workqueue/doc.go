// Package queue is a work queue for Go services: competing consumers, at-least-once delivery, topics, priorities,
// delays, retries with back-off, and dead letter topics. Each enqueued job is processed by exactly one worker at a
// time. Handlers must be idempotent.
//
// This package has the API only. Jobs are kept by a backend. Each backend is a package of its own, so that a program
// links only the one it uses:
//
//   - inmem keeps jobs in the process;
//   - sqlite in a file that several processes may share;
//   - pgx in PostgreSQL;
//   - redis in Redis, also a cluster;
//   - eddylog in the queues of an eddy session, so that a Go service and a Worker share them.
//
// # Idempotency
//
// A job may be delivered more than once: when its handler runs longer than the visibility timeout, when the handler
// succeeds but its acknowledgement is lost, and when a worker dies in the middle of a handler. "The job ran" does not
// mean that exactly one effect was produced.
//
// # Shutdown
//
// [Consumer.Close] stops claiming jobs and waits up to [WithShutdownTimeout] for handlers in flight. Go cannot
// interrupt a goroutine: a handler that takes longer goes on as an orphan. If it ends while the process and the backend
// live, its result still counts; otherwise the job is delivered again after its visibility timeout.
//
// # Topics without subscribers
//
// Jobs of a topic that nobody subscribes to are kept for ever. Watch the depth of your queues: `eddy work topics` shows
// it.
//
// # Threads
//
// Everything here may be used from several goroutines. A subscription has one goroutine that talks to the backend and
// one for each handler in flight.
package queue
