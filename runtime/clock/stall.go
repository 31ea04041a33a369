package clock

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// StallError is why virtual time did not get where it should: what was in flight, at work or due when the caller would
// wait no longer.
type StallError struct {
	// Now is the time at which the clock stands.
	Now time.Time
	// Holders are the reasons of the holds and the names of the participants that run or want to, sorted. A name that
	// occurs several times is listed once, with a count.
	Holders []string
	// Next is the earliest timer, zero for none.
	Next time.Time
	// Err is the error of the caller's context.
	Err error
}

// Error implements error.
func (e *StallError) Error() string {
	text := "virtual time stands at " + e.Now.Format("2006-01-02 15:04:05.000")
	switch {
	case len(e.Holders) > 0:
		text += ", held by " + strings.Join(e.Holders, ", ")
	case !e.Next.IsZero():
		text += fmt.Sprintf(", and timers never end: the next one is due in %s", e.Next.Sub(e.Now))
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the context's error.
func (e *StallError) Unwrap() error { return e.Err }

// stalled describes the clock as it is now.
func (v *Virtual) stalled(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	count := map[string]int{}
	for h := range v.holds {
		count[h.reason]++
	}
	if v.running != nil {
		count[v.running.name+", which runs"]++
	}
	for p, ready := range v.participants {
		if ready && p != v.running {
			count[p.name+", which has work"]++
		}
	}
	e := &StallError{Now: v.now, Err: ctx.Err()}
	for _, what := range slices.Sorted(maps.Keys(count)) {
		if n := count[what]; n > 1 {
			what = fmt.Sprintf("%s (%d times)", what, n)
		}
		e.Holders = append(e.Holders, what)
	}
	if t, ok := v.firstLocked(); ok {
		e.Next = t.When
	}
	return e
}
