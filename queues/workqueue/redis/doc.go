// Package redis keeps the jobs of a work queue in Redis 6.2 or newer, through redis/go-redis/v9; also in a cluster.
//
// # The keys
//
// All keys of a topic carry its full name as hash tag, so that they are in one slot of a cluster and a script may use
// them together. With <p> for "workqueue:{<app>.<namespace>.<topic>}:" they are
//
//	<p>job:<id>   hash    payload, priority, attempt, enqueued, seq (order of arrival), due, since, token, trace,
//	                      reason, origin. Times are microseconds since 1970; token is that of the latest claim;
//	                      origin is the topic in which a dead job failed. The last three are there if they say
//	                      something
//	<p>fresh      list    jobs of normal priority that were enqueued for now and that no worker has had: id, time,
//	                      trace context or "-", and payload, each after a space. They get their hash when they are
//	                      claimed
//	<p>ready      zset    other jobs that wait for a worker, in the order of their delivery: the score is the negative
//	                      priority, the member is due, seq, ":" and the id
//	<p>delayed    zset    jobs that wait for their time, which is the score
//	<p>claimed    zset    jobs that a worker has; the score is when they become eligible again
//	<p>signal     zset    at most one element: a subscription that waits for jobs blocks on it
//	<p>seq        string  the latest order of arrival
//	<p>clock      string  about the latest time that the server showed, to find out that its clock was set back
//
// and beside them
//
//	workqueue:topics   set   topics that were ever enqueued to
//	workqueue:dead     set   topics that dead jobs were ever routed to
//
// # Atomicity
//
// Each step is one Lua script on one topic; fresh jobs are enqueued by one command. A dead job changes topics, which in
// a cluster may be two servers: it is put into its dead letter topic first and then removed. A crash in between leaves
// it in both, under one id, and it is routed again, which changes nothing. How much a crash of the server itself may
// lose is said by its own configuration: with appendonly and appendfsync always nothing, with everysec the last two
// seconds.
//
// # Time
//
// Times are the server's. A fresh job is stamped by who enqueues it, with the server's time as it is known: it is asked
// for when the service is made and then once a second at most, and counted on by the monotonic clock.
//
// # Wake-ups
//
// A subscription blocks with BZPOPMIN on a connection of the client's pool: a pool must be larger than the number of
// subscriptions. Who takes more than it can work on passes the word on.
//
// # Threads
//
// Methods run on their callers' goroutines; each subscription has one that blocks.
package redis
