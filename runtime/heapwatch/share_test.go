package heapwatch

import (
	"os"
	"runtime"
	"testing"
)

// All allocations are sampled, so that weights are exact.
func TestMain(m *testing.M) {
	runtime.MemProfileRate = 1
	os.Exit(m.Run())
}

// Shares are told apart by what their goroutines have allocated, as long as it is alive, however deep the stack.
func TestShares(t *testing.T) {
	const some = 1 << 18
	weigh := func(s *Share) uint64 {
		t.Helper()
		runtime.GC()
		weights, err := Weigh()
		if err != nil {
			t.Fatal(err)
		}
		bytes, known := weights.Of(s)
		if !known || weights.Heaviest() < bytes {
			t.Fatal("not weighed")
		}
		return bytes
	}
	var shares [20]*Share
	var kept [len(shares)][][]byte
	for i := range shares {
		shares[i] = NewShare()
		ended := make(chan struct{})
		shares[i].Go(func() {
			defer close(ended)
			deep(20, func() {
				for range i {
					kept[i] = append(kept[i], make([]byte, some))
				}
			})
		})
		<-ended
	}
	for i, s := range shares {
		if got := weigh(s); got < uint64(i)*some || got > uint64(i+1)*some {
			t.Errorf("share %d has allocated %d times 256 KB and weighs %d bytes", s.number, i, got)
		}
	}
	kept[19] = nil
	if got := weigh(shares[19]); got > some {
		t.Errorf("%d bytes of nothing", got)
	}
	runtime.KeepAlive(kept)
	for _, s := range shares {
		s.Close()
	}
}

func deep(n int, fn func()) {
	if n == 0 {
		fn()
		return
	}
	func() { deep(n-1, fn) }()
}

// Numbers come back, the longest unused first, and those who find none are not weighed.
func TestShareNumbers(t *testing.T) {
	var all []*Share
	seen := map[int]bool{}
	for {
		s := NewShare()
		if s.number == 0 {
			break
		}
		if seen[s.number] {
			t.Fatalf("%d is given twice", s.number)
		}
		seen[s.number] = true
		all = append(all, s)
	}
	if _, known := (Weights{map[int]uint64{0: 1}}).Of(&Share{}); known {
		t.Error("the share without a number is weighed")
	}
	for _, s := range all {
		s.Close()
	}
	if len(all) < maxShares-100 {
		t.Errorf("%d shares", len(all))
	}
	if s := NewShare(); s.number == 0 {
		t.Error("no number comes back")
	}
}
