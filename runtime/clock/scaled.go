package clock

import (
	"math"
	"time"
)

// Scaled is the machine's clock at another pace: from its start on time passes Factor times as fast. Holds and
// participants cost nothing, as with [Real]. Make one with [NewScaled].
type Scaled struct {
	Real
	start  time.Time // with the machine's monotonic reading
	factor float64
}

// NewScaled starts a clock at the machine's present time. factor is above 0.
func NewScaled(factor float64) *Scaled { return &Scaled{start: time.Now(), factor: factor} }

// Now implements [Clock].
func (s *Scaled) Now() time.Time {
	return s.start.Add(atMost(float64(time.Since(s.start)) * s.factor)).Round(0).UTC()
}

// AfterFunc implements [Clock]. It rounds up: f must not find itself before its time.
func (s *Scaled) AfterFunc(d time.Duration, f func()) Timer {
	return time.AfterFunc(atMost(float64(max(d, 0))/s.factor+1), f)
}

// atMost is a duration in nanoseconds, 292 years if it is longer: an alarm of a next century on a slow clock.
func atMost(nanoseconds float64) time.Duration {
	if nanoseconds >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(nanoseconds)
}
