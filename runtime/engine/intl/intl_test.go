package intl_test

import (
	"encoding/json"
	"os"
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
)

// The table holds V8's own answers in zone UTC (RT4, RT7, GJ5): Intl, the locale methods, Date's texts and Date.parse.
func TestIntlAgainstV8(t *testing.T) {
	text, err := os.ReadFile("testdata/intl.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][2]string
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	r := ecmatest.New(t)
	for _, row := range rows {
		got := r.Eval("(function(){ try { return String(" + row[0] +
			") } catch (e) { return e.name + ': ' + e.message } })()")
		if got != row[1] {
			t.Errorf("%s\n got %s\nwant %s", row[0], got, row[1])
		}
	}
}

// Segments by the rules of UAX 29, in UTF-16 units, with lone surrogates where they were.
func TestSegmenter(t *testing.T) {
	const start = `const cut = (text, granularity) => [...new Intl.Segmenter("en", { granularity }).segment(text)];
		const show = (text, granularity) => cut(text, granularity).map((s) => s.segment +
			(s.isWordLike ? "+" : "")).join("|");`
	ecmatest.Table{
		{start + `show("👨‍👩‍👧e\u0301🇩🇪🇫🇷각नि\r\n\u0000x", "grapheme")`, "👨‍👩‍👧|e\u0301|🇩🇪|🇫🇷|각|नि|\r\n|\x00|x"},
		{start + `show("can't stop_it 3,000.5 a.b e-mail  x", "word")`,
			"can't+| |stop_it+| |3,000.5+| |a.b+| |e+|-|mail+|  |x+"},
		{start + `show("Ünïcödé カタカナ 漢字 שלום __ 🙂", "word")`, "Ünïcödé+| |カタカナ+| |漢+|字+| |שלום+| |__+| |🙂"},
		{start + `show("He said: \"Go.\" Then. 3.5 is it? Yes!", "sentence")`,
			"He said: \"Go.\" |Then. |3.5 is it? |Yes!"},
		{start + `cut("a😀b", "grapheme").map((s) => s.index).join()`, "0,1,3"},
		{start + `cut("a\ud800b\udc00", "grapheme").map((s) => s.segment.charCodeAt(0).toString(16)).join()`,
			"61,d800,62,dc00"},
		{start + `cut("", "word").length`, "0"},
		{`const s = new Intl.Segmenter("en", { granularity: "word" }).segment("one two"); [s.containing(5).segment, ` +
			`s.containing(3).index, s.containing(9)].join()`, "two,3,"},
	}.Run(t)
}
