package gojainternals

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
)

func layout(t testing.TB) *Layout {
	t.Helper()
	l, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func compile(t testing.TB, source string) *goja.Program {
	t.Helper()
	p, err := goja.Compile("t.js", source, false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every form of function is entered once for each of its calls, and what a stack captured there shows is
// the function. The code outside of functions is not entered.
func TestWrapEntries(t *testing.T) {
	for _, c := range []struct{ source, entered string }{
		{"1 + 1", ""},
		{"function f() { return 1 } f(); f()", "f f"},
		{"function f(a, b = () => a) { return b() } f(1)", "f <anonymous>"},
		{"function f(a) { var g = () => a; return g() + arguments[0] } f(1, 2, 3)", "f g"},
		{"function f(a, b) { arguments[0] = 2; return eval('a') } f(1, 2, 3)", "f"},
		{"(() => 1)()", "<anonymous>"},
		{"({ m() { return 1 } }).m()", "m"},
		{"({ get x() { return 1 } }).x", "x"},
		{"class A { constructor() { this.x = 1 } } new A()", "<anonymous>"},
		{"class A { x = (() => 1)() } class B extends A { constructor() { super() } } new B()",
			"<anonymous> <instance_members_initializer> <anonymous>"},
		{"class A { static { this.x = 1 } static m() {} } A.m()", "<static_initializer> <anonymous> m"},
		{"class A { #p() { return 1 } m() { return this.#p() } } new A().m()", "m #p"},
		{"function* g() { yield 1; yield 2 } for (const x of g()) ;", "g"},
		{"({ *g() { yield 1; yield 2 } }).g().next()", "g"},
		{"async function f() { await 1; await 2 } f()", "f"},
		{"(async () => { await 1 })()", "<anonymous>"},
		{"({ async m() { await 1 } }).m()", "m"},
		{"[2, 1, 3].sort((a, b) => a - b).length", "<anonymous> <anonymous>"},
		{"function f(n) { return n ? f(n - 1) : 0 } f(3)", "f f f f"},
		{"while (true) { (function inner() {})(); break }", "inner"},
	} {
		l, p := layout(t), compile(t, c.source)
		var entered []string
		l.WrapEntries(p, func(e FunctionCall) {
			frames := e.Runtime.CaptureCallStack(1, nil)
			if l.FrameProgram(&frames[0]) != e.Function {
				t.Errorf("%s: the innermost frame is not of the function that is entered", c.source)
			}
			entered = append(entered, frames[0].FuncName())
		})
		plain, err := goja.New().RunString(c.source)
		if err != nil {
			t.Fatal(err)
		}
		rt := goja.New()
		v, err := rt.RunProgram(p)
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		if plain.ToString().String() != v.ToString().String() {
			t.Errorf("%s is %s, and %s without a hook", c.source, v, plain)
		}
		if got := strings.Join(entered, " "); got != c.entered {
			t.Errorf("%s enters %q, expected %q", c.source, got, c.entered)
		}
	}
}

// A hook that panics with a JavaScript value makes the call throw, and the program goes on in the handler with its
// stacks as they were.
func TestEntryThrows(t *testing.T) {
	l := layout(t)
	p := compile(t, `
		let deepest = 0;
		function f(n, ...rest) { deepest = n; return [...rest, f(n + 1, n)].length }
		const caught = [];
		for (let i = 0; i < 3; i++) try { f(0) } catch (e) { caught.push(e instanceof RangeError, e.message) }
		try { [1].map(function g(x) { return f(x) }) } catch (e) { caught.push("in map") }
		class A { x = f(1) }
		try { new A() } catch (e) { caught.push("in field") }
		caught.push(deepest > 40, (() => "after")());
		caught.join()`)
	l.WrapEntries(p, func(e FunctionCall) {
		if e.Depth > 50 {
			o, err := e.Runtime.New(e.Runtime.Get("RangeError"), e.Runtime.ToValue("deep"))
			if err != nil {
				panic(err)
			}
			panic(o)
		}
	})
	v, err := goja.New().RunProgram(p)
	if err != nil {
		t.Fatal(err)
	}
	if want := "true,deep,true,deep,true,deep,in map,in field,true,after"; v.String() != want {
		t.Errorf("%s, expected %s", v, want)
	}
}

// Depth counts the program, the calls of its functions, and native ones between them.
func TestEntryDepth(t *testing.T) {
	l := layout(t)
	p := compile(t, "(function a() { (function b() { [1].forEach(function c() {}) })() })()")
	var depths []int
	l.WrapEntries(p, func(e FunctionCall) {
		depths = append(depths, e.Depth)
		if l.Depth(e.Runtime) != e.Depth {
			t.Errorf("the runtime is %d deep, the entry %d", l.Depth(e.Runtime), e.Depth)
		}
	})
	if _, err := goja.New().RunProgram(p); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(depths); got != "[2 3 5]" {
		t.Errorf("entries at depths %s", got)
	}
}

// Hooks are called in the order in which they were given, and the callers of a hook are seen in a stack captured there.
func TestWrapTwice(t *testing.T) {
	l := layout(t)
	p := compile(t, "function outer() { inner() } function inner() {} outer()")
	var seen []string
	l.WrapEntries(p, func(e FunctionCall) {
		var names []string
		for _, f := range e.Runtime.CaptureCallStack(0, nil) {
			names = append(names, f.FuncName())
		}
		seen = append(seen, "first "+strings.Join(names, "<"))
	})
	l.WrapEntries(p, func(FunctionCall) { seen = append(seen, "second") })
	if _, err := goja.New().RunProgram(p); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(seen, ", "),
		"first outer<<anonymous>, second, first inner<outer<<anonymous>, second"; got != want {
		t.Errorf("%s, expected %s", got, want)
	}
}

// A program with hooks runs in many runtimes at once.
func TestWrappedProgramIsShared(t *testing.T) {
	l := layout(t)
	p := compile(t, "let n = 0; function f(k) { return k ? f(k - 1) + 1 : 0 } async function g() { await 1; n++ } "+
		"g(); f(40)")
	l.WrapEntries(p, func(e FunctionCall) {
		if l.Operand(e.Runtime, 0) == nil {
			panic("no operand")
		}
	})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			rt := goja.New()
			v, err := rt.RunProgram(p)
			if err != nil || v.ToInteger() != 40 || rt.Get("n") != nil && rt.Get("n").ToInteger() != 1 {
				t.Errorf("%v, %v", v, err)
			}
		})
	}
	wg.Wait()
}

