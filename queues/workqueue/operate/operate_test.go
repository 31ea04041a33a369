package operate_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"eddy/queues/workqueue/operate"
	"eddy/queues/workqueue/pgx"
	"eddy/queues/workqueue/redis"
	"eddy/queues/workqueue/servers"

	queue "eddy/queues/workqueue"
)

// eddy is the binary, built by the first test that needs it.
var eddy string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "workqueue-operate-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	eddy = filepath.Join(dir, "eddy.exe") // a name that every system runs
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func TestPostgres(t *testing.T) {
	s, err := servers.Postgres("fsync=off")
	against(t, s, err, func(ctx context.Context, url string) (queue.Service, error) { return pgx.Open(ctx, url) })
}

func TestRedis(t *testing.T) {
	s, err := servers.Redis()
	against(t, s, err, func(ctx context.Context, url string) (queue.Service, error) { return redis.Open(ctx, url) })
}

// against goes through `eddy work` as the script of the command does with an SQLite file.
func against(t *testing.T, s *servers.Server, err error, open func(context.Context, string) (queue.Service, error)) {
	if err != nil {
		if servers.Missing("queues/workqueue/operate: "+t.Name(), err) != 0 {
			t.Fatal(err)
		}
		return
	}
	t.Cleanup(s.Stop)
	if _, err := os.Stat(eddy); err != nil {
		if out, err := exec.Command("go", "build", "-o", eddy, "eddy/cmd/eddy").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	example(t, s.URL)
	w := &operator{T: t, dsn: s.URL}
	service, err := open(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := service.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for _, job := range [][2]string{{"orders", "first"}, {"orders", "last"}, {"mail", "hello"}} {
		if err := service.Enqueue(t.Context(), job[0], []byte(job[1])); err != nil {
			t.Fatal(err)
		}
	}
	w.shows(`(?m)^app\.default\.mail +1 +0 +0 `, "topics")
	w.shows(`(?m)^app\.default\.orders +2 +0 +0 `, "topics")
	w.shows(`(?m) ready +0 +0 .*first$`, "jobs", "orders")
	w.shows(`"payload": "hello"`, "jobs", "app.default.mail", "--json")
	w.refuses(`topic "nothing" has no jobs`, "jobs", "nothing")

	w.failAll(service, "orders", 2)
	w.shows(`(?m)^.*app\.default\.orders .*queue: skip retry: card refused +first$`, "dead")
	id := regexp.MustCompile(`"id": "(.{8})`).FindStringSubmatch(w.shows(`"origin": "app.default.orders"`,
		"dead", "orders", "--json"))[1]
	w.refuses(`0 jobs dead in app.default.orders begin with "zzz"`, "requeue", "orders", "zzz")
	w.shows(`(?m)^Put 1 job back into app\.default\.orders$`, "requeue", "orders", id)
	w.shows(`(?m)^Put 1 job back into app\.default\.orders$`, "requeue", "orders", "--all")
	w.shows(`(?m)^No dead jobs$`, "dead")
	w.shows(`(?m)last$`, "jobs", "app.default.orders")

	w.refuses(`--force flag is required`, "drain", "orders")
	w.shows(`(?m)^Drained topic app\.default\.orders: 2 jobs deleted$`, "drain", "orders", "--force")
	if out := w.shows(`mail`, "topics"); strings.Contains(out, "orders") {
		t.Errorf("after drain: %s", out)
	}
	// A requeued job begins anew.
	w.failAll(service, "mail", 1)
	w.shows(`Put 1 job back`, "requeue", "mail", "--all")
	got := make(chan queue.Job, 1)
	if _, err := service.Subscribe(t.Context(), "mail", func(_ context.Context, j *queue.Job) error {
		got <- *j
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if j := <-got; string(j.Payload) != "hello" || j.Attempt != 1 {
		t.Errorf("requeued: %+v", j)
	}
}

// example runs examples/go-service on the server. Its two jobs are settled in either order.
func example(t *testing.T, url string) {
	t.Helper()
	var log strings.Builder
	cmd := exec.Command("go", "run", "eddy/examples/go-service", url)
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	for _, line := range []string{"mail: order 17 is on its way\n", "dead: {\"id\":\"18\",\"items\":0}\n"} {
		if !strings.Contains(string(out), line) {
			t.Errorf("examples/go-service printed %q, want %q in it", out, line)
		}
	}
}

// A server that is not there is named, without the password of its DSN.
func TestUnreachable(t *testing.T) {
	for _, dsn := range []string{"postgres://u:secret@127.0.0.1:1/db", "redis://u:secret@127.0.0.1:1"} {
		_, err := operate.Open(t.Context(), dsn)
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "127.0.0.1:1") {
			t.Errorf("%v", err)
		}
	}
}

type operator struct {
	*testing.T
	dsn string
}

// run is a run of `eddy work` with what it prints.
func (o *operator) run(args ...string) (string, error) {
	cmd := exec.Command(eddy, append([]string{"work"}, args...)...)
	cmd.Env = append(os.Environ(), "EDDY_WORK_DSN="+o.dsn, "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (o *operator) shows(want string, args ...string) string {
	o.Helper()
	out, err := o.run(args...)
	if err != nil || !regexp.MustCompile(want).MatchString(out) {
		o.Fatalf("eddy work %v: %v, want %s:\n%s", args, err, want, out)
	}
	return out
}

func (o *operator) refuses(want string, args ...string) {
	o.Helper()
	out, err := o.run(args...)
	if err == nil || !strings.Contains(out, want) {
		o.Errorf("eddy work %v: %v, want %q:\n%s", args, err, want, out)
	}
}

// failAll lets a worker fail for good at n jobs of a topic.
func (o *operator) failAll(s queue.Service, topic string, n int) {
	o.Helper()
	failed := make(chan struct{}, n)
	c, err := s.Subscribe(o.Context(), topic, func(context.Context, *queue.Job) error {
		failed <- struct{}{}
		return queue.SkipRetry(errors.New("card refused"))
	})
	if err != nil {
		o.Fatal(err)
	}
	for range n {
		<-failed
	}
	if err := c.Close(); err != nil { // waits until the results are stored
		o.Error(err)
	}
}
