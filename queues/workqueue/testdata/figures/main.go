// Command figures measures the work queue's backends beside what a Go program would use instead: riverqueue/river on
// PostgreSQL and hibiken/asynq on Redis, on servers that it starts itself, one after the other. It is a module of its
// own, so that users of the work queue need none of that.
//
//	go run . [-jobs 5000]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"eddy/queues/workqueue/inmem"
	"eddy/queues/workqueue/internal/servers"
	"eddy/queues/workqueue/pgx"
	"eddy/queues/workqueue/redis"
	"eddy/queues/workqueue/sqlite"

	queue "eddy/queues/workqueue"
)

var jobs = flag.Int("jobs", 5000, "how many jobs a measurement takes")

// contestant is a queue under measurement. Every start begins with workers on what is enqueued.
type contestant interface {
	enqueue(ctx context.Context, payload []byte) error
	batch(ctx context.Context, payloads [][]byte) error // nil, errNone if there is none
	// work starts workers and returns what stops them.
	work(ctx context.Context, workers int, handle func()) (stop func(), err error)
}

func main() {
	flag.Parse()
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	fmt.Printf("%-16s %14s %14s %14s %14s %12s %12s\n", "", "enqueue/s", "batched/s", "1 worker/s", "16 workers/s",
		"latency p50", "p99")
	if err := measure(ctx, "inmem", &ours{Service: inmem.New()}); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "figures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file, err := sqlite.New(ctx, dir+"/jobs.db")
	if err != nil {
		return err
	}
	if err := measure(ctx, "sqlite", &ours{Service: file}); err != nil {
		return err
	}
	pg, err := servers.Postgres("max_connections=200")
	if err != nil {
		return err
	}
	defer pg.Stop()
	db, err := pgx.Open(ctx, pg.URL+"&pool_max_conns=20")
	if err != nil {
		return err
	}
	if err := measure(ctx, "pgx", &ours{Service: db}); err != nil {
		return err
	}
	if err := db.Close(ctx); err != nil {
		return err
	}
	r, err := newRiver(ctx, pg.URL+"&pool_max_conns=20")
	if err != nil {
		return err
	}
	if err := measure(ctx, "river", r); err != nil {
		return err
	}
	if err := pgbench(pg); err != nil {
		return err
	}
	rs, err := servers.Redis()
	if err != nil {
		return err
	}
	defer rs.Stop()
	kv, err := redis.Open(ctx, rs.URL)
	if err != nil {
		return err
	}
	if err := measure(ctx, "redis", &ours{Service: kv}); err != nil {
		return err
	}
	if err := kv.Close(ctx); err != nil {
		return err
	}
	if err := measure(ctx, "asynq", newAsynq(rs.Addr)); err != nil {
		return err
	}
	return redisBenchmark(rs)
}

func measure(ctx context.Context, name string, c contestant) error {
	n, payload := *jobs, make([]byte, 100)
	rate := func(n int, d time.Duration) string { return fmt.Sprintf("%.0f", float64(n)/d.Seconds()) }

	// One by one, on one goroutine; then one worker works them off.
	few := n / 5
	began := time.Now()
	for range few {
		if err := c.enqueue(ctx, payload); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	one := rate(few, time.Since(began))
	single, err := drain(ctx, c, 1, few)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	batched := "-"
	began = time.Now()
	batch := slices.Repeat([][]byte{payload}, 1000)
	err = nil
	for at := 0; at < n && err == nil; at += len(batch) {
		err = c.batch(ctx, batch[:min(len(batch), n-at)])
	}
	if err == nil {
		batched = rate(n, time.Since(began))
	} else if err == errNone {
		for range n {
			if err := c.enqueue(ctx, payload); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	} else {
		return fmt.Errorf("%s: %w", name, err)
	}
	many, err := drain(ctx, c, 16, n)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	// From enqueue to handler, with idle workers.
	handled := make(chan time.Time, 1)
	stop, err := c.work(ctx, 4, func() { handled <- time.Now() })
	if err != nil {
		return err
	}
	var all []time.Duration
	for start := time.Now(); len(all) < 200 && time.Since(start) < 10*time.Second; {
		began := time.Now()
		if err := c.enqueue(ctx, payload); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, (<-handled).Sub(began))
	}
	stop()
	slices.Sort(all)
	fmt.Printf("%-16s %14s %14s %14s %14s %12s %12s\n", name, one, batched, rate(few, single), rate(n, many),
		all[len(all)/2].Round(10*time.Microsecond), all[len(all)*99/100].Round(10*time.Microsecond))
	return nil
}

// drain measures how long workers take for the n jobs that wait.
func drain(ctx context.Context, c contestant, workers, n int) (time.Duration, error) {
	var done atomic.Int64
	all := make(chan struct{})
	began := time.Now()
	stop, err := c.work(ctx, workers, func() {
		if done.Add(1) == int64(n) {
			close(all)
		}
	})
	if err != nil {
		return 0, err
	}
	<-all
	took := time.Since(began)
	stop()
	return took, nil
}

// ours is the work queue.
type ours struct {
	queue.Service
}

func (o *ours) enqueue(ctx context.Context, payload []byte) error {
	return o.Enqueue(ctx, "figures", payload)
}

func (o *ours) batch(ctx context.Context, payloads [][]byte) error {
	return o.Service.(interface {
		EnqueueBatch(context.Context, string, [][]byte, ...queue.EnqueueOption) error
	}).EnqueueBatch(ctx, "figures", payloads)
}

func (o *ours) work(ctx context.Context, workers int, handle func()) (func(), error) {
	c, err := o.Subscribe(ctx, "figures", func(context.Context, *queue.Job) error { handle(); return nil },
		queue.WithConcurrency(workers))
	if err != nil {
		return nil, err
	}
	return func() { _ = c.Close() }, nil
}
