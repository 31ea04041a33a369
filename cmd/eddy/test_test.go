package main

import "testing"

// A test has vitest's time-outs, which the scripts' own eddy does not keep to (TEST-89, TEST-117).
func TestTimeouts(t *testing.T) {
	fl := newTest(OS{}).Flags()
	for name, want := range map[string]string{"test-timeout": "5000", "hook-timeout": "10000"} {
		if got := fl.Lookup(name).DefValue; got != want {
			t.Errorf("--%s is %s milliseconds, want %s", name, got, want)
		}
	}
}
