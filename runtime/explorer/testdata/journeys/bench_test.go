package journeys

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// BenchmarkPage measures what a page costs that somebody looks at: the share of a core that the browser takes at a
// hundred events a second (cpu-%), and what requests cost at full load, without a page (alone) and with one (seen): how
// many are answered in a second, and the processor's time that the session takes for each. It needs Linux.
func BenchmarkPage(b *testing.B) {
	s := start(b)
	tab := open(b, s)
	send := func() {
		res, err := http.Post(s.url, "application/json", strings.NewReader(`{"who": "ann", "item": "tea"}`))
		if err != nil {
			b.Error(err)
			return
		}
		res.Body.Close()
	}
	for _, path := range []string{"events", "", "queues/jobs"} {
		b.Run("cpu/"+path, func(b *testing.B) {
			tab.see(path)
			tab.do(performance.Enable().WithTimeDomain(performance.EnableTimeDomainThreadTicks))
			before, began := tab.busy(), time.Now()
			tick := time.NewTicker(30 * time.Millisecond) // a request, a batch and a call are three events
			defer tick.Stop()
			for b.Loop() {
				for range 100 {
					<-tick.C
					send()
				}
			}
			b.ReportMetric(100*(tab.busy()-before)/time.Since(began).Seconds(), "cpu-%")
		})
	}
	for _, what := range []string{"alone", "seen", "alone", "seen", "alone", "seen"} {
		b.Run("load/"+what, func(b *testing.B) {
			if what == "seen" {
				tab.see("events")
			} else {
				tab.do(chromedp.Navigate("about:blank"))
			}
			var all sync.WaitGroup
			spent := s.spent()
			began := time.Now()
			const each = 500
			for range 8 {
				all.Go(func() {
					for range each {
						send()
					}
				})
			}
			all.Wait()
			b.ReportMetric(8*each/time.Since(began).Seconds(), "requests/s")
			b.ReportMetric(1000*(s.spent()-spent)/(8*each), "cpu-ms/request")
		})
	}
}

// busy is how many seconds the page's main thread has worked.
func (b *browser) busy() float64 {
	b.t.Helper()
	var all []*performance.Metric
	b.do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		all, err = performance.GetMetrics().Do(ctx)
		return err
	}))
	for _, m := range all {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	b.t.Fatal("the browser does not say how long it has worked")
	return 0
}

// spent is how many seconds of CPU the session has taken.
func (s *session) spent() float64 {
	s.t.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/stat")
	if err != nil {
		s.t.Fatal(err)
	}
	fields := strings.Fields(string(stat)) // the name of the process has no spaces
	user, err1 := strconv.Atoi(fields[13])
	system, err2 := strconv.Atoi(fields[14])
	if err1 != nil || err2 != nil {
		s.t.Fatalf("%s", stat)
	}
	return float64(user+system) / 100 // the kernel counts in hundredths
}
