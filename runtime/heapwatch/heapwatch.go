// Package heapwatch tells when a cycle of the garbage collector has ended, how much was alive in it, and of whom. The
// event loops hold turns and isolates to their memory limit by it, and the command paces the collector. Watching costs
// nothing while the heap does not grow.
//
// Go has no callback for this. A sentinel, an object that nobody refers to, dies with each cycle, and its cleanup runs.
package heapwatch

import (
	"runtime"
	"runtime/metrics"
)

// sentinel has a pointer, so that it does not share a block with other tiny objects.
type sentinel struct{ _ *sentinel }

// Each calls look with the bytes that are alive whenever a cycle has ended, until it returns false. It runs on a
// goroutine of Go's runtime, never twice at once, and must not block.
func Each(look func(live uint64) (again bool)) {
	runtime.AddCleanup(&sentinel{}, func(look func(uint64) bool) {
		if look(Live()) {
			Each(look)
		}
	}, look)
}

// Live is how many bytes were alive in the last cycle that has ended.
func Live() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
