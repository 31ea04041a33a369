package bounds_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/bounds"
	"eddy/runtime/engine/builtin"
	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/ecma/ecmatest"
)

// recursions end in a RangeError on V8, which the script catches. Each is a function that never ends otherwise. What
// stands before the bar is the least depth that must be reached.
var recursions = []string{
	"9000|const f = () => { n++; f() }; f()",
	"9000|function f() { n++; try { f() } finally { } } f()",
	"2000|const f = () => { n++; [1].map(f) }; f()",
	"2000|const f = () => { n++; [2, 1].sort(f) }; f()",
	"2000|const o = { get x() { n++; return o.x } }; o.x",
	"1000|const o = { toJSON() { n++; return JSON.stringify(o) } }; JSON.stringify(o)",
	"2000|const f = () => { n++; return 'a'.replace('a', f) }; f()",
	"1000|const f = () => { n++; return 'a'.replace(/a/, f) }; f()",
	"2000|const p = new Proxy({}, { get(t, k, r) { n++; return r[k] } }); p.x",
	"2000|const p = new Proxy(() => {}, { apply() { n++; p() } }); p()",
	"2000|const p = new Proxy(class {}, { construct() { n++; return new p() } }); new p()",
	"2000|class A { constructor() { n++; new A() } } new A()",
	"1000|class A { x = (n++, new A()) } new A()",
	"2000|const o = { toString() { n++; return '' + o } }; '' + o",
	"2000|function* g() { n++; yield* g() } [...g()]",
	"2000|const o = { [Symbol.iterator]() { n++; return [...o] } }; [...o]",
	"2000|const f = () => { n++; f.call() }; f()",
	"1000|const f = () => { n++; Array.from([1], f) }; f()",
	"1000|const f = () => { n++; [1].values().map(f).toArray() }; f()",
	"1000|class A { static [Symbol.hasInstance](v) { n++; return v instanceof A } } ({}) instanceof A",
}

// Calls that nest without end throw V8's RangeError, whatever they pass through, and the script catches it and goes on.
func TestStackOverflow(t *testing.T) {
	for _, r := range recursions {
		least, body, _ := strings.Cut(r, "|")
		e := ecmatest.New(t)
		p, err := ecma.Compile(
			"r.js", "let n = 0; (() => { try { (() => {"+body+"\n})() } catch (e) { return (n >= "+least+
				" ? '' : n + ' ') + e } })()", true)
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.Runtime.RunProgram(p)
		if want := "RangeError: Maximum call stack size exceeded"; err != nil || v.String() != want {
			t.Errorf("%s\n\t%v, %v", body, v, err)
		}
		if after, err := e.Runtime.RunString("1 + 1"); err != nil || after.ToInteger() != 2 {
			t.Errorf("%s\n\tafterwards %v, %v", body, after, err)
		}
	}
}

// An async function that calls itself without end is rejected with V8's RangeError, and one that awaits such a function
// catches it.
func TestStackOverflowAsync(t *testing.T) {
	for _, body := range []string{
		"const f = async () => { n++; await f() }; try { await f(); out = 'no error' } catch (e) { out = e }",
		"const f = async () => { n++; await f() }; f().then(() => { out = 'no error' }, (e) => { out = e })",
		"const f = async () => { n++; return f() }; try { await f() } catch (e) { out = e }",
		"const f = async () => { await null; const g = async () => { n++; await g() }; await g() }; try { await f() " +
			"} catch (e) { out = e }",
	} {
		e := ecmatest.New(t)
		p, err := ecma.Compile(
			"a.js", "let n = 0; globalThis.result = () => (n > 1000) + ' ' + out; let out; (async () => {"+body+
				"\n})()", true)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Runtime.RunProgram(p); err != nil {
			t.Fatal(err)
		}
		v, err := e.Runtime.RunString("result()")
		if want := "true RangeError: Maximum call stack size exceeded"; err != nil || v.String() != want {
			t.Errorf("%s\n\t%v, %v", body, v, err)
		}
	}
}

// The error's stack names the function that is one too many, and its callers.
func TestStackOverflowStack(t *testing.T) {
	e := ecmatest.New(t)
	p, err := ecma.Compile("s.js", "function f() {\n\tf();\n}\nlet s; try { f() } catch (e) { s = e.stack } s", true)
	if err != nil {
		t.Fatal(err)
	}
	v, err := e.Runtime.RunProgram(p)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(v.String(), "\n")
	if len(lines) != 11 || lines[0] != "RangeError: "+builtin.Overflow ||
		!strings.HasPrefix(lines[1], "    at f (s.js:") || lines[2] != "    at f (s.js:2:2)" {
		t.Error(v)
	}
}

func BenchmarkCall(b *testing.B) {
	ecmatest.New(b).Bench(b, "function f(a) { return a }; (function () { for (let i = 0; i < 1000; i++) f(i) })")
}

// An interrupt that meets calls nested through native functions as deep as they go is over at once. It took the square
// of the depth, 10 seconds and more here: the test's own limit is what would fail.
func TestInterruptDeepDown(t *testing.T) {
	for _, body := range []string{
		"const f = (k) => { if (k == depth) for (;;) stop(); [1].map(() => f(k + 1)) }; f(0)",
		"const f = async (k) => { if (k == depth) for (;;) stop(); await f(k + 1) }; f(0)",
		"const f = async (k) => { try { if (k == depth) for (;;) stop(); await f(k + 1) } finally { n++ } }; f(0)",
		"const o = (k) => ({ get x() { if (k == depth) for (;;) stop(); return o(k + 1).x } }); o(0).x",
		"let k = 0; class A { x = (() => { if (++k == depth) for (;;) stop(); return new A() })() } new A()",
		"function* g(k) { if (k == depth) for (;;) stop(); yield* g(k + 1) } [...g(0)]",
	} {
		e := ecmatest.New(t)
		_ = e.Runtime.Set("stop", func() { e.Runtime.Interrupt("stopped") })
		_ = e.Runtime.Set("depth", bounds.MaxNativeCalls/3-10)
		p, err := ecma.Compile("i.js", "let n = 0; "+body, true)
		if err != nil {
			t.Fatal(err)
		}
		var interrupted *goja.InterruptedError
		if _, err := e.Runtime.RunProgram(p); !errors.As(err, &interrupted) || interrupted.Value() != "stopped" {
			t.Errorf("%s\n\t%v", body, err)
		}
		e.Runtime.ClearInterrupt()
		if v, err := e.Runtime.RunString("n"); err != nil || v.ToInteger() != 0 {
			t.Errorf("%s\n\tfinally ran %v times, %v", body, v, err)
		}
	}
}
