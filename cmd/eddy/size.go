package main

import (
	"strconv"

	"eddy/wrangler"
)

// size is the value of a flag that takes a number of bytes: 500, 64MB, 1GB.
type size int64

// String implements [pflag.Value].
func (s *size) String() string {
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if n := int64(*s); n >= unit.bytes && n%unit.bytes == 0 {
			return strconv.FormatInt(n/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type implements [pflag.Value].
func (s *size) Type() string { return "size" }

// Set implements [pflag.Value].
func (s *size) Set(text string) error {
	n, err := wrangler.ParseSize(text)
	*s = size(n)
	return err
}
