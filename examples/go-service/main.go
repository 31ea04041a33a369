// Command go-service is a Go service with two topics and a subscriber for dead letters. Its first argument says where
// the jobs are kept: in an SQLite file (a path), in PostgreSQL (postgres://…) or in Redis (redis://…). Without an
// argument they are kept in memory.
//
//	go run ./examples/go-service jobs.db
//
// It places two orders: one whose confirmation is a job of another topic, and one that can never succeed. It ends when
// both are settled.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"eddy/queues/workqueue/inmem"
	"eddy/queues/workqueue/pgx"
	"eddy/queues/workqueue/redis"
	"eddy/queues/workqueue/sqlite"

	queue "eddy/queues/workqueue"
)

func main() {
	dsn := ""
	if len(os.Args) > 1 {
		dsn = os.Args[1]
	}
	if err := run(context.Background(), dsn, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// open makes a service on the backend that dsn means.
func open(ctx context.Context, dsn string) (queue.Service, error) {
	shop := []queue.QueueOption{queue.WithApp("shop")}
	switch {
	case dsn == "":
		return inmem.New(shop...), nil
	case strings.HasPrefix(dsn, "postgres://"):
		return pgx.Open(ctx, dsn, shop...)
	case strings.HasPrefix(dsn, "redis://"):
		return redis.Open(ctx, dsn, shop...)
	default:
		return sqlite.New(ctx, dsn, shop...)
	}
}

type order struct {
	ID    string `json:"id"`
	Items int    `json:"items"`
}

func run(ctx context.Context, dsn string, out io.Writer) (err error) {
	s, err := open(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(ctx)) }()

	// Handlers report here; each must be idempotent, for a job may come more than once.
	lines := make(chan string, 10)

	orders := func(ctx context.Context, job *queue.Job) error {
		var o order
		if err := json.Unmarshal(job.Payload, &o); err != nil {
			return queue.SkipRetry(err) // it will not get better
		}
		if o.Items <= 0 {
			return queue.SkipRetry(fmt.Errorf("order %s: nothing to ship", o.ID))
		}
		// The confirmation is urgent, and somebody else's work.
		return s.Enqueue(ctx, "mail", []byte("order "+o.ID+" is on its way"), queue.WithPriority(queue.PriorityHigh))
	}
	mail := func(_ context.Context, job *queue.Job) error {
		lines <- "mail: " + string(job.Payload)
		return nil
	}
	dead := func(_ context.Context, job *queue.Job) error {
		lines <- "dead: " + string(job.Payload)
		return nil
	}
	for topic, h := range map[string]queue.Handler{"orders": orders, "mail": mail, "orders.dead": dead} {
		if _, err := s.Subscribe(ctx, topic, h, queue.WithConcurrency(4)); err != nil {
			return err
		}
	}
	for _, o := range []order{{"17", 2}, {"18", 0}} {
		payload, err := json.Marshal(o)
		if err != nil {
			return err
		}
		if err := s.Enqueue(ctx, "orders", payload); err != nil {
			return err
		}
	}
	for range 2 {
		if _, err := fmt.Fprintln(out, <-lines); err != nil {
			return err
		}
	}
	return nil
}
