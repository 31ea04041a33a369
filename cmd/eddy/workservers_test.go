package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"eddy/queues/workqueue/pgx"
	"eddy/queues/workqueue/redis"
	"eddy/queues/workqueue/servers"

	queue "eddy/queues/workqueue"
)

// workServers are the servers that a work queue may have, by name. A test with one that is not installed says so.
var workServers = map[string]struct {
	start func() (*servers.Server, error)
	open  func(ctx context.Context, url string) (queue.Service, error)
}{
	"postgres": {
		func() (*servers.Server, error) { return servers.Postgres("fsync=off") },
		func(ctx context.Context, url string) (queue.Service, error) { return pgx.Open(ctx, url) },
	},
	"redis": {
		func() (*servers.Server, error) { return servers.Redis() },
		func(ctx context.Context, url string) (queue.Service, error) { return redis.Open(ctx, url) },
	},
}

// onWorkServers runs a test on each server.
func onWorkServers(t *testing.T, test func(t *testing.T, url string)) {
	t.Parallel()
	for name, kind := range workServers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := kind.start()
			if err != nil {
				if servers.Missing("cmd/eddy: "+t.Name(), err) != 0 {
					t.Fatal(err)
				}
				return
			}
			t.Cleanup(s.Stop)
			test(t, s.URL)
		})
	}
}

// TestWorkOnServers goes through `eddy work` as the script of the command does with an SQLite file.
func TestWorkOnServers(t *testing.T) {
	onWorkServers(t, func(t *testing.T, url string) {
		_, name, _ := strings.Cut(t.Name(), "/")
		q, err := workServers[name].open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		operateOn(t, url, q)
	})
}

func operateOn(t *testing.T, url string, q queue.Service) {
	w := &operator{T: t, dsn: url}
	defer func() {
		if err := q.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for _, job := range [][2]string{{"orders", "first"}, {"orders", "last"}, {"mail", "hello"}} {
		if err := q.Enqueue(t.Context(), job[0], []byte(job[1])); err != nil {
			t.Fatal(err)
		}
	}
	w.shows(`(?m)^app\.default\.mail +1 +0 +0 `, "topics")
	w.shows(`(?m)^app\.default\.orders +2 +0 +0 `, "topics")
	w.shows(`(?m) ready +0 +0 .*first$`, "jobs", "orders")
	w.shows(`"payload": "hello"`, "jobs", "app.default.mail", "--json")
	w.refuses(`topic "nothing" has no jobs`, "jobs", "nothing")

	w.failAll(q, "orders", 2)
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
	w.failAll(q, "mail", 1)
	w.shows(`Put 1 job back`, "requeue", "mail", "--all")
	got := make(chan queue.Job, 1)
	if _, err := q.Subscribe(t.Context(), "mail", func(_ context.Context, j *queue.Job) error {
		got <- *j
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if j := <-got; string(j.Payload) != "hello" || j.Attempt != 1 {
		t.Errorf("requeued: %+v", j)
	}
}

// TestGoService runs examples/go-service on each server. Its two jobs are settled in either order.
func TestGoService(t *testing.T) {
	service := filepath.Join(t.TempDir(), "service.exe") // a name that every system runs
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", service, "eddy/examples/go-service")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	onWorkServers(t, func(t *testing.T, url string) {
		var log strings.Builder
		cmd := exec.Command(service, url)
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
	})
}

type operator struct {
	*testing.T
	dsn string
}

// run is a run of `eddy work` with what it prints.
func (o *operator) run(args ...string) (string, error) {
	cmd := exec.Command("eddy", append([]string{"work"}, args...)...)
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
