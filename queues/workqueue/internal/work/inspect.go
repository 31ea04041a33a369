package work

import (
	"context"
	"time"

	queue "eddy/queues/workqueue"
)

// TopicInfo is a topic as an operator sees it.
type TopicInfo struct {
	Topic string
	// Ready jobs wait for a worker, Delayed ones for their time (after a failure too), Claimed ones are with a worker.
	Ready, Delayed, Claimed int64
	// Oldest is when the oldest job was enqueued.
	Oldest time.Time
}

// State says where a job is. The numbers are in databases.
type State int

// The states of a job.
const (
	Ready    State = 0
	Delayed  State = 1
	InFlight State = 2
)

// JobInfo is a job as an operator sees it.
type JobInfo struct {
	queue.Job
	State    State
	Priority queue.Priority
	// Due is when a delayed job becomes eligible, or a claimed one again.
	Due time.Time
	// Origin is the topic in which a dead job failed; empty for other jobs. Reason is the error of the latest failure.
	Origin, Reason string
}

// Inspector is what operators can do to a store. A negative limit means no limit.
type Inspector interface {
	// Topics lists the topics that have jobs, by name.
	Topics(ctx context.Context) ([]TopicInfo, error)
	// Jobs lists jobs of a topic in the order in which they will be delivered: eligible ones, then the others by time.
	Jobs(ctx context.Context, topic string, limit int) ([]JobInfo, error)
	// Dead lists jobs that came into a dead letter topic from origin, or from anywhere if that is empty.
	Dead(ctx context.Context, origin string, limit int) ([]JobInfo, error)
	// Requeue moves dead jobs back to where they failed, eligible at once: those with the ids, or all from origin if
	// there are none. Jobs that a worker has are left. It returns how many were moved.
	Requeue(ctx context.Context, origin string, ids []string) (int, error)
	// Drain removes all jobs of a topic that no worker has, and returns how many.
	Drain(ctx context.Context, topic string) (int, error)
}
