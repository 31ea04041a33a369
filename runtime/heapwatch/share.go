package heapwatch

import (
	"maps"
	"sync"
)

// Share is an account of memory: what the goroutines that were started through it have allocated, as long as it is
// alive. The heap does not tell whose an object is, but the runtime's heap profile tells the stacks of a sample of the
// allocations; goroutines of a share have its number at the bottom of their stacks, as a row of functions. What is
// allocated under a stack of more than a hundred frames has no visible bottom, and is on no account.
type Share struct{ number int }

// Each digit of a number is a function.
const (
	digitBits = 4
	places    = 3
	maxShares = 1 << (digitBits * places) // shares that find no number free have number 0, which is never weighed
)

// rested is how many other numbers must be free before one is given again: garbage of the share before may still count.
const rested = 64

var numbers struct {
	sync.Mutex // guards all below
	free       []int
	given      int // how many numbers were ever in use
}

// NewShare opens an account.
func NewShare() *Share {
	n := &numbers
	n.Lock()
	defer n.Unlock()
	s := &Share{}
	switch {
	case n.given < maxShares-1 && len(n.free) < rested:
		n.given++
		s.number = n.given
	case len(n.free) > 0:
		s.number = n.free[0]
		n.free = n.free[1:]
	}
	return s
}

// Close gives the number back. It must be called once. What goroutines of the share still allocate may then count for
// another share.
func (s *Share) Close() {
	n := &numbers
	n.Lock()
	defer n.Unlock()
	if s.number > 0 {
		n.free = append(n.free, s.number)
	}
}

// Go starts a goroutine of the share.
func (s *Share) Go(fn func()) { go under(s.number, places, fn) }

// under runs fn below as many digits of a number as are left, the highest first.
func under(number, left int, fn func()) {
	if left == 0 {
		fn()
		return
	}
	left--
	digits[number>>(left*digitBits)%(1<<digitBits)](func() { under(number, left, fn) })
}

// Weights are the bytes that are alive in each share.
type Weights struct{ of map[int]uint64 }

// Of returns the bytes of a share. known is false if shares are not weighed: the heap is not profiled, or there are
// more shares than numbers.
func (w Weights) Of(s *Share) (bytes uint64, known bool) {
	return w.of[s.number], w.of != nil && s.number > 0
}

// Heaviest returns the bytes of the heaviest share.
func (w Weights) Heaviest() (most uint64) {
	for bytes := range maps.Values(w.of) {
		most = max(most, bytes)
	}
	return most
}

var digits = [1 << digitBits]func(func()){
	digit0, digit1, digit2, digit3, digit4, digit5, digit6, digit7,
	digit8, digit9, digitA, digitB, digitC, digitD, digitE, digitF,
}

//go:noinline
func digit0(fn func()) { fn() }

//go:noinline
func digit1(fn func()) { fn() }

//go:noinline
func digit2(fn func()) { fn() }

//go:noinline
func digit3(fn func()) { fn() }

//go:noinline
func digit4(fn func()) { fn() }

//go:noinline
func digit5(fn func()) { fn() }

//go:noinline
func digit6(fn func()) { fn() }

//go:noinline
func digit7(fn func()) { fn() }

//go:noinline
func digit8(fn func()) { fn() }

//go:noinline
func digit9(fn func()) { fn() }

//go:noinline
func digitA(fn func()) { fn() }

//go:noinline
func digitB(fn func()) { fn() }

//go:noinline
func digitC(fn func()) { fn() }

//go:noinline
func digitD(fn func()) { fn() }

//go:noinline
func digitE(fn func()) { fn() }

//go:noinline
func digitF(fn func()) { fn() }
