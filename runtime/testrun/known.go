package testrun

import "eddy/runtime/clock"

// streamed is how many seeds in a row have the same random numbers and ids. So what a test does depends on the order of
// steps alone, and an order that has run need not run again.
const streamed = 1000

// known are orders that a test has passed, by their random numbers. A test that looks at its seed is in none.
type known map[uint64]*knownStep

// knownStep is where an order can stand: the steps of the next choice and where each leads, or the test's end.
type knownStep struct {
	offered []*clock.Step
	next    map[int]*knownStep
	over    bool
}

// add takes note of a schedule that has run.
func (k known) add(s *schedule) {
	if s.asked.Load() {
		return
	}
	at := k[s.stream]
	if at == nil {
		at = &knownStep{}
		k[s.stream] = at
	}
	for _, c := range s.chosen {
		if at.next == nil {
			at.offered, at.next = c.offered, map[int]*knownStep{}
		}
		if at.next[c.index] == nil {
			at.next[c.index] = &knownStep{}
		}
		at = at.next[c.index]
	}
	at.over = true
}

// has tells whether the order that a strategy would choose has run.
func (k known) has(stream uint64, strategy func(steps []*clock.Step, n int) int) bool {
	at := k[stream]
	for n := 0; at != nil; n++ {
		if at.over {
			return true
		}
		index := 0
		if n < maxChoices && at.offered != nil {
			index = strategy(at.offered, n)
		}
		at = at.next[index]
	}
	return false
}
