package wrangler

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"eddy/runtime/lazyregexp"
)

var sizeForm = lazyregexp.New(`(?i)^(\d+(?:\.\d+)?)\s*(|b|kb|mb|gb)$`)

var sizeUnits = map[string]float64{"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9}

// ParseSize reads a number of bytes as flags and eddy's own file have it: 500, 64MB, 1GB. Units count in thousands.
// The error says what is expected.
func ParseSize(text string) (int64, error) {
	m := sizeForm.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, errors.New("expected a number of bytes such as 500kB, 64MB or 1GB")
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if n *= sizeUnits[strings.ToLower(m[2])]; err != nil || n < 1 || n > 1<<50 {
		return 0, errors.New("expected a number of bytes from 1 to a million GB")
	}
	return int64(n), nil
}

var durationPart = lazyregexp.New(`^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)`)

var durationUnit = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
	"w": 7 * 24 * time.Hour,
}

// ParseAge reads a time such as 90s, 1h30m or 30d; a number alone is in seconds, as in wrangler. The error says
// what is expected.
func ParseAge(s string) (time.Duration, error) {
	bad := errors.New("expected a duration such as 90s, 10m, 1h30m or 30d")
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		s = strconv.FormatFloat(n, 'f', -1, 64) + "s"
	}
	var sum float64
	for rest := s; ; {
		m := durationPart.FindStringSubmatch(rest)
		if m == nil {
			return 0, bad
		}
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return 0, bad
		}
		sum += n * float64(durationUnit[m[2]])
		if rest = rest[len(m[0]):]; rest == "" {
			break
		}
	}
	if sum > float64(200*365*24*time.Hour) {
		return 0, errors.New("expected less than 200 years")
	}
	return time.Duration(sum), nil
}
