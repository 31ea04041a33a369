package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"eddy/queues/workqueue/sqlite"
	"eddy/queues/workqueue/telemetry"

	queue "eddy/queues/workqueue"
)

// The explorer sees the work queue that --work-dsn or EDDY_WORK_DSN names, and puts its dead jobs back.
func TestExploredWork(t *testing.T) {
	path, ctx := filepath.Join(t.TempDir(), "jobs.db"), t.Context()
	s, err := sqlite.New(ctx, path, telemetry.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	for _, payload := range []string{"one", "\xff"} {
		if err := s.Enqueue(ctx, "orders", []byte(payload)); err != nil {
			t.Fatal(err)
		}
	}
	failed := make(chan struct{})
	c, err := s.Subscribe(ctx, "orders", func(context.Context, *queue.Job) error {
		failed <- struct{}{}
		return queue.SkipRetry(errors.New("card refused"))
	})
	if err != nil {
		t.Fatal(err)
	}
	<-failed
	<-failed
	if err := errors.Join(c.Close(), s.Enqueue(ctx, "orders", []byte("three")), s.Close(ctx)); err != nil {
		t.Fatal(err)
	}
	if (&devFlags{}).work(OS{}) != nil {
		t.Error("there is a work queue though nobody names one")
	}
	open := (&devFlags{}).work(OS{Environ: []string{"EDDY_WORK_DSN=" + path}})
	w, err := open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close(ctx)
	topics, err := w.Topics(ctx)
	if err != nil || len(topics) != 2 || topics[0].Ready != 1 {
		t.Fatalf("topics: %+v, %v", topics, err)
	}
	topic := topics[0].Topic
	jobs, err := w.Jobs(ctx, topic, 10)
	if err != nil || len(jobs) != 1 || jobs[0].Payload != "three" || jobs[0].State != "ready" {
		t.Errorf("jobs: %+v, %v", jobs, err)
	}
	dead, err := w.Dead(ctx, "", 10)
	if err != nil || len(dead) != 2 || dead[0].Origin != topic || dead[0].Error != "queue: skip retry: card refused" {
		t.Fatalf("dead: %+v, %v", dead, err)
	}
	if n, err := w.Requeue(ctx, topic, []string{dead[0].ID}); err != nil || n != 1 {
		t.Errorf("put back %d, %v", n, err)
	}
	if n, err := w.Drain(ctx, topic); err != nil || n != 2 {
		t.Errorf("drained %d, %v", n, err)
	}
	if _, err := (&devFlags{workDSN: path + ".none"}).work(OS{})(ctx); err == nil {
		t.Error("a file that is not there is opened")
	}
}
