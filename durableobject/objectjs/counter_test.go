package objectjs

import "testing"

var counter = prelude + script("counter.js")

// GT2: get-then-put counters are atomic; state survives a restart.
func TestCounter(t *testing.T) {
	b := newBench(t)
	w := b.start(config{classes: []string{"Counter"}}, counter)
	b.expect(w, "/count", "1,2,3,4,5")
	b.expect(w, "/other", "10")
	b.expect(w, "/fetch", "fetched /p 6")
	b.close()
	again := newBenchAt(t, b.root, Options{})
	w = again.start(config{classes: []string{"Counter"}}, counter)
	again.expect(w, "/count", "7,8,9,10,11")
}
