// Command figures measures the work queue's backends beside what a Go program would use instead, riverqueue/river on
// PostgreSQL and hibiken/asynq on Redis, and beside what the servers themselves can do (pgbench, redis-benchmark). It
// starts the servers. In every round each measurement is taken of all of them, one right after the other and in
// changing order, each on an empty queue; what is printed are medians. It is a module of its own, so that users of the
// work queue need none of that.
//
//	go run . [-rounds 5] [-jobs 3000] [-markdown] [-only pgx,river] [-take latency]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"eddy/queues/workqueue/inmem"
	"eddy/queues/workqueue/pgx"
	"eddy/queues/workqueue/redis"
	"eddy/queues/workqueue/servers"
	"eddy/queues/workqueue/sqlite"
)

var (
	rounds   = flag.Int("rounds", 5, "how often everything is measured")
	jobs     = flag.Int("jobs", 3000, "how many jobs a measurement takes")
	markdown = flag.Bool("markdown", false, "print a table for docs/workqueue.md")
	only     = flag.String("only", "", "contestants, separated by commas; all if empty")
	take     = flag.String("take", "", "the measurement to take; all if empty")
)

func main() {
	flag.Parse()
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "figures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	pg, err := servers.Postgres("max_connections=200")
	if err != nil {
		return err
	}
	defer pg.Stop()
	rs, err := servers.Redis()
	if err != nil {
		return err
	}
	defer rs.Stop()

	memory := &ours{Service: inmem.New()}
	memory.clear = func(context.Context) error { memory.Service = inmem.New(); return nil }
	file, err := sqlite.New(ctx, dir+"/jobs.db")
	if err != nil {
		return err
	}
	defer file.Close(ctx)
	empty := func(ctx context.Context) error {
		_, err := file.Inspect().Drain(ctx, "app.default.figures")
		return err
	}
	rows, err := pgx.Open(ctx, pg.URL+"&pool_max_conns=20")
	if err != nil {
		return err
	}
	defer rows.Close(ctx)
	keys, err := redis.Open(ctx, rs.URL)
	if err != nil {
		return err
	}
	defer keys.Close(ctx)
	r, err := newRiver(ctx, pg.URL+"&pool_max_conns=20")
	if err != nil {
		return err
	}
	inserts, err := newPgbench(ctx, dir, pg)
	if err != nil {
		return err
	}
	flush := func(ctx context.Context) error { return redisDo(ctx, rs.Addr, "FLUSHALL") }
	truncate := func(ctx context.Context) error {
		_, err := r.pool.Exec(ctx, "TRUNCATE workqueue_jobs")
		return err
	}
	groups := [][]contestant{
		{{"inmem", memory}, {"sqlite", &ours{Service: file, clear: empty}}},
		{{"pgx", &ours{Service: rows, clear: truncate}}, {"river", r}, {"pgbench", inserts}},
		{
			{"redis", &ours{Service: keys, clear: flush}}, {"asynq", newAsynq(rs.Addr, flush)},
			{"redis-benchmark", &redisBenchmark{rs.Addr, flush}},
		},
	}
	t := newTable()
	for round := range *rounds {
		for _, group := range groups {
			group = slices.DeleteFunc(slices.Clone(group), func(c contestant) bool {
				return *only != "" && !slices.Contains(strings.Split(*only, ","), c.name)
			})
			if len(group) == 0 {
				continue
			}
			for _, m := range measurements {
				if *take != "" && m.name != *take {
					continue
				}
				for i := range group {
					c := group[(i+round)%len(group)]
					if err := c.reset(ctx); err != nil {
						return fmt.Errorf("%s: %w", c.name, err)
					}
					if err := m.take(ctx, c.system, func(column string, v float64) { t.add(c.name, column, v) }); err != nil {
						return fmt.Errorf("%s: %s: %w", c.name, m.name, err)
					}
				}
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, *rounds)
	}
	t.print(os.Stdout, *markdown)
	return nil
}
