package regexp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/ecma/ecmatest"
)

// longTexts are calls whose matches would be listed before anybody looks at an interrupt.
var longTexts = []string{
	`t.split(/(?:)/)`,
	`t.split(/[ab]/)`,
	`t.match(/a/g)`,
	`t.match(/[ab]*?/g)`,
	`t.replace(/a/g, "b")`,
	`t.replace(/a/g, () => "b")`,
	`t.replaceAll(/(?:)/g, "")`,
	`t.split(/\p{L}/u)`,
	`t.match(/\p{L}/gu)`,
	`t.replace(/\p{L}/gu, "b")`,
}

const (
	tooMuch  = "too much"
	longText = 1 << 18 // long to the package, and so that a list of its matches is told of
)

// The list of a long text's matches is told of while it grows, so that the limit of memory ends it early.
func TestLongTextsAreReserved(t *testing.T) {
	for _, source := range longTexts {
		var e *ecmatest.Runner
		var told uint64
		e = ecmatest.With(t, ecma.Options{Reserve: func(bytes uint64) {
			if told += bytes; told >= 4<<20 {
				e.Runtime.Interrupt(tooMuch)
			}
		}})
		if err := e.Runtime.Set("t", strings.Repeat("a", longText)); err != nil {
			t.Fatal(err)
		}
		p, err := ecma.Compile("n.js", source, true)
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.Runtime.RunProgram(p)
		var interrupted *goja.InterruptedError
		if !errors.As(err, &interrupted) || interrupted.Value() != tooMuch {
			t.Errorf("%s: %d bytes were told of, and the answer is %.40v, %v", source, told, v, err)
		}
	}
}

// A pattern whose repetitions goja would write out, and one match of a long text, end at an interrupt and take no time
// that nobody looks at.
func TestLargePatterns(t *testing.T) {
	ecmatest.Table{
		{`new RegExp("a{1000}".repeat(1000)).test("a".repeat(1e6))`, "true"},
		{`new RegExp("a{1000}".repeat(2)).test("a".repeat(2000 - 1))`, "false"},
		{`new RegExp("((?:a{20}){20}){20}").exec("a".repeat(8000))[1].length`, "400"},
		{`const r = /b(c)/g; r.lastIndex = 3; const m = r.exec("xbc".repeat(1e5)); [m.index, m[1], r.lastIndex].join()`,
			"4,c,6"},
		{`/^(?:a|b)+c$/.test("ab".repeat(1e5))`, "false"},
	}.Run(t)
}

// Both engines give the same answers: what goja says of a short text, this package says of a long one.
func TestLongTextsMatchAlike(t *testing.T) {
	ecmatest.Table{
		{`const t = "a1,b22;".repeat(38000); const short = "a1,b22;".repeat(2);
			const same = (f) => { const all = f(short); return JSON.stringify(f(t).slice(0, all.length - 8)) ===
				JSON.stringify(all.slice(0, all.length - 8)) };
			const long = (f) => f(t).length / f(short).length > 1000;
			[(s) => s.replace(/(\w)(\d+)([,;])/g, "$3$2$1"), (s) => s.replace(/\d+/g, (d) => "<" + d + ">"),
				(s) => s.replaceAll(/[,;]/g, "$&$&"), (s) => s.split(/[,;]/).join("|"),
				(s) => s.split(/([,;])/).join("|"), (s) => s.match(/[a-z]\d+/g).join(" ")]
				.map((f) => same(f) && long(f)).join()`, "true,true,true,true,true,true"},
		{`const t = "a1,b22;".repeat(38000);
			[t.search(/;/), t.search(/x/), t.match(/b(\d+)/)[1], t.match(/x/g), t.split(/,/, 2).join("|"),
				t.replace(/a/, "x").slice(0, 4)].join()`, "6,-1,22,,a1|b22;a1,x1,b"},
		{`const t = "ab".repeat(2 ** 17), r = /a/g;
			Object.defineProperty(r, "flags", { value: "" });
			t.replace(r, "x").slice(0, 4)`, "xbab"},
		{`class R extends RegExp {}; "a-".repeat(2 ** 17).split(new R("-")).length`, "131073"},
		{`const t = "ab".repeat(2 ** 17), r = /b/y; r.lastIndex = 1; [t.replace(r, "x").slice(0, 4), r.lastIndex]
			.join()`, "axab,2"},
		{`const t = "ab".repeat(2 ** 17), r = /b/g; r.lastIndex = 7; t.match(r).length + "," + r.lastIndex`,
			"131072,0"},
	}.Run(t)
}

// A match of a text with more than ASCII costs what it looks at, wherever the text comes from: a look at the whole text
// at each of the matches would take this test a few minutes.
func TestManyMatchesOfWideText(t *testing.T) {
	const lines = 200_000
	for name, source := range map[string]string{
		"of a script": `"\u00e9\u{1F600}\n".repeat(n)`, "of Go": "given",
	} {
		e := ecmatest.New(t)
		for name, v := range map[string]any{"n": lines, "given": strings.Repeat("é\U0001F600\n", lines)} {
			if err := e.Runtime.Set(name, v); err != nil {
				t.Fatal(err)
			}
		}
		v, err := e.Run("n.js", `const t = `+source+`; let tests = 0
for (const r = /\n/g; r.test(t); tests++);
[t.replace(/\n/g, "").length, t.split(/\n/).length, t.match(/./gu).length, tests]+""`, true)
		if want := "600000,200001,400000,200000"; err != nil || v.String() != want {
			t.Errorf("text %s: %v %v, expected %s", name, v, err, want)
		}
	}
}
