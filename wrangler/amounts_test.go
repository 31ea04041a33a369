package wrangler

import (
	"testing"
	"time"
)

// Sizes and times are read as people write them. What is none is a mistake.
func TestAmounts(t *testing.T) {
	for text, want := range map[string]int64{"500": 500, "64MB": 64_000_000, "1.5 kb": 1500, "0": 0, "MB": 0, "-1": 0,
		"1TB": 0, "": 0} {
		if n, err := ParseSize(text); n != want || (err == nil) != (want > 0) {
			t.Errorf("size %q: %d, %v", text, n, err)
		}
	}
	for text, want := range map[string]time.Duration{"90": 90 * time.Second, "1h30m": 90 * time.Minute,
		"2w": 14 * 24 * time.Hour, "": 0, "h": 0, "3y": 0, "99999w": 0} {
		if d, err := ParseAge(text); d != want || (err == nil) != (want > 0) {
			t.Errorf("duration %q: %v, %v", text, d, err)
		}
	}
}
