package queue

import (
	"math/rand/v2"
	"time"
)

// BackoffFunc returns the delay before the given retry. attempt is 1 after the first failure, 2 after the second, and
// so on.
type BackoffFunc func(attempt int) time.Duration

const (
	backoffBase = time.Second
	backoffCap  = 5 * time.Minute
)

// DefaultBackoff doubles from 1 s up to 5 min and varies each delay uniformly by 25% either way, but never above the
// cap. Attempts beyond every doubling get the cap, those below 1 the base.
func DefaultBackoff(attempt int) time.Duration {
	d := backoffCap
	if shift := max(attempt, 1) - 1; shift < 9 { // 1 s << 9 is above the cap
		d = backoffBase << shift
	}
	low, high := d-d/4, min(d+d/4, backoffCap)
	return low + rand.N(high-low+1)
}
