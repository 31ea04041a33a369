package gojainternals

import (
	"strings"
	"testing"

	"github.com/dop251/goja"
)

func TestArguments(t *testing.T) {
	l, rt := layout(t), goja.New()
	called := false
	set(t, rt, "f", func(goja.FunctionCall) goja.Value {
		called = true
		if l.InScript(rt) {
			t.Error("a native function is no script")
		}
		for n, want := range map[int]string{0: "1", 1: "b"} {
			if got := l.Argument(rt, n); got == nil || got.String() != want {
				t.Errorf("argument %d is %v", n, got)
			}
		}
		if this := l.Argument(rt, -2); this == nil || this.String() != "me" {
			t.Errorf("this is %v", this)
		}
		if got := l.Argument(rt, 1000); got != nil {
			t.Errorf("argument 1000 is %v", got)
		}
		if got := l.Operand(rt, 1<<20); got != nil {
			t.Errorf("operand beyond the stack: %v", got)
		}
		return nil
	})
	if _, err := rt.RunString("(function g() { ({ f, toString: () => 'me' }).f(1, 'b') })()"); err != nil || !called {
		t.Error(err)
	}
}

func TestCallerOfCaller(t *testing.T) {
	l, rt := layout(t), goja.New()
	set(t, rt, "who", func(goja.FunctionCall) goja.Value { return l.CallerOfCaller(rt) })
	v, err := rt.RunString("function inner() { return who() } function outer() { return inner() } outer() === outer")
	if err != nil || !v.ToBoolean() {
		t.Errorf("%v, %v", v, err)
	}
	if got := l.CallerOfCaller(rt); got != nil {
		t.Errorf("%v outside of a script", got)
	}
}

// Of a stack in an async function that has awaited, only the first frames are real calls.
func TestSyncFrames(t *testing.T) {
	l, rt := layout(t), goja.New()
	var got []string
	set(t, rt, "note", func(goja.FunctionCall) goja.Value {
		frames := rt.CaptureCallStack(0, nil)
		var names []string
		for i := range frames[:l.SyncFrames(rt, len(frames))] {
			names = append(names, frames[i].FuncName())
		}
		got = append(got, strings.Join(names, "<"))
		return nil
	})
	_, err := rt.RunString(`
		function sync() { note() }
		async function inner() { sync(); await 1; sync() }
		async function outer() { await inner() }
		outer()`)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || !strings.Contains(got[0], "<sync<inner<outer<") || !strings.HasSuffix(got[1], "<sync<inner") {
		t.Errorf("%q", got)
	}
}

// What runs for a promise that async functions await has them as callers, and no real call.
func TestAwaited(t *testing.T) {
	l, rt := layout(t), goja.New()
	p, resolve, _ := rt.NewPromise()
	if err := rt.Set("promise", p); err != nil {
		t.Fatal(err)
	}
	_, err := rt.RunString(`
		async function inner() { await promise }
		async function outer() { await inner() }
		outer()`)
	if err != nil {
		t.Fatal(err)
	}
	names := func() (list []string) {
		frames := rt.CaptureCallStack(0, nil)
		if sync := l.SyncFrames(rt, len(frames)); sync != 0 {
			t.Errorf("%d frames are real calls", sync)
		}
		for i := range frames {
			list = append(list, frames[i].FuncName())
		}
		return list
	}
	l.Awaited(rt, rt.ToValue(p).ToObject(rt), func() {
		if got := strings.Join(names(), "<"); got != "inner<outer" {
			t.Errorf("awaited by %q", got)
		}
	})
	if got := names(); got != nil {
		t.Errorf("afterwards: %q", got)
	}
	if err := resolve(1); err != nil {
		t.Fatal(err)
	}
}

func TestInterrupted(t *testing.T) {
	l, rt := layout(t), goja.New()
	if l.Interrupted(rt) {
		t.Error("interrupted at birth")
	}
	rt.Interrupt("stop")
	if !l.Interrupted(rt) {
		t.Error("the interrupt is not seen")
	}
	rt.ClearInterrupt()
	if l.Interrupted(rt) {
		t.Error("interrupted after it was cleared")
	}
}

// After an interrupt in a microtask the machine is stuck; unwound, it runs scripts and microtasks again.
func TestUnwind(t *testing.T) {
	rt := goja.New()
	m, err := NewMachine(rt)
	if err != nil {
		t.Fatal(err)
	}
	set(t, rt, "stop", func() { rt.Interrupt("stopped") })
	func() {
		defer func() { _ = recover() }()
		_, _ = rt.RunString("(async () => { await null; stop(); for (;;); })()")
	}()
	rt.ClearInterrupt()
	if m.calls.len == 0 {
		t.Error("nothing was left on the stacks: this test has lost its subject")
	}
	m.Unwind()
	if _, err := rt.RunString("var n = 0; (async () => { n++; await null; n++ })()"); err != nil {
		t.Fatal(err)
	}
	if n := rt.Get("n").ToInteger(); n != 2 {
		t.Errorf("n is %d, expected 2", n)
	}
	m.Unwind() // of a machine at rest: nothing
	if v, err := rt.RunString("(() => n)()"); err != nil || v.ToInteger() != 2 {
		t.Errorf("%v, %v", v, err)
	}
}
