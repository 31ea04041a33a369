package builtin

import (
	"testing"
	"testing/fstest"

	"github.com/dop251/goja"
)

func newBuilder(t *testing.T) *Builder {
	t.Helper()
	rt := goja.New()
	b := &Builder{Runtime: rt}
	b.Throw = func(class, message string) {
		o, err := rt.New(rt.Get(class), rt.ToValue(message))
		Must(err)
		panic(o)
	}
	b.Compile = func(name, text string) (*goja.Program, error) { return goja.Compile(name, text, true) }
	return b
}

func eval(t *testing.T, b *Builder, source, want string) {
	t.Helper()
	v, err := b.Runtime.RunString(source)
	if err != nil || v.String() != want {
		t.Errorf("%s is %v, %v, expected %s", source, v, err, want)
	}
}

// Built-ins have the names, lengths and attributes of the standard's.
func TestAttributes(t *testing.T) {
	b := newBuilder(t)
	o := b.Runtime.NewObject()
	b.Value(b.Runtime.GlobalObject(), "o", o)
	b.Method(o, "m", 2, func(c goja.FunctionCall) goja.Value { return b.ToString(c.Argument(0)) })
	b.Getter(o, "g", func(goja.FunctionCall) goja.Value { return b.Runtime.ToValue(7) })
	const attributes = `((d) => [d.writable, d.enumerable, d.configurable].join())(Object.getOwnPropertyDescriptor(o,` +
		` "m"))`
	eval(t, b, attributes, "true,false,true")
	eval(t, b, `[o.m.name, o.m.length, "prototype" in o.m, Object.keys(o.m)].join()`, "m,2,false,")
	eval(t, b, `((d) => [d.get.name, d.set, d.enumerable, o.g].join())(Object.getOwnPropertyDescriptor(o, "g"))`,
		"get g,,false,7")
	eval(t, b, `[o.m(1), o.m(null), o.m(), o.m({ toString: () => "mine" })].join()`, "1,null,undefined,mine")
	eval(t, b, `try { o.m(Symbol()) } catch (e) { e.name + ": " + e.message }`,
		"TypeError: Cannot convert a Symbol value to a string")
	eval(t, b, `try { o.m({ toString() { throw "own" } }) } catch (e) { e }`, "own")
	if got := b.Object("Array", "prototype").Get("constructor"); got != b.Runtime.Get("Array") {
		t.Errorf("Array.prototype.constructor is %v", got)
	}
}

func TestToLength(t *testing.T) {
	rt := goja.New()
	for source, want := range map[string]int64{"undefined": 0, "-3": 0, "2.9": 2, "'7'": 7, "NaN": 0,
		"1e300": 1<<53 - 1} {
		v, err := rt.RunString(source)
		if err != nil {
			t.Fatal(err)
		}
		if got := ToLength(v); got != want {
			t.Errorf("%s is %d, expected %d", source, got, want)
		}
	}
	if Argument(nil, 0) != goja.Undefined() || ToLength(nil) != 0 {
		t.Error("nothing is something")
	}
}

func TestUnits(t *testing.T) {
	rt := goja.New()
	v, err := rt.RunString(`"a😀\ud800"`)
	if err != nil {
		t.Fatal(err)
	}
	u := Units(v.(goja.String))
	if len(u) != 4 || u[3] != 0xd800 || Decode(u) != "a😀\ufffd" || len(Encode("a😀")) != 3 {
		t.Errorf("%x", u)
	}
}

// A script is a function that gets its arguments; what is wrong with a text is said with its name.
func TestScripts(t *testing.T) {
	b := newBuilder(t)
	s := NewScripts(fstest.MapFS{
		"js/sum.js":   {Data: []byte("(function (a, b) { return a + b })")},
		"js/bad.js":   {Data: []byte("(")},
		"js/value.js": {Data: []byte("1")},
	})
	for range 2 {
		v, err := s.Run(b, "sum.js", b.Runtime.ToValue(1), b.Runtime.ToValue(2))
		if err != nil || v.ToInteger() != 3 {
			t.Errorf("%v, %v", v, err)
		}
	}
	for _, name := range []string{"bad.js", "value.js", "missing.js"} {
		if _, err := s.Run(b, name); err == nil || len(err.Error()) < len(name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What ends a turn in a script that runs by first use comes out of it as out of any call, so that nobody takes it for a
// mistake of eddy's: a limit as the interrupt, what is thrown as an exception.
func TestScriptsAreInterrupted(t *testing.T) {
	b := newBuilder(t)
	s := NewScripts(fstest.MapFS{
		"js/spin.js":  {Data: []byte("(function (limit) { limit(); for (;;); })")},
		"js/throw.js": {Data: []byte("(function () { throw new Error('mine') })")},
	})
	limit := b.Runtime.ToValue(func() { b.Runtime.Interrupt("limit") })
	_, err := s.Run(b, "spin.js", limit)
	if in, ok := err.(*goja.InterruptedError); !ok || in.Value() != "limit" {
		t.Errorf("%T %v", err, err)
	}
	b.Runtime.ClearInterrupt()
	if _, err := s.Run(b, "throw.js"); err == nil {
		t.Error("nothing was thrown")
	} else if _, ok := err.(*goja.Exception); !ok {
		t.Errorf("%T %v", err, err)
	}
}
