package main

import (
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"eddy/runtime/heapwatch"
)

// heapSlack is how many bytes may be allocated between two garbage collections, even if little is alive. A session at
// rest keeps some ten megabytes. Go by itself collects when the heap has doubled; that would be after every ten
// megabytes, and take a fifth of the processor under load. A run of tests is short and makes much garbage, so its slack
// is testSlack.
const heapSlack, testSlack = 24 << 20, 64 << 20

// slack is the slack of this process.
var slack atomic.Uint64

// started says that a session serves. Until then the slack stays the least, whatever the load: a start is short, and
// what it leaves is what a person sees of a session at rest.
var started atomic.Bool

// paceHeap lets the collector allow the slack for as long as the process lives, and more under load (heapload.go). If
// more than that is alive, Go's own pace holds, and the process is held to memoryCeiling. If GOGC is set, paceHeap
// changes nothing, and if GOMEMLIMIT is set, that limit holds.
func paceHeap() {
	if os.Getenv("GOGC") != "" {
		return
	}
	slack.CompareAndSwap(0, heapSlack)
	p := &heapPace{given: os.Getenv("GOMEMLIMIT") != ""}
	p.rest = time.AfterFunc(time.Hour, debug.FreeOSMemory)
	p.rest.Stop()
	p.collected(0)
	heapwatch.Each(p.collected)
	heapwatch.OnBurst(p.burst)
}

// heapPace is the GOGC and the memory limit that are set. They are corrected after each collection, and when a burst
// begins or ends.
type heapPace struct {
	mu       sync.Mutex // guards all below
	live     uint64     // after the last collection
	bursting bool
	percent  int
	ceiling  int64
	given    bool // the memory limit is the user's
	load     heapLoad
	rest     *time.Timer // collects once more when the load has ended; nil in tests
}

func (p *heapPace) collected(live uint64) (again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live = live
	least := slack.Load()
	slack := least
	if started.Load() {
		slack = p.load.slack(readLoad(live), least)
	}
	if p.bursting {
		slack = max(slack, burstSlack(live))
	}
	p.set(heapPercent(live, slack))
	if p.rest != nil {
		if slack > least {
			p.rest.Reset(restAfter)
		} else {
			p.rest.Stop()
		}
	}
	if ceiling := memoryCeiling(live); !p.given && ceiling != p.ceiling {
		debug.SetMemoryLimit(ceiling)
		p.ceiling = ceiling
	}
	return true
}

// burst lets the collector wait while a session builds and starts what is to serve next, and collects what that has
// left a while after it.
func (p *heapPace) burst(under bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bursting = under; under {
		p.set(max(p.percent, heapPercent(p.live, burstSlack(p.live))))
	} else {
		p.set(heapPercent(p.live, slack.Load()))
		if p.rest != nil {
			p.rest.Reset(restAfter)
		}
	}
}

// burstSlack is the slack in a burst: twice what is alive, and 160 MB at most. Two generations of a Worker are alive
// then for a moment, and what each collection has marked of the first is marked for nothing.
func burstSlack(live uint64) uint64 { return max(heapSlack, min(2*live, 160<<20)) }

// leastCeiling is the memory that the process may take before the collector runs more often than GOGC says, and gives
// what it finds back to the system at once: below one and a half times what a turn may add (session.memoryLimit), with
// room for the program itself.
const leastCeiling = 672 << 20

// memoryCeiling is the limit while live bytes are alive. Where more Workers keep more than leastCeiling, the collector
// still waits for a third of it.
func memoryCeiling(live uint64) int64 {
	const step = 64 << 20 // so that the limit is seldom another one
	return max(leastCeiling, int64((live+live/3)/step*step))
}

// set changes GOGC. That stops the world for a moment, so set leaves a small difference alone.
func (p *heapPace) set(percent int) {
	if d := percent - p.percent; d*10 > p.percent || -d*10 > p.percent {
		debug.SetGCPercent(percent)
		p.percent = percent
	}
}

// heapPercent is the GOGC that allows the slack while live bytes are alive. Go takes the heap for four megabytes at
// least, so a higher one would allow more than the slack.
func heapPercent(live, slack uint64) int {
	const least = 4 << 20
	return int(max(slack*100/max(live, least), 100))
}
