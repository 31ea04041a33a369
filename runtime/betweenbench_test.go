package runtime

import (
	"io"
	"net/http"
	"strconv"
	"testing"

	"eddy/runtime/clock"
)

// BenchmarkRPC calls a Worker in the same session and in another one that shares the state directory: calls one after
// the other, sixteen at a time, of an object sixteen at a time, with 64 KiB both ways, and fetch(). ns/op is for one
// call. Both sessions are in this process, so that allocations of both count.
func BenchmarkRPC(b *testing.B) {
	for _, where := range []string{"inside", "between"} {
		for _, path := range []string{"/one", "/wide", "/object", "/bytes", "/fetch"} {
			b.Run(where+path, func(b *testing.B) {
				s := benchCaller(b, where == "between")
				benchAsk(b, s, path+"?n=1")
				b.ReportAllocs()
				b.ResetTimer()
				for n := b.N; n > 0; n -= 5000 { // an event may make 10,000 calls
					benchAsk(b, s, path+"?n="+strconv.Itoa(min(n, 5000)))
				}
			})
		}
	}
}

// benchCaller is a session whose Worker calls another one.
func benchCaller(b *testing.B, between bool) *served {
	state := b.TempDir()
	quick := func(o *Options) { o.Clock, o.Reporter, o.Journal = clock.Real{}, nil, JournalOff }
	p := newProject(b, "caller.jsonc", callerConfig, "index.js", script("betweenbench", "caller.js"),
		"callee/callee.jsonc", calleeConfig, "callee/index.js", script("betweenbench", "callee.js"))
	if !between {
		return p.serve(using("caller", "callee/callee"), quick)
	}
	p.serve(using("callee/callee"), sharing(state), quick)
	s := p.serve(using("caller"), sharing(state), quick)
	awaitRunning(s, "callee")
	return s
}

func benchAsk(b *testing.B, s *served, path string) {
	res, err := http.Get(s.web.URL + path)
	if err != nil {
		b.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil || string(body) != "Hello World!" {
		b.Fatalf("%d %q %v", res.StatusCode, body, err)
	}
	if err := res.Body.Close(); err != nil {
		b.Fatal(err)
	}
}
