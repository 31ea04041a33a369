//go:build !unix

package storage

import "math"

// descriptors is how many files the process may have open: there is no limit
// to ask for here.
func descriptors() int { return math.MaxInt32 }
