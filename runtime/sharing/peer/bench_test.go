package peer

import (
	"context"
	"testing"

	"eddy/queues"
)

// BenchmarkGuestSend is one send of a guest, acknowledged, with a hundred under way at a time.
func BenchmarkGuestSend(b *testing.B) {
	w := newWorld(b)
	first, second := w.join("a"), w.join("b")
	first.declare(producing("q"))
	msg := texts("a message of about forty bytes, as usual")
	window := make(chan struct{}, 100)
	b.ReportAllocs()
	for b.Loop() {
		window <- struct{}{}
		second.SendAsync("q", msg, queues.SendOptions{}, func(_ queues.Metrics, err error) {
			if err != nil {
				b.Error(err)
			}
			<-window
		})
	}
	for range cap(window) {
		window <- struct{}{}
	}
}

// BenchmarkGuestConsume is one message sent in the owner, consumed in a guest and acknowledged, in batches of a
// hundred.
func BenchmarkGuestConsume(b *testing.B) {
	w := newWorld(b)
	first, second := w.join("a"), w.join("b")
	c := queues.DefaultConsumer("q", queues.WorkerConsumer)
	c.Script, c.MaxBatchTimeout, c.MaxBatchSize = "b", 0, 100
	second.declare(queues.Topology{Consumers: []queues.ConsumerConfig{c}})
	acked := make(chan int, 1000)
	second.attach("q", queues.ConsumerFunc(func(_ context.Context, batch *queues.Batch, done func(queues.Outcome)) {
		done(queues.Outcome{})
		acked <- len(batch.Messages)
	}))
	sent, got := 0, 0
	for b.Loop() {
		first.start("q", "a message of about forty bytes, as usual")
		for sent++; sent-got > 1000; {
			got += <-acked
		}
	}
	for got < sent {
		got += <-acked
	}
}
