package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// What Ctrl-C promises.
func TestEndingGrace(t *testing.T) {
	if endingGrace > time.Second || drainGrace >= endingGrace {
		t.Errorf("events have %v to end, the session has %v", drainGrace, endingGrace)
	}
}

// Who was told to end waits for what ends soon, and not for what does not.
func TestOutlast(t *testing.T) {
	for name, c := range map[string]struct {
		takes time.Duration
		told  time.Duration // to end, after so long
		want  time.Duration // the wait
		ok    bool
	}{
		"done before":   {takes: time.Hour, told: 2 * time.Hour, want: time.Hour, ok: true},
		"done in time":  {takes: time.Second * 3 / 2, told: time.Second, want: time.Second * 3 / 2, ok: true},
		"not in time":   {takes: time.Hour, told: time.Second, want: time.Second + endingGrace},
		"told at first": {takes: time.Hour, want: endingGrace},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), c.told)
			defer cancel()
			began := time.Now()
			v, ok := outlast(ctx, func() string {
				time.Sleep(c.takes)
				return "done"
			})
			if waited := time.Since(began); ok != c.ok || (v == "done") != c.ok || waited != c.want {
				t.Errorf("%s: %q %v after %v", name, v, ok, waited)
			}
			time.Sleep(c.takes) // what was not waited for ends, too
		})
	}
}
