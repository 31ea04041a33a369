package objectjs

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"eddy/runtime/webapi/websocket"
)

var benchSocket = script("socketbench_bench_socket.js")

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Objects that hibernate with one socket each: what one takes in memory, and how long a message takes to wake one, be
// handled and answered.
func BenchmarkWake(b *testing.B) {
	s := newBench(b)
	w := s.start(config{classes: []string{"B"}}, benchSocket)
	s.dial(w, "/?n=first")
	ends := make([]*websocket.End, b.N)
	before := heap()
	for i := range ends {
		ends[i] = s.dial(w, fmt.Sprintf("/?n=%d", i))
	}
	s.clock.WaitIdle(context.Background())
	if s.happened("hibernate") < b.N {
		b.Fatal("not all hibernate")
	}
	taken := heap() - before
	s.clock.Pause()
	b.ReportAllocs()
	b.ResetTimer()
	for _, e := range ends {
		e.Send(websocket.Message{Kind: websocket.Text, Text: "hello"})
		if got := s.next(e); got != "hello" {
			b.Fatal(got)
		}
	}
	b.ReportMetric(float64(taken)/float64(b.N), "B/hibernated")
}

// Messages that are answered, 64 on their way at a time, without a network.
func BenchmarkSocketEcho(b *testing.B) {
	for _, kind := range []string{"accept", "hibernate"} {
		b.Run(kind, func(b *testing.B) {
			s := newBench(b)
			w := s.start(config{classes: []string{"B"}}, benchSocket)
			s.clock.Pause()
			e := s.dial(w, "/"+kind+"?n=a")
			b.ReportAllocs()
			b.ResetTimer()
			sent := 0
			for got := range b.N {
				for ; sent < b.N && sent < got+64; sent++ {
					e.Send(websocket.Message{Kind: websocket.Text, Text: "hello"})
				}
				if got := s.next(e); got != "hello" {
					b.Fatal(got)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
