package gojainternals

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// modules is a script like that of a bundler: one function that has all others in it.
func modules(n int) string {
	var b strings.Builder
	b.WriteString("(function* (ask) { 'use strict';\n")
	for i := range n {
		fmt.Fprintf(&b, `
class Base%[1]d { x = [%[1]d]; static y = 1; m(a, ...b) { return a + b.length } get z() { return super.toString } }
class Heir%[1]d extends Base%[1]d {
	constructor(o) { super(); this.o = { ...o, a: 1, b: o.c } } m() { return super.m(1, 2) }
}
async function f%[1]d(o) { for (const x of o) await x; return { async m() { return super.m } } }
const g%[1]d = (a, b) => { switch (a) { case 1: return a * b; case 2: return a[b] < 10; default: return [...b] } };
function h%[1]d() { const n = arguments.length; try { return () => n } finally { outer: for (;;) { break outer } } }
function* i%[1]d(a = 1) { yield* [a, yield a]; return `+"`${a}`"+` }
yield ({ f%[1]d, g%[1]d, h%[1]d, i%[1]d, Base%[1]d, Heir%[1]d });
`, i)
	}
	b.WriteString("})")
	return b.String()
}

// described is a program with all programs within it: the kinds of its instructions, and of what they stand for.
func described(l *Layout, p *goja.Program) string {
	var b strings.Builder
	var describe func(p *goja.Program, margin string)
	describe = func(p *goja.Program, margin string) {
		for i, in := range l.code(p) {
			fmt.Fprintf(&b, "%s%d:", margin, i)
			for {
				fmt.Fprintf(&b, " %s", reflect.TypeOf(in))
				w, ours := in.(wrapper)
				if !ours {
					break
				}
				in = w.wrapped()
			}
			b.WriteByte('\n')
			for _, inner := range l.programsOf(in) {
				describe(inner, margin+" ")
			}
		}
	}
	describe(p, "")
	return b.String()
}

func TestPrepareApart(t *testing.T) {
	l := layout(t)
	src := modules(150)
	if len(src) < longSource {
		t.Fatal("the script is too short to be prepared on several goroutines")
	}
	o := Preparation{Depths: &Depths{Calls: 1e5, Native: 1e5}, Quick: true, Awaits: true,
		Watched: func(*goja.Runtime, Operator, []goja.Value) {}}
	alone, apart := goja.MustCompile("a.js", src, true), goja.MustCompile("a.js", src, true)
	w := &preparation{Preparation: o, layout: l}
	w.program(alone)
	if inner := l.inner(apart); len(inner) < 150 {
		t.Fatalf("%d programs are prepared apart", len(inner))
	}
	l.Prepare(apart, o)
	want, got := strings.Split(described(l, alone), "\n"), strings.Split(described(l, apart), "\n")
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			t.Fatalf("line %d of %d and %d:\n%s\n%s", i, len(want), len(got), want[min(i, len(want)-1)],
				got[min(i, len(got)-1)])
		}
	}
	for _, kind := range []string{"*gojainternals.bounded", "*gojainternals.operator", "*gojainternals.closure",
		"*gojainternals.awaitingObject", "*gojainternals.newLiteral", "*gojainternals.returned",
		"*gojainternals.cases", "*gojainternals.resumed"} {
		if !strings.Contains(strings.Join(got, "\n"), kind) {
			t.Errorf("no %s: the script has nothing for it", kind)
		}
	}
}

// A function may be light only if nothing in it asks for its home, wherever that was prepared.
func TestPreparedHomes(t *testing.T) {
	l := layout(t)
	p := goja.MustCompile("a.js", modules(150)+`().next().value`, true)
	l.Prepare(p, Preparation{Quick: true})
	rt := goja.New()
	v, err := rt.RunProgram(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Set("v", v); err != nil {
		t.Fatal(err)
	}
	got, err := rt.RunString(`const b = new v.Heir0({ c: 5 });
	[b.m(), b.o.a, b.o.b, b.x[0], v.Base0.y, b.z === Object.prototype.toString, v.g0(1, 7), v.g0(2, []), v.h0(1, 2)(),
		[...v.i0(3)]].join()`)
	if err != nil {
		t.Fatal(err)
	}
	if want := "2,1,5,0,1,true,7,false,2,3,3,"; got.String() != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPrepareApartPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("what a goroutine has panicked with is lost")
		}
	}()
	(&preparation{layout: layout(t)}).apart([]*goja.Program{nil, nil, nil})
}

// BoundDepth, Watch and AwaitObjects are what Prepare does, each by itself.

func (l *Layout) BoundDepth(p *goja.Program, d *Depths) { l.Prepare(p, Preparation{Depths: d}) }

func (l *Layout) Watch(p *goja.Program, f Watched) { l.Prepare(p, Preparation{Watched: f}) }

func (l *Layout) AwaitObjects(p *goja.Program) { l.Prepare(p, Preparation{Awaits: true}) }
