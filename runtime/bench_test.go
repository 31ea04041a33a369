package runtime

import (
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"eddy/runtime/clock"
)

var benchWorker = script("bench", "bench.js")

const benchConfig = `{
	"name": "bench", "main": "index.js", "compatibility_date": "2026-04-01",
	"queues": { "producers": [{ "binding": "Q", "queue": "q" }, { "binding": "KEPT", "queue": "kept" }],
		"consumers": [{ "queue": "q", "max_batch_size": 100, "max_batch_timeout": 0 }] },
	"durable_objects": { "bindings": [{ "name": "COUNTER", "class_name": "Counter" }] },
	"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Counter"] }]
}`

// benchSession serves the benchmark Worker on the machine's clock and gives back a function that asks it.
func benchSession(b *testing.B) func(path string) { return benchJournal(b, JournalOff) }

// benchJournal is benchSession with a journal or without one.
func benchJournal(b *testing.B, mode JournalMode) func(path string) {
	s := newProject(b, "wrangler.jsonc", benchConfig, "index.js",
		benchWorker).serve(func(o *Options) { o.Clock, o.Reporter, o.Journal = clock.Real{}, nil, mode })
	client := &http.Client{Transport: &http.Transport{}}
	b.Cleanup(client.CloseIdleConnections)
	return func(path string) {
		res, err := client.Get(s.web.URL + path)
		if err != nil {
			b.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != 200 || string(body) != "Hello World!" {
			b.Fatalf("%d %q %v", res.StatusCode, body, err)
		}
		if err := res.Body.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHello is one request over HTTP that a Worker answers.
func BenchmarkHello(b *testing.B) {
	ask := benchSession(b)
	ask("/")
	b.ReportAllocs()
	for b.Loop() {
		ask("/")
	}
}

// BenchmarkJournal is a request, and a message that is sent and consumed, without a journal and with one.
func BenchmarkJournal(b *testing.B) {
	for _, mode := range []JournalMode{JournalOff, JournalOn, JournalFull} {
		b.Run("hello/"+string(mode), func(b *testing.B) {
			ask := benchJournal(b, mode)
			ask("/")
			b.ReportAllocs()
			for b.Loop() {
				ask("/")
			}
		})
		b.Run("message/"+string(mode), func(b *testing.B) {
			ask := benchJournal(b, mode)
			b.ReportAllocs()
			ask("/messages?n=" + strconv.Itoa(b.N))
		})
	}
}

// BenchmarkJournalShare compares what a message that is sent and consumed, and a request, take of the processor, and
// how long, without a journal, with one, and with a full one. Sessions stand side by side and take turns in changing
// orders, so that what else the machine does meets them alike; each figure is the median over the rounds, of which
// -benchtime 40x makes 40. The second session without a journal shows how much of the differences is chance.
func BenchmarkJournalShare(b *testing.B) {
	names := []string{"off", "again", "on", "full"}
	modes := []JournalMode{JournalOff, JournalOff, JournalOn, JournalFull}
	for what, work := range map[string]struct {
		n   int
		run func(ask func(string), n int)
	}{
		"message": {5000, func(ask func(string), n int) { ask("/messages?n=" + strconv.Itoa(n)) }},
		"request": {1000, func(ask func(string), n int) {
			for range n {
				ask("/")
			}
		}},
	} {
		b.Run(what, func(b *testing.B) {
			var asks []func(string)
			for _, mode := range modes {
				asks = append(asks, benchJournal(b, mode))
				work.run(asks[len(asks)-1], work.n) // what a session does once
			}
			order := rand.New(rand.NewPCG(1, 1))
			took, lasted := make([][]float64, len(modes)), make([][]float64, len(modes))
			for b.Loop() {
				for _, i := range order.Perm(len(modes)) {
					before, _ := clock.ProcessTime()
					began := time.Now()
					work.run(asks[i], work.n)
					lasted[i] = append(lasted[i], float64(time.Since(began)))
					after, _ := clock.ProcessTime()
					took[i] = append(took[i], float64(after-before))
				}
			}
			b.ReportMetric(median(took[0])/float64(work.n), "off-cpu-ns/"+what)
			for i := 1; i < len(modes); i++ {
				b.ReportMetric(medianOver(took[i], took[0]), names[i]+"-cpu-%more")
				b.ReportMetric(medianOver(lasted[i], lasted[0]), names[i]+"-%longer")
			}
		})
	}
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// medianOver is by how many percent the median of a list is above that of another.
func medianOver(list, other []float64) float64 { return (median(list)/median(other) - 1) * 100 }

// BenchmarkFirstAnswer is a session from nothing to its first answer, in a process that has had one before.
func BenchmarkFirstAnswer(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		benchSession(b)("/")
	}
}

// BenchmarkLive has ten thousand objects in memory that have been called once. sys-B/object is what the process took
// from the system for each, heap-B/object what is left of it after a collection.
func BenchmarkLive(b *testing.B) {
	const n = 10_000
	ask := benchSession(b)
	ask("/live?n=1")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		ask("/live?n=" + strconv.Itoa(n))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/n, "heap-B/object")
	b.ReportMetric(float64(int64(after.Sys)-int64(before.Sys))/n, "sys-B/object")
}

// Those below count what happens inside one Worker; ns/op is for one message, increment or call.

// BenchmarkSends sends durably, one message after the other.
func BenchmarkSends(b *testing.B) { benchInside(b, "/sends") }

// BenchmarkBatches sends durably, a hundred messages at a time.
func BenchmarkBatches(b *testing.B) { benchInside(b, "/batches") }

// BenchmarkMessages sends durably and consumes.
func BenchmarkMessages(b *testing.B) { benchInside(b, "/messages") }

// BenchmarkIncrement reads and writes an object's storage durably, sixteen calls at a time.
func BenchmarkIncrement(b *testing.B) { benchInside(b, "/add") }

// BenchmarkCall calls a method of an object, sixteen calls at a time.
func BenchmarkCall(b *testing.B) { benchInside(b, "/ping") }

func benchInside(b *testing.B, path string) {
	ask := benchSession(b)
	ask(path + "?n=1")
	b.ReportAllocs()
	b.ResetTimer()
	ask(path + "?n=" + strconv.Itoa(b.N))
}
