package redis_test

import (
	"context"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"eddy/queues/workqueue/redis"

	queue "eddy/queues/workqueue"
)

func benchService(b *testing.B) *redis.Service {
	client := goredis.NewClient(&goredis.Options{Addr: server.Addr})
	b.Cleanup(func() { _ = client.Close() })
	if err := client.FlushDB(b.Context()).Err(); err != nil {
		b.Fatal(err)
	}
	s, err := redis.New(b.Context(), client)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkEnqueue(b *testing.B) {
	s, payload := benchService(b), make([]byte, 100)
	for b.Loop() {
		if err := s.Enqueue(b.Context(), "t", payload); err != nil {
			b.Fatal(err)
		}
	}
}

// One worker, from claim to acknowledgement.
func BenchmarkWorker(b *testing.B) {
	s := benchService(b)
	batch := make([][]byte, b.N)
	for i := range batch {
		batch[i] = make([]byte, 100)
	}
	if err := s.EnqueueBatch(b.Context(), "t", batch); err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	b.ReportAllocs()
	b.ResetTimer()
	_, err := s.Subscribe(b.Context(), "t", func(context.Context, *queue.Job) error {
		done <- struct{}{}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		<-done
	}
	b.StopTimer()
	if err := s.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
}
