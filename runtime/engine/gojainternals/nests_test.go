package gojainternals

import (
	"slices"
	"testing"

	"github.com/dop251/goja"
)

// Each call of a function, and each stretch of one that goes on after an await, runs through ours, the one within the
// other; nothing does when it has ended.
func TestNest(t *testing.T) {
	l := layout(t)
	rt := goja.New()
	m, err := NewMachine(rt)
	if err != nil {
		t.Fatal(err)
	}
	p, err := goja.Compile("nest.js", `
function inner() { note(); return 1 }
function outer() { inner(); try { thrower() } catch { note() } }
function thrower() { throw new Error("x") }
async function later() { note(); await null; inner(); await null; note() }
outer(); later()`, true)
	if err != nil {
		t.Fatal(err)
	}
	l.BoundDepth(p, &Depths{Calls: 100, Native: 100, Exceeded: func(*goja.Runtime) {}})
	var under []string
	var noted []string
	set(t, rt, "note", func(goja.FunctionCall) goja.Value {
		noted = append(noted, slices.Concat(under, []string{"|"})...)
		return goja.Undefined()
	})
	through := func(p *goja.Program, run func()) {
		f := l.FrameOf(p)
		src, offset, _ := l.FrameParts(&f)
		under = append(under, src.Source()[offset:offset+1])
		depth := len(under)
		defer func() { under = under[:depth-1] }()
		run()
	}
	end, ok := m.Nest(through)
	if !ok {
		t.Fatal("taken")
	}
	if _, ok := m.Nest(through); ok {
		t.Error("two at a time")
	}
	if _, err := rt.RunProgram(p); err != nil {
		t.Fatal(err)
	}
	if len(noted) == 0 || len(under) > 0 {
		t.Fatalf("%q, under %q", noted, under)
	}
	// note in inner of outer, in outer, in later, in inner of later, in later.
	depths := []int{}
	n := 0
	for _, s := range noted {
		if n++; s == "|" {
			depths = append(depths, n-1)
			n = 0
		}
	}
	if !slices.Equal(depths, []int{2, 1, 1, 2, 1}) {
		t.Errorf("depths %v of %q", depths, noted)
	}
	end()
	end()
	noted = nil
	if _, err := rt.RunProgram(p); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(noted, func(s string) bool { return s != "|" }) || looks.Load() != 0 {
		t.Errorf("%q after the end", noted)
	}
}
