package kernel

import "testing"

// TestMentioned: a name means a function where nothing else in the text can be meant by it.
func TestMentioned(t *testing.T) {
	const declared = "function f(x) { return x } "
	for rest, want := range map[string]bool{
		"f(1)": true, "o.f = 1; g(f(2))": true, "o?.f": true, "({ f(a) {} })": true, "off(1); f1 = $f": true,
		"2 * f(1)": true, "": true,
		"f = 1": false, "let f": false, "function f() {}": false, "(f) => 1": false, "({ f })": false, "f++": false,
		"for (f of []) ;": false, "g(...f)": false, "function g(...f) {}": false, "[f] = []": false,
		"class f {}": false,
		"f\n(1)":     false, "async function f() {}": false, "function* f() {}": false, "\\f": false,
		"x = function f() {}": false,
		"({ f: f })":          false,
	} {
		names := map[string]bool{"f": false, "other": true}
		if mentioned(declared+rest, names); names["f"] != want || names["other"] {
			t.Errorf("%q: %v", rest, names)
		}
	}
}

// TestEscaped: names that are spelled by escapes are found.
func TestEscaped(t *testing.T) {
	for text, name := range map[string]string{
		`let r\u006ftl`: "rotl", `\u{72}otl = 1`: "rotl", `{rot\u006c}`: "rotl", `a\u0062\u{63}d`: "abcd",
	} {
		if !escaped(text)[name] {
			t.Errorf("%s: %v", text, escaped(text))
		}
	}
	if got := escaped(`"\u00e9" + u`); got["u"] {
		t.Errorf("%v", got)
	}
}
