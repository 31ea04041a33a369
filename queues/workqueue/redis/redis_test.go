package redis_test

import (
	"os"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"eddy/queues/workqueue/internal/work"
	"eddy/queues/workqueue/queuetest"
	"eddy/queues/workqueue/redis"
	"eddy/queues/workqueue/servers"

	queue "eddy/queues/workqueue"
)

var server *servers.Server

func TestMain(m *testing.M) {
	var err error
	if server, err = servers.Redis(); err != nil {
		os.Exit(servers.MissingAll("queues/workqueue/redis", err))
	}
	code := m.Run()
	server.Stop()
	os.Exit(code)
}

// newClient is a client on an empty database.
func newClient(t *testing.T) *goredis.Client {
	t.Helper()
	client := goredis.NewClient(&goredis.Options{Addr: server.Addr, PoolSize: 100})
	t.Cleanup(func() { _ = client.Close() })
	if err := client.FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	return client
}

func TestConformance(t *testing.T) {
	queuetest.Run(t, func(t *testing.T, clock *queuetest.FakeClock) queuetest.Backend {
		client := newClient(t)
		return queuetest.Backend{Durable: true, Open: func(t *testing.T, opts ...queue.QueueOption) queue.Service {
			s, err := redis.New(t.Context(), client, append(opts, work.WithClock(clock))...)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}}
	})
}
