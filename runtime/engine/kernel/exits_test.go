package kernel

import "testing"

// TestUselessKernelsRest: a kernel that ends at exits after few rounds is left to goja for a while and tried again, and
// one that comes to its end is tried each time.
func TestUselessKernelsRest(t *testing.T) {
	k := &Kernel{}
	soon := Result{Outcome: Exited, Offset: pollEvery - minRounds + 1}
	for range maxUseless {
		k.left(soon)
	}
	if k.resting() {
		t.Error("it rests too early")
	}
	for range 2 { // also after one more that is useless
		k.left(soon)
		for n := range restsFor {
			if !k.resting() {
				t.Fatalf("it rests %d times", n)
			}
		}
		if k.resting() {
			t.Error("it rests for good")
		}
	}
	k.left(Result{Outcome: Ran})
	if k.left(soon); k.resting() {
		t.Error("it rests after it was useful")
	}
	k.left(Result{Outcome: Exited, Offset: pollEvery - minRounds})
	if k.left(soon); k.resting() {
		t.Error("an exit after many rounds is not useful")
	}
}
