package v8text_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/ecma/ecmatest"
	"eddy/runtime/engine/v8text"
)

// Forms and positions are those of the reference (RT15).
func TestStacks(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`new Error("x").stack`, "Error: x\n    at w.js:1:1"},
		{`(function foo() { return new TypeError("x").stack })()`,
			"TypeError: x\n    at foo (w.js:1:26)\n    at w.js:1:53"},
		{`class A { m() { return [1].map(() => new Error("q").stack)[0] } }; new A().m()`,
			"Error: q\n    at w.js:1:38\n    at Array.map (<anonymous>)\n    at A.m (w.js:1:28)\n    at w.js:1:76"},
		{`class A { constructor() { this.s = new Error("q").stack } }; new A().s`,
			"Error: q\n    at new A (w.js:1:36)\n    at w.js:1:62"},
		{`class A { static s() { return new Error("q").stack } }; A.s()`,
			"Error: q\n    at A.s (w.js:1:31)\n    at w.js:1:59"},
		{`class A { get x() { return new Error("q").stack } }; new A().x`,
			"Error: q\n    at get x (w.js:1:28)\n    at w.js:1:62"},
		{`class A { #p() { return new Error("q").stack } t() { return this.#p() } }; new A().t()`,
			"Error: q\n    at #p (w.js:1:25)\n    at A.t (w.js:1:66)\n    at w.js:1:84"},
		{`const o = { fetch() { return new Error("q").stack } }; o.fetch()`,
			"Error: q\n    at Object.fetch (w.js:1:30)\n    at w.js:1:58"},
		{`const o = {}; o.foo = function () { return new Error("q").stack }; o.foo()`,
			"Error: q\n    at o.foo (w.js:1:44)\n    at w.js:1:70"},
		{`const o = { a: () => new Error("q").stack }; o.a()`,
			"Error: q\n    at Object.a (w.js:1:22)\n    at w.js:1:48"},
		{`const o = { "a b": () => new Error("q").stack, "x-y"() { return new Error("q").stack }, ` +
			`5: () => new Error("q").stack, "ok": () => new Error("q").stack }; ` +
			`Object.values(o).map((f) => f().split("\n")[1]).join()`,
			"    at 5 (w.js:1:98),    at a b (w.js:1:26),    at x-y (w.js:1:65),    at Object.ok (w.js:1:132)"},
		{`class A { "x y"() { return new Error("q").stack } }; new A()["x y"]().split("\n")[1]`,
			"    at x y (w.js:1:28)"},
		// The constructors of an error's own classes have no frames.
		{`class A extends Error { constructor(m) { super(m) } } class B extends A { constructor(m) { super(m) } }` +
			`; function make() { return new B("q").stack }; make()`,
			"Error: q\n    at make (w.js:1:131)\n    at w.js:1:151"},
		{`class E extends Error { constructor(m) { super(m); this.name = "Mine" } }; new E("m").stack.split("\n")[0]`,
			"Mine: m"},
		{`let s; try { JSON.parse("{") } catch (e) { s = e.stack }; s`,
			"SyntaxError: Expected property name or '}' in JSON at position 1 (line 1 column 2)\n    at JSON.parse " +
				"(<anonymous>)\n    at w.js:1:19"},
		{`function a() { return b() } function b() { return c() } function c() { ` +
			`const o = {}; Error.captureStackTrace(o, b); return o.stack }; a()`,
			"Error\n    at a (w.js:1:23)\n    at w.js:1:135"},
		{`Error.stackTraceLimit = 1; (function f() { return new Error("x").stack })()`,
			"Error: x\n    at f (w.js:1:51)"},
		{`Error.stackTraceLimit = 0; new Error("x").stack`, "Error: x"},
		{`const e = new Error("x"); e.stack = 5; e.stack + "" + Object.keys(e)`, "5"},
		{`Error.prepareStackTrace = (e, s) => s[0].getLineNumber() + ":" + s[0].getFunctionName() + ":" + ` +
			`s[0].getFileName(); (function f() { return new Error("x").stack })()`, "1:f:w.js"},
		{`[1].values().map((x) => new Error("x").stack).next().value`, "Error: x\n    at w.js:1:25\n    at w.js:1:47"},
		{`const é = "漢字"; new Error("x").stack`, "Error: x\n    at w.js:1:17"},
	} {
		e := ecmatest.New(t)
		v, err := e.Run("w.js", c.src, true)
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
		} else if v.String() != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.src, v, c.want)
		}
	}
}

