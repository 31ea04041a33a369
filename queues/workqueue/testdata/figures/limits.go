package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	goredis "github.com/redis/go-redis/v9"

	"eddy/queues/workqueue/servers"
)

// neither is a system that only enqueues.
type neither struct{}

func (neither) batch(context.Context, [][]byte) error { return errNone }

func (neither) work(context.Context, int, func()) (func(), error) { return nil, errNone }

// pgbench is how fast the server commits inserts of one row with the payload and one index. It is an upper bound: it
// has no client in Go, and no queue to keep.
type pgbench struct {
	neither
	conn   []string
	script string
}

func newPgbench(ctx context.Context, dir string, s *servers.Server) (*pgbench, error) {
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "CREATE TABLE figures (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload "+
		"bytea)"); err != nil {
		return nil, err
	}
	script := filepath.Join(dir, "insert.sql")
	text := fmt.Sprintf("INSERT INTO figures (payload) VALUES ('\\x%x');\n", payload)
	return &pgbench{conn: []string{"-h", host, "-p", port, "-U", "postgres", "-n", "-M", "prepared", "-f", script},
		script: script}, os.WriteFile(script, []byte(text), 0o600)
}

func (p *pgbench) reset(context.Context) error { return nil }

func (p *pgbench) enqueue(ctx context.Context, clients, n int, _ []byte) (time.Duration, error) {
	args := append(p.conn, "-c", strconv.Itoa(clients), "-t", strconv.Itoa(n), "postgres")
	out, err := exec.CommandContext(ctx, "pgbench", args...).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("pgbench: %w: %s", err, out)
	}
	_, rest, _ := strings.Cut(string(out), "tps = ")
	tps, err := strconv.ParseFloat(strings.Fields(rest + " -")[0], 64)
	if err != nil {
		return 0, fmt.Errorf("pgbench: expected a line with tps: %s", out)
	}
	return time.Duration(float64(clients*n) / tps * float64(time.Second)), nil
}

// redisBenchmark is how fast the server carries out a push of the payload.
type redisBenchmark struct {
	addr  string
	flush func(context.Context) error
}

func (r *redisBenchmark) reset(ctx context.Context) error { return r.flush(ctx) }

func (*redisBenchmark) batch(context.Context, [][]byte) error { return errNone }

func (*redisBenchmark) work(context.Context, int, func()) (func(), error) { return nil, errNone }

func (r *redisBenchmark) enqueue(ctx context.Context, clients, n int, payload []byte) (time.Duration, error) {
	_, port, err := net.SplitHostPort(r.addr)
	if err != nil {
		return 0, err
	}
	out, err := exec.CommandContext(ctx, "redis-benchmark", "-p", port, "-t", "lpush",
		"-n", strconv.Itoa(max(n*clients, 20_000)), "-c", strconv.Itoa(clients), "-d", strconv.Itoa(len(payload)),
		"--csv").CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("redis-benchmark: %w: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	cells := strings.Split(lines[len(lines)-1], `","`)
	if len(cells) < 2 {
		return 0, fmt.Errorf("redis-benchmark: expected a line of values: %s", out)
	}
	rps, err := strconv.ParseFloat(strings.Trim(cells[1], `"`), 64)
	if err != nil {
		return 0, fmt.Errorf("redis-benchmark: expected a rate: %s", out)
	}
	return time.Duration(float64(clients) * float64(n/clients) / rps * float64(time.Second)), nil
}

// redisDo carries out one command.
func redisDo(ctx context.Context, addr string, args ...any) error {
	c := goredis.NewClient(&goredis.Options{Addr: addr})
	defer c.Close()
	return c.Do(ctx, args...).Err()
}
