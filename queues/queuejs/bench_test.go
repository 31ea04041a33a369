package queuejs

import (
	"fmt"
	"testing"

	"eddy/queues"
)

// BenchmarkReads sends messages in batches of a hundred to a handler that reads and acknowledges each; ns/op is for
// one.
func BenchmarkReads(b *testing.B) {
	w := newBench(b, setup{
		source: script("bench_reads.js"), producers: []Producer{{Binding: "Q", Queue: "q"}}, real: true,
		consumers: []queues.ConsumerConfig{consumer("q", func(c *queues.ConsumerConfig) {
			c.MaxBatchSize, c.MaxBatchTimeout = 100, 0
		})},
	})
	b.ReportAllocs()
	b.ResetTimer()
	if got := w.get(fmt.Sprintf("/?n=%d", b.N)); got != "ok" {
		b.Fatal(got)
	}
}
