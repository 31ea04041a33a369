package pgx_test

import (
	"context"
	"testing"
	"time"

	"eddy/queues/workqueue/pgx"

	queue "eddy/queues/workqueue"
)

// A service hears of what another one enqueues; its own poll would come an hour later.
func TestNotify(t *testing.T) {
	pool := newPool(t)
	var services []*pgx.Service
	for range 2 {
		s, err := pgx.New(t.Context(), pool)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		services = append(services, s)
	}
	got := make(chan string)
	_, err := services[0].Subscribe(t.Context(), "t", func(_ context.Context, j *queue.Job) error {
		got <- string(j.Payload)
		return nil
	}, queue.WithPollInterval(time.Hour), queue.WithVisibilityTimeout(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a", "b", "c"} {
		if err := services[1].Enqueue(t.Context(), "t", []byte(want)); err != nil {
			t.Fatal(err)
		}
		if p := <-got; p != want {
			t.Errorf("got %q, want %q", p, want)
		}
	}
}
