//go:build !linux

package main

import "testing"

// smallDisk is "": file systems are mounted for tests on Linux only.
func smallDisk(*testing.T) string { return "" }
