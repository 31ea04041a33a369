package declarations

import "testing"

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		glob string
		want pattern
	}{
		{"**/*.txt", pattern{"*.txt", "*.txt", true, true, true}},
		{"*.txt", pattern{"*.txt", "*.txt", true, false, true}},
		{"src/**/*.txt", pattern{"src/*.txt", "*.txt", true, false, true}},
		{"a/*/b*.txt", pattern{"*.txt", "*.txt", false, false, true}},
		{"a/*/b*", pattern{"*", "", false, false, true}},
		{"assets/**", pattern{"assets/*", "", true, false, true}},
		{"a/exact.cfg", pattern{"a/exact.cfg", "*.cfg", true, false, false}},
		{"a.b/none", pattern{"a.b/none", "", true, false, false}},
	} {
		if got := patternOf(c.glob); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.glob, got, c.want)
		}
	}
}

func TestIntersect(t *testing.T) {
	for _, c := range []struct {
		a, b, want string
		ok         bool
	}{
		{"*.txt", "a/*", "a/*.txt", true},
		{"*.txt", "*.bin", "", false},
		{"a/*.txt", "b/*.txt", "", false},
		{"a/x.txt", "*.txt", "a/x.txt", true},
		{"*.txt", "a/x.txt", "a/x.txt", true},
		{"a", "b", "a", false},
		{"ab*", "*", "ab*", true},
	} {
		if got, ok := intersect(c.a, c.b); ok != c.ok || ok && got != c.want {
			t.Errorf("%s and %s: %q %v", c.a, c.b, got, ok)
		}
	}
	if contains("a*a", "a") || !contains("*", "a*b") || contains("a*", "*b") || !contains("x", "x") ||
		contains("x", "x*") {
		t.Error("contains")
	}
}
