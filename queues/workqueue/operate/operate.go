// Package operate has what operators do to a work queue, whichever backend keeps it. `eddy work` is built on it.
//
// [Open] finds the backend by the form of the DSN. A [Queue] reads and changes jobs directly. No worker needs to run,
// and running workers are not disturbed: a job that one of them has is left alone. Methods may be called from several
// goroutines.
package operate

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"

	"eddy/queues/workqueue/internal/work"
	"eddy/queues/workqueue/pgx"
	"eddy/queues/workqueue/redis"
	"eddy/queues/workqueue/sqlite"

	queue "eddy/queues/workqueue"
)

// TopicInfo is a topic that has jobs.
type TopicInfo = work.TopicInfo

// JobInfo is a job, with where it is and what went wrong.
type JobInfo = work.JobInfo

// State says where a job is.
type State = work.State

// The states of a job.
const (
	Ready    = work.Ready
	Delayed  = work.Delayed
	InFlight = work.InFlight
)

// Queue is an open work queue. Its methods are those of work.Inspector.
type Queue struct {
	work.Inspector
	service queue.Service
}

// Open opens the work queue at a DSN: postgres://… or postgresql://…, redis://…, rediss://… or unix://…, or else the
// path of an SQLite file, which must exist.
func Open(ctx context.Context, dsn string) (*Queue, error) {
	scheme, _, isURL := strings.Cut(dsn, "://")
	switch {
	case isURL && (scheme == "postgres" || scheme == "postgresql"):
		s, err := pgx.Open(ctx, dsn)
		if err != nil {
			return nil, err
		}
		return &Queue{s.Inspect(), s}, nil
	case isURL && (scheme == "redis" || scheme == "rediss" || scheme == "unix"):
		s, err := redis.Open(ctx, dsn)
		if err != nil {
			return nil, err
		}
		return &Queue{s.Inspect(), s}, nil
	case isURL && scheme != "file":
		return nil, fmt.Errorf("%s: expected postgres://…, redis://… or the path of an SQLite file", redacted(dsn))
	}
	path := strings.TrimPrefix(dsn, "file://")
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("SQLite file: %w", err)
	}
	s, err := sqlite.New(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Queue{s.Inspect(), s}, nil
}

// redacted is a DSN without its password.
func redacted(dsn string) string {
	if u, err := url.Parse(dsn); err == nil {
		return u.Redacted()
	}
	return "the DSN"
}

// Close closes the connection.
func (q *Queue) Close(ctx context.Context) error { return q.service.Close(ctx) }

// Topic finds a topic by its full name, or by an ending of it after a dot that no other topic shares.
func (q *Queue) Topic(ctx context.Context, name string) (string, error) {
	all, err := q.Topics(ctx)
	if err != nil {
		return "", err
	}
	dead, err := q.Dead(ctx, "", -1)
	if err != nil {
		return "", err
	}
	known := map[string]bool{}
	var fit []string
	add := func(topic string) {
		if known[topic] {
			return
		}
		known[topic] = true
		if strings.HasSuffix(topic, "."+name) {
			fit = append(fit, topic)
		}
	}
	for _, t := range all {
		add(t.Topic)
	}
	for _, j := range dead {
		add(j.Origin)
	}
	switch {
	case known[name]:
		return name, nil
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return "", fmt.Errorf("topic %q: which one? %s", name, strings.Join(fit, ", "))
	case len(known) == 0:
		return "", fmt.Errorf("topic %q: there are no jobs in any topic", name)
	}
	var names []string
	for _, t := range all {
		names = append(names, t.Topic)
	}
	return "", fmt.Errorf("topic %q has no jobs\n  topics that have: %s", name, strings.Join(names, ", "))
}
