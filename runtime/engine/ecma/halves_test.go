package ecma

import "testing"

// Halves of surrogate pairs stay what they are. The answers are V8's.
func TestHalves(t *testing.T) {
	const want = `"\ud800"true
"\ud800 "true
" \ud800"true
" \ud800 "true
" \ud800 "true
"\ud800 "true
"\udc00%c4%d83d%de00"true
"\udc00%c4%d83d%de00 "true
"\udc00%c4%d83d%de00"true
"\udc00%e4%d83d%de00 "true
"\udc00%c4%d83d%de00 "true
"\udc00%c4%d83d%de00 "true
"a\ud83dB"true
"a\ud83dB%feff"true
"%3000a\ud83dB"true
"%3000a\ud83db%feff"true
"%3000A\ud83dB%feff"true
"a\ud83dB%feff"true
"%391%3a3\ud800%3a3"true
"%391%3a3\ud800%3a3"true
"%391%3a3\ud800%3a3"true
"%3b1%3c2\ud800%3c3"true
"%391%3a3\ud800%3a3"true
"%391%3a3\ud800%3a3"true
"%df\udfff%130i"true
"%df\udfff%130i"true
"%df\udfff%130i"true
"%df\udfffi%307i"true
"SS\udfff%130I"true
"%df\udfff%130i"true
"\ud800%d800%dc00\udc00"true
"\ud800%d800%dc00\udc00"true
"\ud800%d800%dc00\udc00"true
"\ud800%d800%dc00\udc00"true
"\ud800%d800%dc00\udc00"true
"\ud800%d800%dc00\udc00"true
"%180ea\ud800%200b"true
"%180ea\ud800%200b"true
"%180ea\ud800%200b"true
"%180ea\ud800%200b"true
"%180eA\ud800%200b"true
"%180ea\ud800%200b"true
"\ud83d"true
"\ud83d%2029"true
"%2028\ud83d"true
"%2028\ud83d%2029"true
"%2028\ud83d%2029"true
"\ud83d%2029"true
"%d801%dc00\ud801%d801%dc28"true
"%d801%dc00\ud801%d801%dc28"true
"%d801%dc00\ud801%d801%dc28"true
"%d801%dc28\ud801%d801%dc28"true
"%d801%dc00\ud801%d801%dc00"true
"%d801%dc00\ud801%d801%dc28"true
"\ud800"true
"\ud800"true
"\ud800"true
"\ud800"true
"\ud800"true
"\ud800"true`
	v, err := newEngine(t).eval(t, "halves.js", `const texts = [" \ud800 ", "\udc00Ä\ud83d\ude00 ", 
  "\u3000a\ud83dB\ufeff", "ΑΣ\ud800Σ", 
  "ß\udfffİi", "\ud800\ud800\udc00\udc00", "\u180ea\ud800\u200b", 
  "\u2028\ud83d\u2029", "𐐀\ud801𐐨", "\ud800"];
texts.map((t) => ["trim", "trimStart", "trimEnd", "toLowerCase", "toUpperCase", "trimLeft"].map(
  (m) => JSON.stringify(t[m]()) +
    JSON.stringify(String.prototype[m].call(new String(t)) === t[m]())).join("\n")
).join("\n").replace(/[^\x00-\x7f]/g, (c) => "%" + c.charCodeAt(0).toString(16))`, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
