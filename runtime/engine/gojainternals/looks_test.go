package gojainternals

import (
	"runtime"
	"slices"
	"testing"

	"github.com/dop251/goja"
)

// What a runtime computes can be seen from another goroutine while it goes on: in functions that call each other, in a
// loop without any call, in a native function that polls, and in code that runs beyond the segment of an unwinding.
func TestLook(t *testing.T) {
	l := layout(t)
	for _, c := range []struct {
		name, source string
		want         []string // functions, innermost first
		lines        [2]int   // of the innermost frame of a script: the first and the last that it may be
		insists      bool     // only goja's profiler can answer
	}{
		{"calls", "function turn() {\n  return 1\n}\n(function outer() {\n  while (!done()) turn()\n})()",
			[]string{"turn", "outer", "<anonymous>"}, [2]int{1, 1}, false},
		{"loop", "(function outer() {\n  const o = { n: 0 }\n  while (!state.done) {\n    o.n++\n  }\n})()",
			[]string{"outer", "<anonymous>"}, [2]int{3, 5}, true},
		{"native", "(function outer() {\n  return 1 +\n    native()\n})()",
			[]string{"outer", "<anonymous>"}, [2]int{3, 3}, false},
		{"deep", "(function outer(n) {\n  if (n > 0) return [n].map((n) => outer(n - 1))\n" +
			"  while (!state.done) {}\n})(40)",
			[]string{"outer", "<anonymous>", "map", "outer"}, [2]int{3, 3}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := goja.New()
			m, err := NewMachine(rt)
			if err != nil {
				t.Fatal(err)
			}
			running, seen := make(chan struct{}), make(chan struct{})
			finished := func() bool {
				select {
				case <-seen:
					return true
				default:
					return false
				}
			}
			once := false
			begin := func() bool {
				if !once {
					once = true
					close(running)
				}
				return finished()
			}
			set(t, rt, "done", begin)
			set(t, rt, "native", func(goja.FunctionCall) goja.Value {
				for !begin() {
					l.Interrupted(rt)
				}
				return rt.ToValue(1)
			})
			state := rt.NewObject()
			if err := state.DefineAccessorProperty("done", rt.ToValue(begin), nil, goja.FLAG_TRUE,
				goja.FLAG_TRUE); err != nil {
				t.Fatal(err)
			}
			set(t, rt, "state", state)
			p, err := goja.Compile("look.js", c.source, true)
			if err != nil {
				t.Fatal(err)
			}
			l.BoundDepth(p, &Depths{Calls: 1000, Native: 1000, Exceeded: func(*goja.Runtime) { panic("too deep") }})
			ended := make(chan error)
			go func() {
				_, err := rt.RunProgram(p)
				ended <- err
			}()
			<-running
			k := m.Look()
			var stack []goja.StackFrame
			for ok := false; !ok; runtime.Gosched() {
				if c.insists {
					k.Ask()
				}
				if c.insists || k.answer.Load() != nil {
					stack, ok = k.Stack()
				}
			}
			k.End()
			k.End()
			close(seen)
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			var names []string
			line := 0
			for i := range stack {
				if l.FrameProgram(&stack[i]) == nil && stack[i].FuncName() != "map" {
					continue // the test's own
				}
				names = append(names, stack[i].FuncName())
				if line == 0 {
					line = stack[i].Position().Line
				}
			}
			if len(names) < len(c.want) || !slices.Equal(names[:len(c.want)], c.want) ||
				line < c.lines[0] || line > c.lines[1] {
				t.Errorf("line %d of %v, want %v of %v", line, names, c.lines, c.want)
			}
			if looks.Load() != 0 {
				t.Errorf("%d looks are under way", looks.Load())
			}
		})
	}
}
