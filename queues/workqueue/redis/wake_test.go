package redis_test

import (
	"context"
	"testing"
	"time"

	"eddy/queues/workqueue/redis"

	queue "eddy/queues/workqueue"
)

// The server wakes one subscription for each job. When the word comes to one that is just getting another job, it must
// pass it on: here each has one worker, and both must get a job before either is done. Polls would come hours later.
func TestWordIsPassedOn(t *testing.T) {
	client := newClient(t)
	got, done := make(chan struct{}), make(chan struct{})
	var services []queue.Service
	for range 2 {
		s, err := redis.New(t.Context(), client)
		if err != nil {
			t.Fatal(err)
		}
		services = append(services, s)
		defer func() {
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		_, err = s.Subscribe(t.Context(), "t", func(context.Context, *queue.Job) error {
			got <- struct{}{}
			<-done
			return nil
		}, queue.WithPollInterval(time.Hour), queue.WithVisibilityTimeout(2*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 200 {
		for range 2 {
			if err := services[0].Enqueue(t.Context(), "t", nil); err != nil {
				t.Fatal(err)
			}
		}
		<-got
		<-got
		done <- struct{}{}
		done <- struct{}{}
	}
}
