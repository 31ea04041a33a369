package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// Whole gives the list of an array in which every element may be written in its place.
func TestWhole(t *testing.T) {
	l, rt := layout(t), goja.New()
	for source, want := range map[string]bool{
		`[1, "a", undefined, {}]`: true, `[]`: true, `[1, , 2]`: false,
		`Object.freeze([1])`: false, `({ 0: 1 })`: false,
		`Object.defineProperty([1, 2], 1, { get() {} })`: false, `new Proxy([1], {})`: false, `Array(3)`: false,
		`const a = [1]; a[1e6] = 1; a`: false,
	} {
		if _, whole := l.Whole(object(t, rt, source)); whole != want {
			t.Errorf("%s: %t", source, whole)
		}
	}
}

// Call calls functions of every kind; an exception is a panic of the caller.
func TestCall(t *testing.T) {
	l, rt := layout(t), goja.New()
	for source, want := range map[string]int64{
		`(a, b) => a - b`: -3, `(function (a) { return a }).bind(null, 5)`: 5, `Math.max`: 4,
		`new Proxy((a, b) => b, {})`: 4, `(function () { return arguments.length })`: 2,
	} {
		call, ok := l.Call(object(t, rt, "("+source+")"))
		if !ok {
			t.Errorf("%s cannot be called", source)
			continue
		}
		args := []goja.Value{rt.ToValue(1), rt.ToValue(4)}
		if got := call(goja.FunctionCall{This: goja.Undefined(), Arguments: args}).ToInteger(); got != want {
			t.Errorf("%s: %d", source, got)
		}
	}
	if _, ok := l.Call(rt.NewObject()); ok {
		t.Error("a plain object can be called")
	}
	throws, _ := l.Call(object(t, rt, "(() => { throw 7 })"))
	set(t, rt, "native", func(goja.FunctionCall) goja.Value { return throws(goja.FunctionCall{}) })
	if v, err := rt.RunString("try { native() } catch (e) { e }"); err != nil || v.ToInteger() != 7 {
		t.Errorf("an exception came as %v, %v", v, err)
	}
}
