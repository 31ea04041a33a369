package main

import (
	"os"
	"runtime/debug"

	"eddy/runtime/heapwatch"
)

// heapSlack is how many bytes may be allocated between two garbage collections, even if little is alive. A session at
// rest keeps some ten megabytes. Go by itself collects when the heap has doubled; that would be after every ten
// megabytes, and take a fifth of the processor under load.
const heapSlack = 24 << 20

// paceHeap lets the collector allow heapSlack for as long as the process lives. If more than heapSlack is alive, Go's
// own pace holds. If GOGC is set, paceHeap changes nothing.
func paceHeap() {
	if os.Getenv("GOGC") != "" {
		return
	}
	p := &heapPace{}
	p.set(heapPercent(0))
	heapwatch.Each(p.collected)
}

// heapPace is the GOGC that is set. It is corrected after each collection, by one goroutine at a time.
type heapPace struct{ percent int }

func (p *heapPace) collected(live uint64) (again bool) {
	p.set(heapPercent(live))
	return true
}

// set changes GOGC. That stops the world for a moment, so set leaves a small difference alone.
func (p *heapPace) set(percent int) {
	if d := percent - p.percent; d*10 > p.percent || -d*10 > p.percent {
		debug.SetGCPercent(percent)
		p.percent = percent
	}
}

// heapPercent is the GOGC that allows heapSlack while live bytes are alive. Go takes the heap for four megabytes at
// least, so a GOGC above 600 would allow more than heapSlack.
func heapPercent(live uint64) int {
	return int(min(max(heapSlack*100/max(live, 1), 100), 600))
}
