// Package servers runs real database servers for tests: PostgreSQL and Redis as Debian packages them.
//
// A [Server] is a process of its own at a free address of the loopback interface, with its data in a temporary
// directory. It can be killed and started again at the same address with the same data. If a server is not installed,
// [Missing] and [MissingAll] say so; with WORKQUEUE_SERVERS=required in the environment, as in .ci/run, that is a
// failure.
package servers
