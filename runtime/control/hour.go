package control

import "time"

// durationBounds are the upper bounds of processing times, in ms: the alert levels of Z0-14 (10 s and 60 s) are among
// them.
var durationBounds = []float64{
	1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000, 900_000}

// hour counts per minute, in a ring.
type hour struct {
	minutes [60]counts
}

// counts are those of one minute, or a sum.
type counts struct {
	at                             int64 // minutes since 1970
	sent, received, acked, retried int
	// failed for good: dead letters, and what was dropped for want of a dead letter queue
	dead      int
	durations [18]int // one more than durationBounds: the last is for everything above
}

func (h *hour) minute(t time.Time) *counts {
	at := t.Unix() / 60
	c := &h.minutes[((at%60)+60)%60]
	if c.at != at {
		*c = counts{at: at}
	}
	return c
}

func (c *counts) duration(ms float64) {
	i := 0
	for i < len(durationBounds) && ms > durationBounds[i] {
		i++
	}
	c.durations[i]++
}

func (c counts) retryRate() float64 {
	if c.received == 0 {
		return 0
	}
	return float64(c.retried+c.dead) / float64(c.received)
}

// batches counts those that have ended.
func (c counts) batches() (n int) {
	for _, k := range c.durations {
		n += k
	}
	return n
}

// p99 is the upper bound of the bucket that holds the 99th percentile, in ms; 0 without any batch.
func (c counts) p99() float64 {
	total := c.batches()
	if total == 0 {
		return 0
	}
	want, seen := (total*99+99)/100, 0
	for i, n := range c.durations {
		if seen += n; seen >= want {
			return durationBounds[min(i, len(durationBounds)-1)]
		}
	}
	return durationBounds[len(durationBounds)-1]
}
