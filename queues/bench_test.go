package queues_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"eddy/queues"
	"eddy/queues/logstore"
)

// openDisk is a broker on the machine's clock and disk.
func openDisk(b testing.TB, d logstore.Durability) *queues.Broker {
	broker, _, err := queues.Open(queues.Options{Dir: b.TempDir(), Durability: d})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { broker.Close() })
	if err := broker.Declare(b.Context(), queues.Topology{Queues: []string{"q"}}); err != nil {
		b.Fatal(err)
	}
	return broker
}

var body = []byte(`{"order":12345,"items":[1,2,3,4],"note":"a message of about a hundred bytes, as they often are"}`)

// BenchmarkSend sends one message at a time, from one producer or many, each waiting for the answer.
func BenchmarkSend(b *testing.B) {
	for _, d := range []struct {
		name string
		d    logstore.Durability
	}{{"fsync", logstore.Strict}, {"relaxed", logstore.Relaxed}} {
		for _, producers := range []int{1, 64} {
			b.Run(fmt.Sprintf("%s/producers=%d", d.name, producers), func(b *testing.B) {
				broker := openDisk(b, d.d)
				b.ReportAllocs()
				var left atomic.Int64
				left.Store(int64(b.N))
				b.ResetTimer()
				var wg sync.WaitGroup
				for range producers {
					wg.Go(func() {
						for left.Add(-1) >= 0 {
							if _, err := broker.Send(context.Background(), "q",
								[]queues.Outgoing{{Body: body, ContentType: queues.ContentJSON}},
								queues.SendOptions{}); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				wg.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msgs/s")
			})
		}
	}
}

// fill sends n messages in batches of 100, a quarter of them delayed, without waiting for each.
func fill(b testing.TB, broker *queues.Broker, n int) {
	msgs := make([]queues.Outgoing, 100)
	for i := range msgs {
		msgs[i] = queues.Outgoing{Body: body, ContentType: queues.ContentJSON}
		if i%4 == 3 {
			msgs[i].Delay = queues.DelaySeconds(1)
		}
	}
	var wg sync.WaitGroup
	for range n / 100 {
		wg.Add(1)
		broker.SendAsync("q", msgs, queues.SendOptions{Batch: true}, func(_ queues.Metrics, err error) {
			if err != nil {
				b.Error(err)
			}
			wg.Done()
		})
	}
	wg.Wait()
}

// BenchmarkMillion sends a million messages in one burst, a quarter of them delayed, then delivers them all. It
// reports the memory that a waiting message takes, and messages per second in and out.
func BenchmarkMillion(b *testing.B) {
	const n = 1_000_000
	for range b.N {
		broker := openDisk(b, logstore.Strict)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		fill(b, broker, n)
		sent := time.Since(start)
		runtime.GC()
		runtime.ReadMemStats(&after)
		start = time.Now()
		drain(b, broker, n)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "bytes/message")
		b.ReportMetric(n/sent.Seconds(), "sends/s")
		b.ReportMetric(n/time.Since(start).Seconds(), "deliveries/s")
		if err := broker.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// drain delivers n messages to a consumer that acknowledges at once.
func drain(b testing.TB, broker *queues.Broker, n int) {
	c := queues.DefaultConsumer("q", queues.WorkerConsumer)
	c.MaxBatchSize = 100
	if _, err := broker.SetConsumer(context.Background(), c, true); err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	left := n
	detach, err := broker.Attach(
		"q",
		queues.ConsumerFunc(func(_ context.Context, batch *queues.Batch, settle func(queues.Outcome)) {
			if left -= len(batch.Messages); left == 0 {
				close(done)
			}
			settle(queues.Outcome{})
		}),
	)
	if err != nil {
		b.Fatal(err)
	}
	<-done
	detach()
}

// BenchmarkDeliver delivers batches of 100 from a queue that is deep from the start: a batch must cost the same at
// any depth.
func BenchmarkDeliver(b *testing.B) {
	for _, depth := range []int{1_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
			broker, _, err := queues.Open(queues.Options{Dir: b.TempDir(), Durability: logstore.Relaxed})
			if err != nil {
				b.Fatal(err)
			}
			defer broker.Close()
			if err := broker.Declare(b.Context(), queues.Topology{Queues: []string{"q"}}); err != nil {
				b.Fatal(err)
			}
			fill(b, broker, depth)
			c := queues.DefaultConsumer("q", queues.PullConsumer)
			if _, err := broker.SetConsumer(b.Context(), c, true); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				got, _, err := broker.Pull(b.Context(), "q", queues.PullOptions{BatchSize: 100})
				if err != nil {
					b.Fatal(err)
				}
				acks := make([]string, len(got))
				for i := range got {
					acks[i] = got[i].LeaseID
				}
				if _, err := broker.Ack(b.Context(), "q", acks, nil); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				fill(b, broker, 100) // the depth stays the same
				b.StartTimer()
			}
		})
	}
}

// BenchmarkReopen replays the log of a hundred thousand waiting messages.
func BenchmarkReopen(b *testing.B) {
	dir := b.TempDir()
	open := func() *queues.Broker {
		broker, _, err := queues.Open(queues.Options{Dir: dir, Durability: logstore.Relaxed})
		if err != nil {
			b.Fatal(err)
		}
		return broker
	}
	broker := open()
	if err := broker.Declare(b.Context(), queues.Topology{Queues: []string{"q"}}); err != nil {
		b.Fatal(err)
	}
	fill(b, broker, 100_000)
	for b.Loop() {
		if err := broker.Close(); err != nil {
			b.Fatal(err)
		}
		broker = open()
	}
	if err := broker.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkLanes sends to ten thousand lanes and delivers from each.
func BenchmarkLanes(b *testing.B) {
	broker := openDisk(b, logstore.Relaxed)
	l := &countingLanes{done: make(chan struct{}), left: b.N}
	if _, err := broker.AttachLanes("jobs", queues.DefaultLanes(), l); err != nil {
		b.Fatal(err)
	}
	keys := make([]string, 10_000)
	for i := range keys {
		keys[i] = fmt.Sprint("jobs:", i)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		broker.LaneSendAsync(
			"jobs",
			keys[i%len(keys)],
			queues.Outgoing{Body: body, ContentType: queues.ContentJSON},
			func(_ queues.ID, err error) {
				if err != nil {
					b.Error(err)
				}
			},
		)
	}
	<-l.done
}

type countingLanes struct {
	left int
	done chan struct{}
}

func (l *countingLanes) DeliverLane(_ context.Context, batch *queues.LaneBatch, done func(queues.Outcome)) {
	if l.left -= len(batch.Messages); l.left == 0 {
		close(l.done)
	}
	done(queues.Outcome{})
}

func (l *countingLanes) DeadLetterLane(_ context.Context, _ *queues.LaneDeadLetter, done func(error)) {
	done(nil)
}
