package gojainternals

import (
	"slices"
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

// The units of a text lie in memory as scripts see them. A text is in its own memory, not in that of an equal one.
func TestUnitsInMemory(t *testing.T) {
	l, rt := layout(t), goja.New()
	value := func(source string) goja.Value {
		v, err := rt.RunString(source)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	units, ok := l.UnitsInMemory(value(`"\u00e9\ud83da"`))
	if !ok || !slices.Equal(units, []uint16{0xE9, 0xD83D, 'a'}) {
		t.Errorf("%x %v", units, ok)
	}
	for _, v := range []goja.Value{value("'abc'"), rt.ToValue("é"), value("''"), value("1"), value("({})")} {
		if _, ok := l.UnitsInMemory(v); ok {
			t.Errorf("%v has units in memory", v)
		}
	}
	for _, make := range []func() goja.Value{
		func() goja.Value { return value(`"\u00e9"`) }, func() goja.Value { return rt.ToValue("é") },
	} {
		if a, b := make(), make(); !l.SameMemory(a, a) || l.SameMemory(a, b) {
			t.Errorf("%v is taken for an equal text, or not for itself", a)
		}
	}
}

// A copy matches as the object does; what scripts do to one of them is told, and the other does not have it.
func TestCopyRegExp(t *testing.T) {
	l, rt := layout(t), goja.New()
	proto := object(t, rt, "RegExp.prototype")
	l.GuardRegExps(proto, "flags")
	like := object(t, rt, "var like = /a/g; like")
	source := *l.RegExpSource(like)
	for _, c := range []struct {
		do       string
		pristine bool
		writable bool
	}{
		{"", true, true},
		{"re.lastIndex = 3; re.test('aaaaaa'); re.exec('b')", true, true},
		{"Object.freeze(re)", true, false},
		{"re.x = 1; delete re.x; re.flags = 1", true, true},
		{"re.x = 1", false, true},
		{"re.exec = () => null", false, true},
		{"Object.setPrototypeOf(re, null)", false, true},
		{"RegExp.prototype.test = 1", true, true},
		{"Object.defineProperty(RegExp.prototype, 'flags', { value: '' })", false, true},
	} {
		re := l.CopyRegExp(like, proto, source)
		if err := rt.Set("re", re); err != nil {
			t.Fatal(err)
		}
		if _, err := rt.RunString(c.do); err != nil {
			t.Fatal(err)
		}
		if got := l.Pristine(re, proto); got != c.pristine {
			t.Errorf("%s: pristine is %v", c.do, got)
		}
		place := l.LastIndex(re)
		if (place != nil) != c.writable {
			t.Errorf("%s: lastIndex at %v", c.do, place)
		}
		if place != nil {
			*place = l.Number(2)
			if v := re.Get("lastIndex"); v.ToInteger() != 2 || like.Get("lastIndex").ToInteger() != 0 {
				t.Errorf("%s: lastIndex is %v", c.do, v)
			}
		}
	}
	if names := like.GetOwnPropertyNames(); len(names) != 1 {
		t.Errorf("the object has got %v", names)
	}
}
