package wrangler

import "testing"

func TestDidYouMean(t *testing.T) {
	known := []string{"compatibility_date", "compatibility_flags", "queues", "vars", "kv_namespaces", "cpu_ms"}
	tests := []struct{ word, want string }{
		{"compatability_date", "compatibility_date"}, {"compatibilityFlags", "compatibility_flags"},
		{"queue", "queues"}, {"qeues", "queues"},
		{"VARS", "vars"}, {"kv-namespaces", "kv_namespaces"}, {"cpu", "cpu_ms"}, {"xyz", ""}, {"", ""}, {"q", ""},
		{"entirely_different", ""},
	}
	for _, test := range tests {
		if got := didYouMean(test.word, known); got != test.want {
			t.Errorf("%q: %q, want %q", test.word, got, test.want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"ab", "ba", 1}, {"abc", "axc", 1}, {"kitten", "sitting", 3}}
	for _, test := range tests {
		if got := editDistance(test.a, test.b); got != test.want {
			t.Errorf("%q to %q: %d, want %d", test.a, test.b, got, test.want)
		}
		if got := editDistance(test.b, test.a); got != test.want {
			t.Errorf("%q to %q: %d, want %d", test.b, test.a, got, test.want)
		}
	}
}
