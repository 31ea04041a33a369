package heapwatch

import (
	"runtime"
	"testing"
)

// Each cycle is seen with what is alive, and none after look has returned false.
func TestEach(t *testing.T) {
	kept := make([]byte, 32<<20)
	seen := make(chan uint64, 8)
	n := 0
	Each(func(live uint64) bool {
		n++
		seen <- live
		return n < 3
	})
	// next runs cycles until one is seen: one that comes before Each is armed again is not.
	next := func() uint64 {
		for {
			runtime.GC()
			select {
			case live := <-seen:
				return live
			default:
			}
		}
	}
	for range 3 {
		if live := next(); live < uint64(len(kept)) {
			t.Errorf("%d bytes alive, of which %d are kept", live, len(kept))
		}
	}
	runtime.GC()
	last := make(chan bool)
	Each(func(uint64) bool { close(last); return false })
	runtime.GC()
	<-last // armed after the others, so their turn would have come
	if len(seen) > 0 {
		t.Error("called after it had returned false")
	}
	runtime.KeepAlive(kept)
}
