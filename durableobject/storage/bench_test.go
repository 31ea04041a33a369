package storage_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"eddy/durableobject/storage"
)

// both runs a benchmark without and with a history.
func both(b *testing.B, run func(b *testing.B, s *storage.Store)) {
	for _, history := range []bool{false, true} {
		b.Run(fmt.Sprint("history=", history), func(b *testing.B) {
			o := storage.Options{}
			if history {
				o.HistoryDir = b.TempDir()
			}
			run(b, store(b, o))
		})
	}
}

// One turn that reads, adds one and commits; without waiting for the disk.
func BenchmarkIncrement(b *testing.B) { both(b, benchmarkIncrement) }

func benchmarkIncrement(b *testing.B, s *storage.Store) {
	b.ReportAllocs()
	for b.Loop() {
		increment(b, s)
	}
}

func increment(b *testing.B, s *storage.Store) {
	v, _, err := s.Get("n")
	must(b, err)
	n, _ := strconv.Atoi(string(v))
	must(b, s.Put("n", strconv.AppendInt(nil, int64(n+1), 10)))
	must(b, s.Commit())
}

// The same, each turn waiting until it is durable.
func BenchmarkDurableIncrement(b *testing.B) { both(b, benchmarkDurableIncrement) }

func benchmarkDurableIncrement(b *testing.B, s *storage.Store) {
	done := make(chan error)
	for b.Loop() {
		increment(b, s)
		s.Sync(func(err error) { done <- err })
		must(b, <-done)
	}
}

// The same with 64 replies waiting at the gate at a time.
func BenchmarkDurableIncrementPipelined(b *testing.B) {
	s := store(b, storage.Options{})
	gate := make(chan error, 64)
	waiting := 0
	for b.Loop() {
		increment(b, s)
		if waiting == cap(gate) {
			must(b, <-gate)
			waiting--
		}
		waiting++
		s.Sync(func(err error) { gate <- err })
	}
	for range waiting {
		must(b, <-gate)
	}
}

func BenchmarkSQLInsert(b *testing.B) { both(b, benchmarkSQLInsert) }

func benchmarkSQLInsert(b *testing.B, s *storage.Store) {
	must(b, exec(s, "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, n REAL)"))
	b.ReportAllocs()
	for b.Loop() {
		must(b, exec(s, "INSERT INTO t(name, n) VALUES(?, ?)", "name", 1.5))
		must(b, s.Commit())
	}
}

func BenchmarkSQLSelectRow(b *testing.B) {
	s := store(b, storage.Options{})
	must(b, exec(s, "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES(1,'one')"))
	must(b, s.Commit())
	b.ReportAllocs()
	for b.Loop() {
		c, err := s.Exec("SELECT id, name FROM t WHERE id = ?", 1.0)
		must(b, err)
		if _, more, err := c.Next(); !more || err != nil {
			b.Fatal(more, err)
		}
		c.Close()
	}
}

func BenchmarkGet(b *testing.B) {
	s := store(b, storage.Options{})
	put(b, s, "k")
	must(b, s.Commit())
	b.ReportAllocs()
	for b.Loop() {
		if _, ok, err := s.Get("k"); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

// Opening an object's file, reading one key, closing it.
func BenchmarkOpenGetRelease(b *testing.B) { both(b, benchmarkOpenGetRelease) }

func benchmarkOpenGetRelease(b *testing.B, s *storage.Store) {
	put(b, s, "k")
	must(b, s.Commit())
	b.ReportAllocs()
	for b.Loop() {
		s.Release()
		if _, ok, err := s.Get("k"); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

// The same with a write: what the history costs an object that wakes for one.
func BenchmarkOpenPutRelease(b *testing.B) {
	both(b, func(b *testing.B, s *storage.Store) {
		b.ReportAllocs()
		for b.Loop() {
			increment(b, s)
			s.Release()
		}
	})
}

// Memory of the whole process for each object whose file is open.
func BenchmarkMemoryPerOpenObject(b *testing.B) { benchmarkMemory(b, 200, func(*storage.Store) {}) }

// The same for each object that has stored something and whose file is closed.
func BenchmarkMemoryPerClosedObject(b *testing.B) {
	benchmarkMemory(b, 2000, (*storage.Store).Release)
}

func benchmarkMemory(b *testing.B, n int, after func(*storage.Store)) {
	for b.Loop() {
		dir := b.TempDir()
		ns, err := storage.OpenNamespace(dir, storage.Options{HistoryDir: b.TempDir()})
		must(b, err)
		before := resident(b)
		for i := range n {
			s := ns.Store(id(i))
			put(b, s, "k")
			must(b, exec(s, "CREATE TABLE t(a)"))
			must(b, s.Commit())
			after(s)
		}
		ns.Settle()
		b.ReportMetric(float64(resident(b)-before)/float64(n), "B/object")
		must(b, ns.Close())
	}
}

// resident is the memory of this process in bytes, 0 where it is unknown.
func resident(b *testing.B) int64 {
	runtime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var pages int64
	if _, err := fmt.Sscan(strings.Fields(string(text))[1], &pages); err != nil {
		b.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
