package main

import (
	"os"
	"runtime/debug"

	"eddy/runtime/heapwatch"
)

// heapSlack is how much may be allocated between two collections however little is alive. A session at rest keeps some
// ten megabytes, so that at Go's own pace, twice what is alive, the collector would run at every ten again, and take a
// fifth of the processor under load.
const heapSlack = 24 << 20

// paceHeap gives the collector that slack for as long as the process lives. With more alive than the slack Go's own
// pace holds, and with GOGC set the user's.
func paceHeap() {
	if os.Getenv("GOGC") != "" {
		return
	}
	p := &heapPace{}
	p.set(heapPercent(0))
	heapwatch.Each(p.collected)
}

// heapPace is looked at when a collection has ended, by one goroutine at a time.
type heapPace struct{ percent int }

func (p *heapPace) collected(live uint64) (again bool) {
	p.set(heapPercent(live))
	return true
}

// set stops the world for a moment: not for a small difference.
func (p *heapPace) set(percent int) {
	if d := percent - p.percent; d*10 > p.percent || -d*10 > p.percent {
		debug.SetGCPercent(percent)
		p.percent = percent
	}
}

// heapPercent is GOGC for that many bytes alive. Above 600 the slack would be more than it says: Go takes four
// megabytes for the least that can be alive.
func heapPercent(live uint64) int {
	return int(min(max(heapSlack*100/max(live, 1), 100), 600))
}
