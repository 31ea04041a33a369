package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// size is the value of a flag that takes a number of bytes: 500, 64MB, 1GB.
type size int64

var sizeForm = regexp.MustCompile(`(?i)^(\d+(?:\.\d+)?)\s*(|b|kb|mb|gb)$`)

var sizeUnits = map[string]float64{"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9}

// String implements [pflag.Value].
func (s *size) String() string {
	for _, unit := range []string{"gb", "mb", "kb"} {
		if n := int64(sizeUnits[unit]); int64(*s) >= n && int64(*s)%n == 0 {
			return strconv.FormatInt(int64(*s)/n, 10) + strings.NewReplacer("k", "k", "b", "B", "m", "M", "g",
				"G").Replace(unit)
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type implements [pflag.Value].
func (s *size) Type() string { return "size" }

// Set implements [pflag.Value].
func (s *size) Set(text string) error {
	m := sizeForm.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return fmt.Errorf("expected a number of bytes such as 500kB, 64MB or 1GB")
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if n *= sizeUnits[strings.ToLower(m[2])]; err != nil || n < 1 || n > 1<<50 {
		return fmt.Errorf("expected a number of bytes from 1 to a million GB")
	}
	*s = size(n)
	return nil
}
