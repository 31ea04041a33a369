package main

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/hibiken/asynq"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

type riverArgs struct {
	Payload []byte `json:"payload"`
}

func (riverArgs) Kind() string { return "figures" }

type riverQueue struct {
	pool     *pgxpool.Pool
	inserter *river.Client[pgx.Tx]
}

func newRiver(ctx context.Context, dsn string) (*riverQueue, error) {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return nil, err
	}
	m, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return nil, err
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return nil, err
	}
	c, err := river.NewClient(riverpgxv5.New(pool), &river.Config{})
	return &riverQueue{pool, c}, err
}

func (r *riverQueue) reset(ctx context.Context) error {
	_, err := r.pool.Exec(ctx, "TRUNCATE river_job")
	return err
}

func (r *riverQueue) enqueue(ctx context.Context, goroutines, n int, payload []byte) (time.Duration, error) {
	return loop(goroutines, n, func() error {
		_, err := r.inserter.Insert(ctx, riverArgs{payload}, nil)
		return err
	})
}

func (r *riverQueue) batch(ctx context.Context, payloads [][]byte) error {
	all := make([]river.InsertManyParams, len(payloads))
	for i, p := range payloads {
		all[i] = river.InsertManyParams{Args: riverArgs{p}}
	}
	_, err := r.inserter.InsertManyFast(ctx, all)
	return err
}

func (r *riverQueue) work(ctx context.Context, workers int, handle func()) (func(), error) {
	w := river.NewWorkers()
	river.AddWorker(w, river.WorkFunc(func(context.Context, *river.Job[riverArgs]) error { handle(); return nil }))
	c, err := river.NewClient(riverpgxv5.New(r.pool), &river.Config{
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}}, Workers: w,
		// As fast as it goes.
		FetchCooldown: time.Millisecond, FetchPollInterval: 100 * time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		return nil, err
	}
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	return func() { _ = c.Stop(ctx) }, nil
}

type asynqQueue struct {
	addr   string
	client *asynq.Client
	flush  func(context.Context) error
}

func newAsynq(addr string, flush func(context.Context) error) *asynqQueue {
	return &asynqQueue{addr, asynq.NewClient(asynq.RedisClientOpt{Addr: addr}), flush}
}

func (a *asynqQueue) reset(ctx context.Context) error { return a.flush(ctx) }

func (a *asynqQueue) enqueue(ctx context.Context, goroutines, n int, payload []byte) (time.Duration, error) {
	return loop(goroutines, n, func() error {
		_, err := a.client.EnqueueContext(ctx, asynq.NewTask("figures", payload))
		return err
	})
}

func (*asynqQueue) batch(context.Context, [][]byte) error { return errNone }

func (a *asynqQueue) work(_ context.Context, workers int, handle func()) (func(), error) {
	s := asynq.NewServer(asynq.RedisClientOpt{Addr: a.addr}, asynq.Config{Concurrency: workers,
		LogLevel: asynq.FatalLevel})
	return s.Shutdown, s.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error { handle(); return nil }))
}
