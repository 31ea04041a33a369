package gojainternals

import (
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// A text that goes on in a sum stays what it was, whichever of several sums goes on with it.
func TestSums(t *testing.T) {
	l := layout(t)
	rt := goja.New()
	if _, err := NewMachine(rt); err != nil {
		t.Fatal(err)
	}
	p, err := goja.Compile("", `(() => { const r = []; let a = "", want = []; const seen = [];
		for (let i = 0; i < 400; i++) { a += "part " + i + ";"; want.push("part " + i + ";"); seen.push(a) }
		r.push(a === want.join(""), seen.every((s, i) => s === want.slice(0, i + 1).join("")));
		const start = "x".repeat(100) + "y", one = start + "one", two = start + "two", three = one + 3, four =
		one + 4;
		r.push(one === "x".repeat(100) + "yone", two.endsWith("ytwo"), three.slice(-5), four.slice(-5), one.slice(-4),
			(one + "").length, ("" + one).length, one + "\u00e9" + one === [one, one].join("\u00e9"), three +
			-7 + 1.5);
		let b = "b".repeat(70), c = b; b += "1"; c += "2"; let d = b; b += "3"; d += "4"; r.push(b.slice(-3),
		c.slice(-2),
			d.slice(-3));
		let e = "e".repeat(64) + 1, f = e + 2; const g = f + 3, h = f + 4; r.push(e.slice(-2), f.slice(-2),
		g.slice(-3),
			h.slice(-3)); let long = "l"; for (let i = 0; i < 18; i++) long += long; r.push(long.length,
			(long + long + 1)
			.length); for (let i = 0; i < 300; i++) { a += i; b += a.length; c += b.length % 7; d = d +
			c.length + "z" }
		r.push(a.length, b.length, c.length, d.length, [a, b, c, d].map((s) => { let n = 0; for (const x of s)
			n = (n * 31 + x.charCodeAt(0)) % 1000003; return n })); return JSON.stringify(r) })()`, true)
	if err != nil {
		t.Fatal(err)
	}
	want, err := rt.RunProgram(p)
	if err != nil {
		t.Fatal(err)
	}
	l.Quicken(p)
	for range 2 { // with sums, then again with what is left of them
		got, err := rt.RunProgram(p)
		if err != nil || got.String() != want.String() {
			t.Errorf("%v %v\nwant %v", got, err, want)
		}
	}
	if strings.Contains(want.String(), "false") {
		t.Error(want)
	}
}

// A sum of a long text is told of before it is made, however the program came by its operands, so that a text cannot
// grow beyond its bound unseen.
func TestLongSumsAreWatched(t *testing.T) {
	l := layout(t)
	for _, source := range []string{
		`let s = "x".repeat(40000) + "y"; for (let i = 0; i < 5; i++) s += s; s.length`,
		`(() => { let s = "x".repeat(40000) + "y"; for (let i = 0; i < 5; i++) s = s + s; return s.length })()`,
		`(() => { let s = "x".repeat(40000) + "y"; const more = () => s += s; for (let i = 0; i < 5; i++) more();
			return s.length })()`,
	} {
		rt := goja.New()
		if _, err := NewMachine(rt); err != nil {
			t.Fatal(err)
		}
		p, err := goja.Compile("", source, true)
		if err != nil {
			t.Fatal(err)
		}
		var lengths []int
		l.Watch(p, func(_ *goja.Runtime, op Operator, operands []goja.Value) {
			if op == Add {
				lengths = append(lengths, operands[0].(goja.String).Length())
			}
		})
		l.Quicken(p)
		v, err := rt.RunProgram(p)
		if err != nil || v.ToInteger() != 40001<<5 {
			t.Errorf("%s: %v, %v", source, v, err)
		}
		if want := []int{80002, 160004, 320008, 640016}; !slices.Equal(lengths, want) {
			t.Errorf("%s: told of %v, want %v", source, lengths, want)
		}
	}
}
