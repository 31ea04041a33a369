package kernel

import "testing"

// TestDynamic finds direct eval and with in a text, and nothing else.
func TestDynamic(t *testing.T) {
	for text, want := range map[string]bool{
		"eval('x')": true, "a; with (o) x": true, "list.with(1, 2)": false, "evaluate(x)": false, "o.eval(x)": false,
		"medieval(x)": false, "with": false, "": false,
	} {
		if got := dynamic(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
