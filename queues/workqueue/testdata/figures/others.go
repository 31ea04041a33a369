package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os/exec"
	"strings"
	"time"

	"github.com/hibiken/asynq"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"eddy/queues/workqueue/internal/servers"
)

var errNone = errors.New("there is no such call")

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

func (r *riverQueue) enqueue(ctx context.Context, payload []byte) error {
	_, err := r.inserter.Insert(ctx, riverArgs{payload}, nil)
	return err
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
}

func newAsynq(addr string) *asynqQueue {
	return &asynqQueue{addr, asynq.NewClient(asynq.RedisClientOpt{Addr: addr})}
}

func (a *asynqQueue) enqueue(ctx context.Context, payload []byte) error {
	_, err := a.client.EnqueueContext(ctx, asynq.NewTask("figures", payload))
	return err
}

func (*asynqQueue) batch(context.Context, [][]byte) error { return errNone }

func (a *asynqQueue) work(_ context.Context, workers int, handle func()) (func(), error) {
	s := asynq.NewServer(asynq.RedisClientOpt{Addr: a.addr}, asynq.Config{Concurrency: workers,
		LogLevel: asynq.FatalLevel})
	return s.Shutdown, s.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error { handle(); return nil }))
}

// pgbench says how many of the smallest durable transactions the server commits.
func pgbench(s *servers.Server) error {
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return err
	}
	base := []string{"-h", host, "-p", port, "-U", "postgres"}
	if out, err := exec.Command("pgbench", append(base, "-i", "-q", "postgres")...).CombinedOutput(); err != nil {
		return fmt.Errorf("pgbench: %w: %s", err, out)
	}
	for _, clients := range []string{"1", "16"} {
		out, err := exec.Command("pgbench", append(base, "-N", "-T", "3", "-c", clients,
			"postgres")...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("pgbench: %w: %s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "tps") {
				fmt.Printf("  pgbench -N, %s clients: %s", clients, line)
			}
		}
	}
	return nil
}

// redisBenchmark says how many of the smallest commands the server carries out.
func redisBenchmark(s *servers.Server) error {
	_, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return err
	}
	for _, clients := range []string{"1", "16"} {
		out, err := exec.Command("redis-benchmark", "-p", port, "-t", "lpush", "-n", "20000", "-c", clients,
			"-q").CombinedOutput()
		if err != nil {
			return fmt.Errorf("redis-benchmark: %w: %s", err, out)
		}
		lines := strings.FieldsFunc(string(out), func(r rune) bool { return r == '\r' || r == '\n' })
		fmt.Printf("  redis-benchmark, %s clients: %s\n", clients, lines[len(lines)-1])
	}
	return nil
}
