package main

import (
	"context"

	"eddy/queues/workqueue/operate"
	"eddy/runtime/explorer"
)

// work opens the Go work queue that --work-dsn or EDDY_WORK_DSN names, for the explorer; nil without either.
func (f *devFlags) work(env OS) func(context.Context) (explorer.WorkQueue, error) {
	dsn := f.workDSN
	if dsn == "" {
		dsn = getenv(env, "EDDY_WORK_DSN")
	}
	if dsn == "" {
		return nil
	}
	return func(ctx context.Context) (explorer.WorkQueue, error) {
		q, err := operate.Open(ctx, dsn)
		if err != nil {
			return nil, err
		}
		return exploredWork{q}, nil
	}
}

// exploredWork is a work queue as the explorer shows it.
type exploredWork struct{ q *operate.Queue }

// Topics implements [explorer.WorkQueue].
func (w exploredWork) Topics(ctx context.Context) ([]explorer.TopicRow, error) {
	all, err := w.q.Topics(ctx)
	list := []explorer.TopicRow{}
	for _, t := range all {
		list = append(list, explorer.TopicRow(t))
	}
	return list, err
}

// Jobs implements [explorer.WorkQueue].
func (w exploredWork) Jobs(ctx context.Context, topic string, limit int) ([]explorer.JobRow, error) {
	all, err := w.q.Jobs(ctx, topic, limit)
	return exploredJobs(all), err
}

// Dead implements [explorer.WorkQueue].
func (w exploredWork) Dead(ctx context.Context, topic string, limit int) ([]explorer.JobRow, error) {
	all, err := w.q.Dead(ctx, topic, limit)
	return exploredJobs(all), err
}

func exploredJobs(all []operate.JobInfo) []explorer.JobRow {
	list := []explorer.JobRow{}
	for _, v := range viewJobs(all) {
		list = append(list, explorer.JobRow(v))
	}
	return list
}

// Requeue implements [explorer.WorkQueue].
func (w exploredWork) Requeue(ctx context.Context, topic string, ids []string) (int, error) {
	return w.q.Requeue(ctx, topic, ids)
}

// Drain implements [explorer.WorkQueue].
func (w exploredWork) Drain(ctx context.Context, topic string) (int, error) {
	return w.q.Drain(ctx, topic)
}

// Close implements [explorer.WorkQueue].
func (w exploredWork) Close(ctx context.Context) error { return w.q.Close(ctx) }
