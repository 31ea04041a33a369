package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// What a text has at an index, and what operators make of bits, is what goja gives, which looks at it the long way.
func TestCharactersAndBits(t *testing.T) {
	showSame(t, []string{
		`const r = [], texts = ["", "a", "abc", "\u00e4b\u{1F600}c\ud800", "\x7f\x80",
				"x".repeat(300) + "\u20ac"];
			const at = (s, i) => s[i], of = (s, i) => { const t = s, k = i; return [t[k], typeof t[k]] };
			for (const s of texts) for (const i of [0, 1, 2, 3, 4, 5, 300, -1, 2 ** 31, 2 ** 53, -0, 0.5, NaN, "1",
				"01", "length", undefined, null, true])
				r.push(at(s, i), of(s, i), s[1], s[i] === s.charAt(i)); r`,
		`const r = []; String.prototype[5] = "five"; String.prototype[1] = "one"; Object.prototype[7] = "seven";
			const at = (s, i) => s[i]; for (const s of ["", "ab", new String("ab"), "abcdefghi", "\u00e4"])
				for (const i of [0, 1, 5, 7]) r.push(at(s, i)); delete String.prototype[5];
			delete String.prototype[1]; delete Object.prototype[7]; r.push(at("ab", 5)); r`,
		`const r = [], at = (s, i) => s[i]; for (const s of [null, undefined]) try { at(s, 0) } catch (e) {
			r.push(String(e)) } r.push(at(5, 0), at(5n, 0), at(true, 0), at(Symbol(), 0));
			try { const f = () => text[0]; f(); let text = "a" } catch (e) { r.push(e.name) }
			const parts = "a b c".split(" "); let sum = "";
			for (let i = 0; i < 3; i++) { sum += parts[i]; r.push(sum[i]) } r`,
		`const r = [], of = [0, 1, -1, 2, 31, 32, 33, 255, 2 ** 31, -(2 ** 31), 2 ** 31 - 1, 2 ** 32, 2 ** 32 + 5,
				-(2 ** 32) - 7, 2 ** 53 - 1, -(2 ** 53) + 1, 1.5, -0.5, NaN, Infinity, "3", "x",
				null, undefined, true, [],
				{ valueOf() { r.push("asked"); return 6 } }];
			for (const a of of) for (const b of of)
				r.push(a & b, a | b, a ^ b, a << b, a >> b, a >>> b, ~a); r`,
		`const r = []; for (const f of [() => 1n & 3n, () => 1n | 2n, () => 1n << 70n, () => -1n >> 1n, () => 1n >>> 1n,
			() => 1n & 1, () => 1 | 1n, () => Symbol() ^ 1]) try { r.push(f()) } catch (e) { r.push(String(e)) } r`,
	})
}

// A character of a text in ASCII, and what bits give, are no pieces of memory of their own.
func TestCharactersAndBitsAreThere(t *testing.T) {
	l, rt := layout(t), goja.New()
	ready(t, l, rt)
	allocations := func(body string) float64 {
		const begin = `(() => { const text = "abc", a = 300, b = 3; return () => {`
		v := runQuickened(t, l, rt, begin+body+`} })()`, true)
		call, _ := goja.AssertFunction(v)
		return testing.AllocsPerRun(100, func() {
			if _, err := call(goja.Undefined()); err != nil {
				t.Fatal(err)
			}
		})
	}
	nothing := allocations(`text; a; b; const t = text, i = 2; t; i`)
	for _, body := range []string{`text[1]; const t = text, i = 2; t[i]; t[b - 3]`,
		`a & b; a | b; a ^ b; b << 2; a >> b; a >>> b`} {
		if n := allocations(body); n > nothing {
			t.Errorf("%s: %v allocations, and %v without it", body, n, nothing)
		}
	}
}
