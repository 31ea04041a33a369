package pgx_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"eddy/queues/workqueue/internal/work"
	"eddy/queues/workqueue/pgx"
	"eddy/queues/workqueue/queuetest"
	"eddy/queues/workqueue/servers"

	queue "eddy/queues/workqueue"
)

var server *servers.Server

func TestMain(m *testing.M) {
	var err error
	if server, err = servers.Postgres("fsync=off", "max_connections=200"); err != nil {
		os.Exit(servers.MissingAll("queues/workqueue/pgx", err))
	}
	code := m.Run()
	server.Stop()
	os.Exit(code)
}

// newPool is a pool on an empty schema.
func newPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	ctx := context.Background()
	cfg, err := pgxpool.ParseConfig(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	cfg.MaxConns = 10
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	for _, sql := range []string{"DROP SCHEMA public CASCADE", "CREATE SCHEMA public"} {
		if _, err := pool.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	return pool
}

func TestConformance(t *testing.T) {
	queuetest.Run(t, func(t *testing.T, clock *queuetest.FakeClock) queuetest.Backend {
		// Each case has a pool, whose end waits for what is in flight: a service that was closed in the middle of an
		// exchange must not claim a job of the next case.
		pool := newPool(t)
		return queuetest.Backend{Durable: true, Open: func(t *testing.T, opts ...queue.QueueOption) queue.Service {
			s, err := pgx.New(t.Context(), pool, append(opts, work.WithClock(clock))...)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}}
	})
}

// Processes that start together on an empty database make its tables once.
func TestMigrateTogether(t *testing.T) {
	newPool(t)
	errs := make(chan error)
	for range 8 {
		go func() {
			s, err := pgx.Open(context.Background(), server.URL)
			if err == nil {
				err = s.Close(context.Background())
			}
			errs <- err
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// Tables of a newer program are refused by name.
func TestNewerTables(t *testing.T) {
	pool := newPool(t)
	s, err := pgx.New(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), "INSERT INTO workqueue_schema VALUES (99)"); err != nil {
		t.Fatal(err)
	}
	want := "queue/pgx: tables of the work queue: the database has version 99 of the work queue's tables, this " +
		"program knows 1: use a newer one"
	if _, err := pgx.New(t.Context(), pool); fmt.Sprint(err) != want {
		t.Errorf("got %v", err)
	}
}

// With the server's clock, a job is delivered and a delay kept by the server.
func TestServerClock(t *testing.T) {
	s, err := pgx.New(t.Context(), newPool(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	got := make(chan *queue.Job)
	if _, err := s.Subscribe(t.Context(), "t", func(_ context.Context,
		j *queue.Job) error {
		got <- j
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Enqueue(t.Context(), "t", []byte("a")); err != nil {
		t.Fatal(err)
	}
	if j := <-got; string(j.Payload) != "a" || j.EnqueuedAt.IsZero() {
		t.Errorf("%+v", j)
	}
}
