package workflows

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"eddy/runtime/clock"
)

var scaleInstances = flag.Int("workflows.instances", 10000, "how many instances BenchmarkAsleep has")

// sleeper is a runner whose instances do a step, sleep for a week and do another one.
type sleeper struct{}

// Run implements [Runner].
func (sleeper) Run(l *Life) (Stop, bool) {
	calls := 0
	do := func(name string, then func()) {
		id := StepID{Do, name, 1}
		calls++
		l.Begin(id, "{}", func(b Begun, err error) {
			if err != nil || b.Ended {
				then()
				return
			}
			calls++
			l.Succeed(id, Value{Clone: []byte("v"), Shown: `"v"`, Chunks: -1}, func(struct{}, error) { then() })
		})
	}
	do("one", func() {
		calls++
		l.Sleep(StepID{Sleep, "week", 1}, 7*24*time.Hour, func(_ Begun, err error) {
			if err != nil {
				return
			}
			do("two", func() {
				calls++
				l.Finish("null", nil, func(struct{}, error) {})
			})
		})
	})
	return func(reason error, told int) {
		if reason == ErrIdle && told != calls {
			l.Stays()
			return
		}
		l.Ended(reason)
	}, true
}

func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkAsleep creates instances that sleep for a week and are let go, closes the workflow, opens it again, asks for
// one instance, and wakes all. The file is synced as in a session. Nothing of it is JavaScript.
func BenchmarkAsleep(b *testing.B) {
	n := *scaleInstances
	for range b.N {
		o := Options{Name: "flow", Path: filepath.Join(b.TempDir(), "flow.sqlite"),
			Failed: func(err error) { b.Error(err) }}
		virtual := clock.NewVirtual(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), 1)
		virtual.Pause()
		o.Clock = virtual
		w := Open(o)
		w.Attach(sleeper{})
		empty := heap()
		began := time.Now()
		for at := 0; at < n; at += 100 {
			var list []New
			for i := range min(100, n-at) {
				list = append(list, New{ID: fmt.Sprint("instance-", at+i), Shown: "{}"})
			}
			if _, err := Call(w, func(done func([]error, error)) { w.Create(list, done) }); err != nil {
				b.Fatal(err)
			}
		}
		virtual.Advance(b.Context(), 2*time.Minute) // waiting lives are let go
		b.ReportMetric(float64(n)/time.Since(began).Seconds(), "asleep/s")
		b.ReportMetric((heap()-empty)/float64(n), "heap-B/asleep")
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		file, err := os.Stat(o.Path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(file.Size())/float64(n), "file-B/asleep")
		began = time.Now()
		w = Open(o)
		w.Attach(sleeper{})
		if _, err := Call(w, func(done func(*Info, error)) { w.Status("instance-0", false, done) }); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(time.Since(began).Microseconds())/1e3, "open-ms")
		began = time.Now()
		virtual.Advance(b.Context(), 7*24*time.Hour)
		b.ReportMetric(float64(n)/time.Since(began).Seconds(), "woken/s")
		p, err := Call(w, func(done func(Page, error)) { w.List(Filter{Limit: 1}, done) })
		if got := p.ByStatus[Complete]; err != nil || got != n {
			b.Fatalf("%d of %d have ended: %v", got, n, err)
		}
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
