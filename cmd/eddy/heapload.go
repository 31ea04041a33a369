package main

import (
	"runtime/metrics"
	"time"
)

// loadSeen is where the process stands when a collection has ended: what is alive, and what the collector and the
// program have computed so far, in seconds of a processor. That the collector does much of it on a processor that had
// nothing else to do does not help: the client and other programs want it too.
type loadSeen struct {
	at                 time.Time
	live               uint64
	collector, program float64
}

func readLoad(live uint64) loadSeen {
	sample := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/user:cpu-seconds"}}
	metrics.Read(sample)
	return loadSeen{at: time.Now(), live: live,
		collector: sample[0].Value.Float64(), program: sample[1].Value.Float64()}
}

// heapLoad finds the slack with which the collector takes collectorShare of what is computed. What a collection costs
// depends on what is alive, and how many there are on the slack: twice the slack is half the share.
type heapLoad struct {
	last loadSeen
	more uint64 // the slack under load
}

// collectorShare is what the collector may take. Without a look at the load it takes a quarter to a half.
const collectorShare = 0.05

// restAfter is how long no collection has come when the load has ended. What it left is collected then, and given
// back to the system, and the slack is the least again.
const restAfter = 3 * time.Second

// loadWindow is how long the load is looked at, at least, before the slack changes.
const loadWindow = 40 * time.Millisecond

// mostSlack bounds the slack: three times what is alive, but not below 64 MB, and 160 MB in all. A turn may take as
// much more than its limit as is garbage when it begins (eventloop.memoryWatch).
func mostSlack(live uint64) uint64 { return min(max(3*live, 64<<20), 160<<20) }

// slack is what may be allocated until the next collection, least or more.
func (l *heapLoad) slack(now loadSeen, least uint64) uint64 {
	passed := now.at.Sub(l.last.at)
	if passed >= restAfter { // and at the first look
		l.last, l.more = now, 0
		return least
	}
	if program := now.program - l.last.program; passed >= loadWindow && program > 0 {
		by := (now.collector - l.last.collector) / program / (collectorShare / (1 - collectorShare))
		had := max(l.more, least, now.live) // where more is alive, Go's own pace holds
		l.more = uint64(float64(had) * min(max(by, 0.5), 8))
		l.last = now
	}
	l.more = min(l.more, mostSlack(now.live))
	return max(l.more, least)
}
