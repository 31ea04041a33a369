package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// The source of a RegExp can be a value of ours; scripts see a string.
func TestRegExpSource(t *testing.T) {
	l, rt := layout(t), goja.New()
	re := object(t, rt, "var re = /abc/g; re")
	if !l.IsRegExp(re) || l.IsRegExp(object(t, rt, "({ __proto__: RegExp.prototype })")) {
		t.Error("a RegExp is not told from another object")
	}
	source := l.RegExpSource(re)
	if (*source).String() != "abc" {
		t.Errorf("the source is %s", *source)
	}
	type text = goja.String
	*source = &struct{ text }{rt.ToValue("xyz").(goja.String)}
	if v := re.Get("source"); v.String() != "xyz" {
		t.Errorf("a script sees %s", v)
	}
}

// Off the fast paths a method calls exec as the standard says, even if nobody has replaced it in a way goja would
// notice.
func TestLeaveFastPaths(t *testing.T) {
	l, rt := layout(t), goja.New()
	re := object(t, rt, "var re = /a/; re")
	n, _ := l.Native(object(t, rt, "RegExp.prototype.exec"))
	calls, exec := 0, *n.Call
	*n.Call = func(c goja.FunctionCall) goja.Value { calls++; return exec(c) }
	for want := range 2 {
		if _, err := rt.RunString("'banana'.replace(re, 'x')"); err != nil || calls != want {
			t.Errorf("exec was called %d times, expected %d (%v)", calls, want, err)
		}
		l.LeaveFastPaths(re)
	}
}

// An iterator over code points takes an empty match once in each.
func TestStepByCodePoints(t *testing.T) {
	l, rt := layout(t), goja.New()
	for want, change := range map[string]func(*goja.Object){
		"[,,]": func(*goja.Object) {}, "[,]": l.StepByCodePoints,
	} {
		change(object(t, rt, `var it = "\u{20bb7}".matchAll(/(?:)/g); it`))
		if v, err := rt.RunString(`"[" + Array.from(it) + "]"`); err != nil || v.String() != want {
			t.Errorf("%v %v, expected %s", v, err, want)
		}
	}
	l.StepByCodePoints(object(t, rt, "({})"))
}

func TestBytesOf(t *testing.T) {
	if string(BytesOf("text")) != "text" || len(BytesOf("")) != 0 {
		t.Error("other bytes")
	}
}
