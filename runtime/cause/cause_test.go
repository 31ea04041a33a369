package cause

import "testing"

// The cases are those of the recommendation W3C Trace Context, section 3.2.
func TestParse(t *testing.T) {
	const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	if got := Parse(good).String(); got != good {
		t.Errorf("got %s, want %s", got, good)
	}
	if !Parse("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-what-is-to-come").Valid() {
		t.Error("a version to come was refused")
	}
	for _, bad := range []string{"", good[:54], good + "0", good + "-01", "ff" + good[2:],
		"00-4BF92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
		"00-4bf92f3577b34da6a3ce929d0e0e47360-0f067aa0ba902b7-01", "cc" + good[2:] + "x",
	} {
		if c := Parse(bad); c.Valid() || c.String() != "" {
			t.Errorf("%q was taken as %v", bad, c)
		}
	}
}

func TestNext(t *testing.T) {
	first := Cause{}.Next()
	second := first.Next()
	if !first.Valid() || second.Trace != first.Trace || second.Span == first.Span {
		t.Errorf("%v then %v: want one trace and two spans", first, second)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	f.Fuzz(func(t *testing.T, s string) {
		if c := Parse(s); c.Valid() && c.String()[3:52] != s[3:52] {
			t.Errorf("%q became %s", s, c)
		}
	})
}
