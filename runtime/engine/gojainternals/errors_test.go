package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

func TestErrorFrames(t *testing.T) {
	l, rt := layout(t), goja.New()
	for source, is := range map[string]bool{
		"new Error()": true, "new (class extends RangeError {})()": true,
		"(() => { try { null.x } catch (e) { return e } })()": true,
		"Object.create(Error.prototype)":                      false, "Error.prototype": false,
	} {
		if l.IsError(object(t, rt, source)) != is {
			t.Errorf("%s is an error: %t", source, !is)
		}
	}
	e := object(t, rt, "\n(function f() { return new Error('x') })()")
	frames := l.ErrorFrames(e)
	if len(*frames) < 2 || l.FrameProgram(&(*frames)[0]) == nil {
		t.Fatalf("%d frames", len(*frames))
	}
	src, offset, name := l.FrameParts(&(*frames)[0])
	if name != "f" || src.Source()[offset:offset+3] != "new" {
		t.Errorf("the innermost frame is of %s at %q", name, src.Source()[offset:])
	}
	*frames = (*frames)[:1]
	if len(*l.ErrorFrames(e)) != 1 {
		t.Error("the stack cannot be cut")
	}
	l.TakeStackProperty(e)
	if e.Get("stack") != nil {
		t.Errorf("goja gives a stack of its own: %s", e.Get("stack"))
	}
	if err := e.Set("stack", "ours"); err != nil || e.Get("stack").String() != "ours" {
		t.Errorf("the stack cannot be set: %v", err)
	}
}

// The program of a native frame is nil.
func TestNativeFrame(t *testing.T) {
	l, rt := layout(t), goja.New()
	set(t, rt, "probe", func(goja.FunctionCall) goja.Value {
		frames := rt.CaptureCallStack(0, nil)
		src, _, _ := l.FrameParts(&frames[0])
		if l.FrameProgram(&frames[0]) != nil || src != nil {
			t.Error("the native function has a program")
		}
		if l.FrameProgram(&frames[1]) == nil {
			t.Error("its caller has none")
		}
		return nil
	})
	object(t, rt, "[1].map(probe)")
}

// A note lives behind the frames, and nothing that ranges over them sees it.
func TestNotes(t *testing.T) {
	l, rt := layout(t), goja.New()
	frames := *l.ErrorFrames(object(t, rt, "(function f() { return new Error() })()"))
	if l.ReadNote(frames).Exists {
		t.Error("a stack of goja's has a note")
	}
	for _, n := range []Note{
		{Exists: true}, {Async: 3, Exists: true}, {Text: "text", Async: 1, Done: true, Exists: true}} {
		noted := l.Annotate(frames, n)
		if got := l.ReadNote(noted); got != n {
			t.Errorf("%+v, written was %+v", got, n)
		}
		if len(noted) != len(frames) || noted[0].FuncName() != "f" {
			t.Error("the frames are others")
		}
		n.Async++
		l.WriteNote(noted, n)
		if got := l.ReadNote(noted); got != n {
			t.Errorf("%+v, written was %+v", got, n)
		}
		if l.ReadNote(noted[1:]).Exists != (cap(noted[1:]) == len(noted[1:])+1) || l.ReadNote(noted[:1:1]).Exists {
			t.Error("a part of the stack has another note")
		}
	}
}

func TestThrownTypeError(t *testing.T) {
	rt := goja.New()
	set(t, rt, "fail", func(goja.FunctionCall) goja.Value { panic(ThrownTypeError("our text")) })
	v, err := rt.RunString("try { fail() } catch (e) { e instanceof TypeError && e.message }")
	if err != nil || v.String() != "our text" {
		t.Errorf("%v, %v", v, err)
	}
}