// AfterMaking sees the functions of the named sources alone, each time one is made, before anything else.
func TestAfterMaking(t *testing.T) {
	tree, err := goja.Parse("t.js", `
		var made = [];
		function make() { return function wanted() { return 1 } }
		make(); make();
		var o = { wanted2() {} , other() {} };
		var same = [function () {}, function () {}];
		[typeof make().mark, o.wanted2.mark, typeof o.other.mark, typeof same[0].mark, same[1].mark].join()`)
	if err != nil {
		t.Fatal(err)
	}
	l, sources := layout(t), Sources{}
	body := func(i int) ast.Statement { return tree.Body[i] }
	ret := body(1).(*ast.FunctionDeclaration).Function.Body.List[0].(*ast.ReturnStatement)
	sources.Add(ret.Argument.(*ast.FunctionLiteral).Source)
	object := body(4).(*ast.VariableStatement).List[0].Initializer.(*ast.ObjectLiteral)
	sources.Add(object.Value[0].(*ast.PropertyKeyed).Value.(*ast.FunctionLiteral).Source)
	array := body(5).(*ast.VariableStatement).List[0].Initializer.(*ast.ArrayLiteral)
	sources.Add(array.Value[1].(*ast.FunctionLiteral).Source)
	p, err := goja.CompileAST(tree, false)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	l.AfterMaking(p, sources, func(rt *goja.Runtime, f *goja.Object) {
		n++
		if err := f.Set("mark", n); err != nil {
			t.Error(err)
		}
	})
	entered := 0
	l.WrapEntries(p, func(FunctionCall) { entered++ }) // the two kinds of wrappers bear each other
	v, err := goja.New().RunProgram(p)
	if err != nil {
		t.Fatal(err)
	}
	if want := "number,3,undefined,undefined,4"; v.String() != want || n != 5 || entered != 3 {
		t.Errorf("%s after %d functions and %d entries, expected %s, 5 and 3", v, n, entered, want)
	}
}

func BenchmarkEntry(b *testing.B) {
	const source = "function f(n) { return n ? f(n - 1) : 0 } for (let i = 0; i < 100; i++) f(100)"
	for _, hook := range []bool{false, true} {
		b.Run(fmt.Sprintf("hook=%t", hook), func(b *testing.B) {
			p, rt := compile(b, "{"+source+"}"), goja.New()
			deep := 0
			if hook {
				layout(b).WrapEntries(p, func(e FunctionCall) { deep = max(deep, e.Depth) })
			}
			for b.Loop() {
				if _, err := rt.RunProgram(p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10100, "ns/call")
		})
	}
}

// BenchmarkPrepare is what is done to a program before it runs, without what it takes to compile it: the walks over its
// instructions.
func BenchmarkPrepare(b *testing.B) {
	var source strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&source, "function f%d(a, b) { const [x, y] = [a + b, a < b]; return `${x}` + y * f0(x, y) }\n", i)
	}
	l := layout(b)
	for b.Loop() {
		b.StopTimer()
		p, err := goja.Compile("", source.String(), false)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		l.Prepare(p, Preparation{Depths: &Depths{}, Quick: true, Awaits: true,
			Watched: func(*goja.Runtime, Operator, []goja.Value) {}})
	}
}
