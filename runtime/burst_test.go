package runtime

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	"eddy/runtime/clock"
)

var burstWorker = script("burst", "burst.js")

const burstConfig = `{
	"name": "burst", "main": "index.js", "compatibility_date": "2026-04-01", "limits": { "cpu_ms": 300000 },
	"queues": { "producers": [{ "binding": "Q", "queue": "q" }], "consumers": [{
		"queue": "q", "max_batch_size": 100, "max_batch_timeout": 1 }] }
}`

// BenchmarkBurst is one Worker that sends a million messages in one event, durably, every second one with a delay, and
// consumes them: none is lost, none comes twice. peak-MB is all that the process took from the system, -benchtime 1x is
// enough.
func BenchmarkBurst(b *testing.B) {
	const n = 1_000_000
	for b.Loop() {
		s := newProject(b, "wrangler.jsonc", burstConfig, "index.js",
			burstWorker).serve(func(o *Options) { o.Clock, o.Reporter = clock.Real{}, nil })
		ask := func(path string) (counted struct{ Got, Twice int }, err error) {
			res, err := http.Get(s.web.URL + path)
			if err != nil {
				return counted, err
			}
			defer res.Body.Close()
			if res.StatusCode != http.StatusOK {
				return counted, fmt.Errorf("%s: %s", path, res.Status)
			}
			return counted, json.NewDecoder(res.Body).Decode(&counted)
		}
		began := time.Now()
		if _, err := ask("/send"); err != nil {
			b.Fatal(err)
		}
		sent := time.Since(began)
		if c, err := ask("/wait"); err != nil || c.Got != n || c.Twice != 0 {
			b.Fatalf("%+v, %v", c, err)
		}
		b.ReportMetric(n/sent.Seconds(), "sent/s")
		b.ReportMetric(n/time.Since(began).Seconds(), "consumed/s")
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/1e6, "peak-MB")
}
