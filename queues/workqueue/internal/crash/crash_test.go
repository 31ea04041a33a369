// Package crash kills what a work queue runs on, and looks whether a job was lost.
package crash

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"eddy/queues/workqueue/internal/work"
	"eddy/queues/workqueue/pgx"
	"eddy/queues/workqueue/redis"
	"eddy/queues/workqueue/servers"
	"eddy/queues/workqueue/sqlite"

	queue "eddy/queues/workqueue"
)

var rounds = flag.Int("crash.rounds", 2, "how often workers, servers and connections are killed")

// workerDSN makes this test binary a worker on the DSN.
const workerDSN = "WORKQUEUE_CRASH_WORKER"

func TestMain(m *testing.M) {
	if dsn := os.Getenv(workerDSN); dsn != "" {
		if err := workFor(dsn); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if dir := os.Getenv(ownerOf); dir != "" {
		if err := own(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	slog.SetDefault(slog.New(slog.DiscardHandler)) // failures are what this is about
	flag.Parse()
	os.Exit(m.Run())
}

type service interface {
	queue.Service
	Inspect() work.Inspector
}

func open(ctx context.Context, dsn string) (service, error) {
	switch {
	case strings.HasPrefix(dsn, "postgres:"):
		return pgx.Open(ctx, dsn)
	case strings.HasPrefix(dsn, "redis:"):
		return redis.Open(ctx, dsn)
	}
	if path := os.Getenv(clockFile); path != "" {
		return sqlite.New(ctx, dsn, work.WithClock(jumping{path}))
	}
	return sqlite.New(ctx, dsn)
}

var subscribed = []queue.SubscribeOption{
	queue.WithConcurrency(4), queue.WithVisibilityTimeout(500 * time.Millisecond),
	queue.WithPollInterval(50 * time.Millisecond),
	queue.WithMaxRetries(-1), queue.WithBackoff(func(int) time.Duration { return 20 * time.Millisecond }),
}

// workFor handles jobs until it is killed. It tells of each that it has handled, before the backend hears of it;
// every third job fails the first time.
func workFor(dsn string) error {
	ctx := context.Background()
	s, err := open(ctx, dsn)
	if err != nil {
		return err
	}
	var n int
	var mu sync.Mutex
	_, err = s.Subscribe(ctx, "t", func(_ context.Context, j *queue.Job) error {
		mu.Lock()
		defer mu.Unlock()
		if n++; n%3 == 0 && j.Attempt == 1 {
			return errors.New("the first time fails")
		}
		_, err := fmt.Println(string(j.Payload))
		return err
	}, subscribed...)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin) // ends with the parent
	return err
}

func TestSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue.db")
	run(t, path, path, func(int) error { return nil })
}

// SQLite has no server's clock: its times are those of the processes. Theirs is set while they work, up to two days
// either way.
func TestSQLiteClockJumps(t *testing.T) {
	clock := jumping{filepath.Join(t.TempDir(), "clock")}
	t.Setenv(clockFile, clock.path)
	path := filepath.Join(t.TempDir(), "queue.db")
	clock.set(t, 0)
	seed := rand.Uint64()
	t.Logf("seed of the clock %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	run(t, path, path, func(int) error {
		clock.set(t, time.Duration(random.IntN(97)-48)*time.Hour)
		return nil
	})
}

func TestPostgres(t *testing.T) {
	s, err := servers.Postgres()
	against(t, s, err)
}

func TestRedis(t *testing.T) {
	// With everysec, Redis may answer before it has written: what it then had in memory is lost with the process.
	s, err := servers.Redis("--appendfsync", "always")
	against(t, s, err)
}

func against(t *testing.T, s *servers.Server, err error) {
	if err != nil {
		if servers.Missing("queues/workqueue/internal/crash: "+t.Name(), err) != 0 {
			t.Fatal(err)
		}
		return
	}
	t.Cleanup(s.Stop)
	p := newProxy(t, s.Addr)
	run(t, s.URL, strings.Replace(s.URL, s.Addr, p.addr, 1), func(round int) error {
		p.cut()
		if round%2 == 1 {
			return errors.Join(s.Kill(), s.Start())
		}
		return nil
	})
}