func TestAsyncStack(t *testing.T) {
	e := ecmatest.New(t)
	v, err := e.Run("w.js", `let s; async function f() { await 0; throw new Error("x") }
async function g() { const x = await f(1, await 0); return x }
(async () => { try { await g() } catch (e) { s = e.stack } })(); () => s`, true)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := goja.AssertFunction(v)
	got, err := f(goja.Undefined())
	if err != nil {
		t.Fatal(err)
	}
	const want = "Error: x\n    at f (w.js:1:44)\n    at async g (w.js:2:32)\n    at async w.js:3:22"
	if got.String() != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// The source map is asked when a stack is read; frames of the platform's own scripts are hidden.
func TestMapPositionAndHiddenFiles(t *testing.T) {
	asked := 0
	e := ecmatest.With(t, ecma.Options{Texts: v8text.Options{
		HideFile: func(file string) bool { return strings.HasPrefix(file, "platform:") },
		MapPosition: func(file string, line, col int) (string, int, int, string, bool) {
			asked++
			return "src/index.ts", line + 10, col + 100, "", line != 2
		},
	}})
	helper, err := e.Run("platform:helper.js", "(f) => f()", true)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Runtime.Set("helper", helper); err != nil {
		t.Fatal(err)
	}
	v, err := e.Run("bundle.js", `helper(() => new Error("x"))`, true)
	if err != nil {
		t.Fatal(err)
	}
	if asked != 0 {
		t.Errorf("the source map was asked %d times before the stack was read", asked)
	}
	frames := e.Engine.StackOf(v)
	if len(frames) != 2 || frames[0] != (v8text.StackFrame{File: "src/index.ts", Line: 11, Column: 114}) {
		t.Errorf("frames %+v", frames)
	}
	if got := e.Engine.ErrorText(v); got != "Error: x" {
		t.Errorf("text %q", got)
	}
	// Code that stands in no file of the user's, as that which a bundler adds, has no frames.
	if v, err = e.Run("bundle.js", "const added = \n() => new Error('y');\nadded()", true); err != nil {
		t.Fatal(err)
	}
	if frames := e.Engine.StackOf(v); len(frames) != 1 || frames[0].Line != 13 {
		t.Errorf("frames %+v", frames)
	}
}

func TestErrorText(t *testing.T) {
	for src, want := range map[string]string{
		`throw "s"`: "s", `throw null`: "null", `throw undefined`: "undefined", `throw { a: 1 }`: "#<Object>",
		`throw Symbol("q")`:         "Symbol(q)",
		`throw new RangeError("r")`: "RangeError: r", `class F {}; throw new F()`: "#<F>",
		`throw [1, 2]`: "[object Array]",
	} {
		if got := ecmatest.New(t).Eval(src); got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

// The place of a failed access is that of its property, as Node 22 has it (testdata/columns.txt: column, tab, script).
func TestColumns(t *testing.T) {
	lines, err := os.ReadFile("testdata/columns.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		want, src, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		e := ecmatest.New(t)
		v, err := e.Run("w.js", "let at; try {"+src+"} catch (e) { at = e.stack.match(/w\\.js:1:(\\d+)/)[1] - 13 } at",
			true)
		if err != nil {
			t.Errorf("%s: %v", src, err)
		} else if v.String() != want {
			t.Errorf("%s\n%sgot %s, want %s", src, strings.Repeat(" ", max(0, int(v.ToInteger())-1))+"^\n", v, want)
		}
	}
}
