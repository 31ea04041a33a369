package bundle

import "testing"

// The highest code point, in every place where a string can stand.
func TestLastCodePoint(t *testing.T) {
	got := run(t, map[string]string{
		"index.js": "const tag = (s, x) => s[0].codePointAt(0).toString(16) + s.raw[0] + x + s[1].length;\n" +
			"const o = { '\\u{10ffff}': 1 }; let n = 0; if (o['\\u{10FFFF}']) n++;\n" +
			"export default [\"\\u{10FFFF}\".length, '\\\\u{10FFFF}'.length, " +
			"`\\u{0010ffff}a${1}b\\u{10FFFF}`.length, " +
			"tag`\\u{10FFFF}${2}\\u{10FFFF}`, \"\U0010FFFF\".codePointAt(0), /\U0010FFFF/u.test(\"\\u{10FFFF}\"), " +
			"/^[\\u{10FFFE}-\\u{10FFFF}]$/u.source.length, n].join(' ')"})
	if want := `2 10 7 10ffff\u{10FFFF}22 1114111 true 25 1`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