// run enqueues jobs while workers, which connect to through, are killed in the middle of their handlers, and strike
// strikes. In the end every job must have been handled, none be left and priorities hold.
func run(t *testing.T, direct, through string, strike func(round int) error) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	ctx := t.Context()
	s, err := open(ctx, through)
	if err != nil {
		t.Fatal(err)
	}
	handled := map[string]bool{}
	var enqueued []string
	for round := range *rounds {
		w := startWorker(t, through)
		for i := range 20 {
			job := fmt.Sprintf("%d.%d", round, i)
			priority := queue.WithPriority(queue.Priority(random.IntN(3) - 1))
			for s.Enqueue(ctx, "t", []byte(job), priority) != nil {
				// Nobody knows whether it is there: it is enqueued again.
			}
			enqueued = append(enqueued, job)
		}
		for range 1 + random.IntN(10) {
			if job, ok := <-w.handled; ok {
				handled[job] = true
			}
		}
		if err := strike(round); err != nil {
			t.Fatal(err)
		}
		w.kill()
		for job := range w.handled {
			handled[job] = true
		}
	}
	// What was in the hands of the dead comes back.
	last := make(chan string, 1000)
	calm, err := open(ctx, direct)
	if err != nil {
		t.Fatal(err)
	}
	sub, err := calm.Subscribe(ctx, "t", func(_ context.Context, j *queue.Job) error {
		last <- string(j.Payload)
		return nil
	}, subscribed...)
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for empty := false; !empty; {
		select {
		case job := <-last:
			handled[job] = true
		case <-tick.C:
			topics, err := calm.Inspect().Topics(ctx)
			if err != nil {
				t.Fatal(err)
			}
			empty = len(topics) == 0
		case <-deadline:
			topics, err := calm.Inspect().Topics(ctx)
			t.Fatalf("jobs stay invisible: %+v, %v", topics, err)
		}
	}
	if err := sub.Close(); err != nil {
		t.Error(err)
	}
	close(last)
	for job := range last {
		handled[job] = true
	}
	for _, job := range enqueued {
		if !handled[job] {
			t.Errorf("job %s is lost", job)
		}
	}
	inOrder(t, calm)
	for _, s := range []service{calm, s} {
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	}
}

// inOrder shows that priorities hold after all that.
func inOrder(t *testing.T, s queue.Service) {
	for _, p := range []queue.Priority{0, 1, -1, 127, -128, 1, 0} {
		if err := s.Enqueue(t.Context(), "order", []byte(fmt.Sprint(p)), queue.WithPriority(p)); err != nil {
			t.Fatal(err)
		}
	}
	got := make(chan string, 10)
	if _, err := s.Subscribe(t.Context(), "order", func(_ context.Context, j *queue.Job) error {
		got <- string(j.Payload)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var order []string
	for range 7 {
		order = append(order, <-got)
	}
	if want := "127 1 1 0 0 -1 -128"; strings.Join(order, " ") != want {
		t.Errorf("order %v, want %s", order, want)
	}
}

// worker is a process that handles jobs.
type worker struct {
	mu      sync.Mutex // guards cmd and dead
	cmd     *exec.Cmd
	dead    bool
	handled chan string // closed when it was killed and everything read
}

// startWorker starts a worker. One that ends by itself, because there is no server, is started again.
func startWorker(t *testing.T, dsn string) *worker {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &worker{handled: make(chan string, 10000)}
	go func() {
		defer close(w.handled)
		for {
			cmd := exec.Command(exe)
			cmd.Env = append(os.Environ(), workerDSN+"="+dsn)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Error(err)
				return
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Error(err)
				return
			}
			w.mu.Lock()
			if w.dead {
				w.mu.Unlock()
				return
			}
			err = cmd.Start()
			w.cmd = cmd
			w.mu.Unlock()
			if err != nil {
				t.Error(err)
				return
			}
			lines := bufio.NewScanner(out)
			for lines.Scan() {
				w.handled <- lines.Text()
			}
			_ = in.Close()
			_ = cmd.Wait() // it was killed, or could not connect
		}
	}()
	return w
}

// kill ends the worker with SIGKILL.
func (w *worker) kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dead = true
	if w.cmd != nil {
		_ = w.cmd.Process.Kill() // it may have ended by itself
	}
}

// proxy passes connections on until they are cut.
type proxy struct {
	addr string
	mu   sync.Mutex // guards open
	open map[net.Conn]bool
}

func newProxy(t *testing.T, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: l.Addr().String(), open: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = l.Close()
		p.cut()
	})
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			p.mu.Lock()
			p.open[in], p.open[out] = true, true
			p.mu.Unlock()
			go p.pass(in, out)
			go p.pass(out, in)
		}
	}()
	return p
}

func (p *proxy) pass(to, from net.Conn) {
	_, _ = io.Copy(to, from) // ends when one side does
	for _, c := range []net.Conn{to, from} {
		_ = c.Close()
		p.mu.Lock()
		delete(p.open, c)
		p.mu.Unlock()
	}
}

// cut ends all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
	}
}
