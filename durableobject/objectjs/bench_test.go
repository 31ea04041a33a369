package objectjs

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"eddy/durableobject/storage"
	"eddy/runtime/bundle"
	"eddy/runtime/worker"
)

var benchObject = script("bench_object.js")

// realTime starts the benchmark's Worker on the machine's clock.
func realTime(b *testing.B, d storage.Durability) *worker.Worker {
	objs, err := New(Options{Root: b.TempDir(), Durability: d})
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	file := filepath.Join(dir, "index.js")
	if err := os.WriteFile(file, []byte(benchObject), 0o600); err != nil {
		b.Fatal(err)
	}
	built, err := bundle.Build(bundle.Options{Dir: dir, Entry: file,
		Virtual: []bundle.VirtualModule{{Name: "cloudflare:workers"}}})
	if err != nil {
		b.Fatal(err)
	}
	class := Class{Worker: "w", Name: "B", SQL: true}
	if err := objs.Declare(class); err != nil {
		b.Fatal(err)
	}
	flags, _ := worker.ResolveFlags("2026-04-01", nil)
	w, err := worker.Start(context.Background(), worker.Options{
		Name: "w", Script: &worker.Script{Bundle: built}, Flags: flags,
		Install: []func(*worker.Isolate) error{objs.Install}, Bindings: []worker.Binding{objs.Binding("B", class)},
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := objs.Attach(context.Background(), w.Isolate); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := objs.Close(context.Background()); err != nil {
			b.Error(err)
		}
		w.Close()
	})
	return w
}

func drive(b *testing.B, w *worker.Worker, what string, n int) {
	req, _ := http.NewRequest("GET", fmt.Sprintf("http://localhost/%s?n=%d", what, n), nil)
	res, err := w.Fetch(context.Background(), req, worker.FetchOptions{})
	if err != nil {
		b.Fatal(err)
	}
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != "ok" {
		b.Fatal(string(body), err)
	}
}

// Calls and writes of one object, one operation each.
func BenchmarkObject(b *testing.B) {
	for _, c := range []struct {
		name string
		d    storage.Durability
	}{{"echo", storage.Strict}, {"object", storage.Strict}, {"inc", storage.Strict}, {"incParallel", storage.Strict},
		{"inc", storage.Relaxed}, {"insert", storage.Relaxed},
		// One row, key or transaction each, all in one event.
		{"inserts", storage.Relaxed}, {"rows", storage.Relaxed}, {"one", storage.Relaxed}, {"gets", storage.Relaxed},
		{"lists", storage.Relaxed}, {"transactions", storage.Relaxed}} {
		b.Run(fmt.Sprintf("%s/durability=%d", c.name, c.d), func(b *testing.B) {
			w := realTime(b, c.d)
			drive(b, w, c.name, 1)
			b.ReportAllocs()
			b.ResetTimer()
			drive(b, w, c.name, b.N)
		})
	}
}

// Memory of objects that are in memory with nothing to do.
func BenchmarkIdleObjects(b *testing.B) {
	w := realTime(b, storage.Strict)
	drive(b, w, "many", 1)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	drive(b, w, "many", b.N)
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(b.N), "B/object")
}
