package kernel

import "testing"

// TestUselessKernelsRest: a kernel that ends at exits after few rounds is left to goja for a while and tried again, and
// one that comes to its end is tried each time.
func TestUselessKernelsRest(t *testing.T) {
	k := &Kernel{plan: &plan{}}
	left := func(r Result) { k.left(r, (&entry{kernel: k}).few(r)) }
	soon := Result{Outcome: Exited, Offset: pollEvery - minRounds + 1}
	for range maxUseless {
		left(soon)
	}
	if k.resting() {
		t.Error("it rests too early")
	}
	for range 2 { // also after one more that is useless
		left(soon)
		for n := range restsFor {
			if !k.resting() {
				t.Fatalf("it rests %d times", n)
			}
		}
		if k.resting() {
			t.Error("it rests for good")
		}
	}
	left(Result{Outcome: Ran})
	if left(soon); k.resting() {
		t.Error("it rests after it was useful")
	}
	left(Result{Outcome: Exited, Offset: pollEvery - minRounds})
	if left(soon); k.resting() {
		t.Error("an exit after many rounds is not useful")
	}
}

// TestTablesThatTakeLonger: a kernel rests, too, whose tables mostly take longer to copy than its rounds in goja.
func TestTablesThatTakeLonger(t *testing.T) {
	for _, c := range []struct {
		rounds, copied int64
		tables, few    bool
	}{{7, 0, true, true}, {8, 0, true, false}, {100, 1600, true, false}, {100, 1601, true, true},
		{1, 9999, false, false}} {
		e := &entry{kernel: &Kernel{plan: &plan{tables: c.tables}}, copied: c.copied}
		if few := e.few(Result{Outcome: Ran, Offset: float64(pollEvery - c.rounds)}); few != c.few {
			t.Errorf("%d rounds and %d numbers: %t", c.rounds, c.copied, few)
		}
	}
}
