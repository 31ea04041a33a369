package gojainternals

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/dop251/goja"
)

// JSON writes plain data as goja does, and nothing else.
func TestJSON(t *testing.T) {
	l := layout(t)
	for _, c := range []struct {
		source string
		plain  bool
	}{
		{`({ a: 1, b: "x", c: [1, -2.5, 1e21, -0, NaN, Infinity, true, false, null, undefined], d: {}, e: [],
			f: undefined })`, true},
		{`["\b\t\u0000\u001f"]`, true}, {`({ "\b\u0001": 1 })`, true}, {`({ "sp ace": "" })`, true},
		{`({ "\b\t\n\f\r\"\\\u0001\u007f": "\b\t\n\f\r\"\\\u0000\u001f</script>", "sp ace": "" })`, true},
		{`["äöü", "\u{1F600}\u2028", "a\u0007ß\"", imported, wide, 70000, 9007199254740991, 0.1, 5e-324]`, true},
		{`const o = { a: 1 }; o.b = o.a; delete o.a; o.c = { ...o }; [o, [[o]]]`, true},
		{`JSON.parse('{"__proto__": 1, "a": {"b": [1]}}')`, true},
		{`({ "é": 1, "\u{1F600}\n": [[], {}, { a: undefined }, { b: [] }], "550e-84": 1, "1a": 2, "": 3 })`, true},
		{`[1e-6, 9.9e-7, -1e-7, 123456789.125, 1e20, 123456789012345680000, 1e21, 4.35, 0.1 + 0.2, 1 / 3, 2 ** 53,
			-(2 ** 60), 1.7976931348623157e308, 5e-324, 100.5]`, true},
		{`["\ud800"]`, false}, {`({ "\ud800": 1 })`, false}, {`({ 1: 2 })`, false}, {`[, 1]`, false},
		{`new Date(0)`, false}, {`({ get a() { return 1 } })`, false}, {`({ toJSON() { return 5 } })`, false},
		{`Object.assign([1], { toJSON: () => 6 })`, false}, {`Object.create({ a: 1 })`, false},
		{`Object.create(null)`, false},
		{`new (class { a = 1 })()`, false}, {`[new Map(), 1n]`, false}, {`[() => {}]`, false}, {`[Symbol()]`, false},
		{`[new Proxy({}, {})]`, false}, {`Object.freeze({ a: 1 })`, false}, {`"text"`, false}, {`undefined`, false},
		{`[JSON.rawJSON("1")]`, false}, {`[new Number(1), new String("a")]`, false}, {`Object.freeze([1])`, false},
		{`const loop = []; loop.push(loop); loop`, false}, {`Array(1).fill("x".repeat(2 ** 20))`, false},
		{`let deep = []; for (let i = 0; i < 300; i++) deep = [deep]; deep`, false},
		{`Array.prototype.toJSON = function () { return "array" }; [1]`, false},
		{`Object.setPrototypeOf(Array.prototype, { toJSON() { return 1 } }); [1]`, false},
		{`Object.defineProperty(Object.prototype, "toJSON", { get() { throw 1 } }); [1]`, false},
	} {
		rt := goja.New()
		set(t, rt, "imported", "a text of Go with \"quotes\" that is long")
		set(t, rt, "wide", "a text of Go with \"quotes\" and ü that is long")
		v, err := rt.RunString(c.source)
		if err != nil {
			t.Fatalf("%s: %v", c.source, err)
		}
		for _, gap := range []string{"", "  ", "-->"} {
			got, ok := l.JSON(rt, v, gap)
			if ok != c.plain {
				t.Errorf("%s: plain is %t", c.source, ok)
			}
			if !ok {
				continue
			}
			stringify, _ := goja.AssertFunction(object(t, rt, "JSON.stringify"))
			want, err := stringify(goja.Undefined(), v)
			if err == nil && gap != "" { // goja's own lines are indented too far
				var lines bytes.Buffer
				err = json.Indent(&lines, []byte(want.String()), "", gap)
				want = rt.ToValue(lines.String())
			}
			if err != nil || !got.StrictEquals(want) || !want.StrictEquals(got) {
				t.Errorf("%s\n got %s\nwant %s (%v)", c.source, got, want, err)
			}
		}
	}
}

// What is put into an object, and an array that is made of a list, are as if a script had made them.
func TestPut(t *testing.T) {
	l, rt := layout(t), goja.New()
	o := rt.NewObject()
	for _, name := range []string{"b", "2", "a", "1", "b", "__proto__"} {
		l.Put(o, name, l.ASCII(name+name))
	}
	set(t, rt, "o", o)
	set(t, rt, "list", l.NewArray(rt, []goja.Value{rt.ToValue(1), l.ASCII("two")}))
	v, err := rt.RunString(`list.push(3); o.c = 1; delete o.a; list.length === 3 && list[1] === "two" &&
		Object.getPrototypeOf(o) === Object.prototype && JSON.stringify([o, list, Object.keys(o), o["__proto__"]])`)
	const want = `[{"1":"11","2":"22","b":"bb","__proto__":"__proto____proto__","c":1},[1,"two",3],` +
		`["1","2","b","__proto__","c"],"__proto____proto__"]`
	if err != nil || v.String() != want {
		t.Errorf("%v, %v", v, err)
	}
}
