package journal

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"runtime"
	"testing"
)

// batch is an entry of a delivery of ten messages of 200 bytes with one log line.
func batch() *Entry {
	e := &Entry{Kind: Queue, At: 1_795_000_000_000_000, Wall: 3_000_000, CPU: 1_000_000, Trace: [16]byte{1},
		Span:   [8]byte{2},
		Parent: [8]byte{3}, Worker: "orders", Outcome: "ok",
		Logs: []Log{{Level: "log", At: 1_795_000_000_000, Message: `["charged",12]`}},
		Delivery: &Delivery{Queue: "payments", Backlog: 100, Bytes: 20_000,
			Settings: &Settings{BatchSize: 10, BatchTimeout: 5000, MaxRetries: 3}}}
	for i := range 10 {
		e.Delivery.Messages = append(e.Delivery.Messages, Message{ID: [16]byte{byte(i), 1},
			Timestamp: 1_795_000_000_000,
			Attempts:  1, ContentType: "json", Body: bytes.Repeat([]byte("b"), 200), Outcome: Ack})
	}
	return e
}

// What one delivery of ten messages costs: encoding, the buffer, and the writer, for whom it waits rather than drop.
func BenchmarkAdd(b *testing.B) {
	j, err := Open(Options{Dir: filepath.Join(b.TempDir(), "w")})
	if err != nil {
		b.Fatal(err)
	}
	e := batch()
	b.ReportAllocs()
	for b.Loop() {
		j.Add(e)
		for j.waiting() > buffered/2 {
			runtime.Gosched()
		}
	}
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
}

func (j *Journal) waiting() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.mu.pending)
}

func BenchmarkEncode(b *testing.B) {
	e := batch()
	b.Run("cbor", func(b *testing.B) {
		var buf []byte
		b.ReportAllocs()
		for b.Loop() {
			var err error
			if buf, err = appendFrame(buf[:0], e); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(buf)), "B/entry")
	})
	b.Run("library", func(b *testing.B) {
		var buf []byte
		b.ReportAllocs()
		for b.Loop() {
			var err error
			if buf, err = encoding.Marshal(e); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(buf)), "B/entry")
	})
	b.Run("json", func(b *testing.B) {
		var buf bytes.Buffer
		b.ReportAllocs()
		for b.Loop() {
			buf.Reset()
			if err := json.NewEncoder(&buf).Encode(e); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(buf.Len()), "B/entry")
	})
}

func BenchmarkOff(b *testing.B) {
	var j *Journal
	e := batch()
	b.ReportAllocs()
	for b.Loop() {
		j.Add(e)
	}
}
