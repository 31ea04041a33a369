package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// A lazy object is filled once, at whatever first looks at it, and is then an object like any other.
func TestLazy(t *testing.T) {
	l, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ js, want string }{
		{`o.a`, "1"},
		{`o["a"]`, "1"},
		{`o[7]`, "seven"},
		{`o[s]`, "symbol"},
		{`o.none === undefined`, "true"},
		{`"a" in o && !("b" in o) && 7 in o && s in o`, "true"},
		{`o.hasOwnProperty("a") && Object.hasOwn(o, 7) && Object.hasOwn(o, s) && !Object.hasOwn(o, "m")`, "true"},
		{`o.m()`, "method of 1"},
		{`o.a = 5; o.a`, "5"},
		{`o[7] = 5; o[8] = 6; o[7] + o[8]`, "11"},
		{`o[s] = 5; o[s]`, "5"},
		{`Object.create(o).a`, "1"},
		{`const c = Object.create(o); c.a = 2; c[7] = 3; c[s] = 4; [c.a, o.a, c[7], o[7], c[s], o[s]].join()`,
			"2,1,3,seven,4,symbol"},
		{`delete o.a; delete o[7]; delete o[s]; Reflect.ownKeys(o).length`, "0"},
		{`Object.defineProperty(o, "a", { get: () => 9 }); o.a`, "9"},
		{`Object.defineProperty(o, 7, { value: 9 })[7]`, "9"},
		{`Object.defineProperty(o, s, { value: 9 })[s]`, "9"},
		{`Object.keys(o).join()`, "7,a"},
		{`Object.getOwnPropertySymbols(o).length`, "1"},
		{`Reflect.ownKeys(o).length`, "3"},
		{`let k = ""; for (const x in o) k += x + " "; k`, "7 a m "},
		{`JSON.stringify(o)`, `{"7":"seven","a":1}`},
		{`JSON.stringify({ ...o })`, `{"7":"seven","a":1}`},
		{`const { a, ...rest } = o; a + JSON.stringify(rest)`, `1{"7":"seven"}`},
		{`Object.assign({}, o).a`, "1"},
		{`Object.entries(o).join()`, "7,seven,a,1"},
		{`typeof o`, "object"},
		{`String(o)`, "[object Object]"},
		{`o instanceof C`, "true"},
		{`Object.getPrototypeOf(o) === C.prototype`, "true"},
		{`Object.setPrototypeOf(o, null); Object.getPrototypeOf(o)`, "null"},
		{`Object.isExtensible(o) && !Object.isFrozen(Object.freeze(o)) || Object.isFrozen(o)`, "true"},
		{`Object.preventExtensions(o); o.x = 1; o.x`, "undefined"},
		{`o === o && o !== {} && o == o && Object.is(o, o) && [o].includes(o)`, "true"},
		{`o != other && o !== other`, "true"},
		{`new Map([[o, 1]]).get(o) + new WeakMap([[o, 1]]).get(o)`, "2"},
		{`class D extends (class { constructor() { return o } }) { #p = 3; static p(x) { return x.#p } };
			new D(); D.p(o)`, "3"},
		{`try { o() } catch (e) { e.name }`, "TypeError"},
		{`try { new o() } catch (e) { e.name }`, "TypeError"},
		{`try { ({}) instanceof o } catch (e) { e.name }`, "TypeError"},
		{`Array.isArray(o) || Array.prototype.concat.call(o)[0] === o`, "true"},
		{`Array.prototype.sort.call(Object.assign(o, { length: 2, 0: "b", 1: "a" }))[0]`, "a"},
		{`Array.prototype.reverse.call(Object.assign(o, { length: 2, 0: "b", 1: "a" }))[0]`, "a"},
		{`Object.getOwnPropertyDescriptor(o, "a").writable`, "true"},
		{`({ a: 4, __proto__: o }).m()`, "method of 4"},
		{`new Proxy(o, {}).a`, "1"},
		{`with_(o)`, "1"},
	} {
		rt := goja.New()
		v, err := rt.RunString(`const s = Symbol(), with_ = new Function("o", "with (o) return a");
			class C { x; }; C.prototype.m = function () { return "method of " + this.a }; ({ s, C, with_ })`)
		if err != nil {
			t.Fatal(err)
		}
		names, filled := v.(*goja.Object), 0
		class := names.Get("C").(*goja.Object)
		list := l.Lazy(rt, 2, class.Get("prototype").(*goja.Object), func(i int, o *goja.Object) {
			if filled++; i != 0 && c.js != `o != other && o !== other` {
				t.Errorf("%s: object %d is filled", c.js, i)
			}
			_ = o.Set("a", 1)
			_ = o.Set("7", "seven")
			_ = o.SetSymbol(names.Get("s").(*goja.Symbol), "symbol")
		})
		_ = rt.Set("o", list[0])
		_ = rt.Set("other", list[1])
		if filled != 0 {
			t.Errorf("%s: filled before anybody looks", c.js)
		}
		got, err := rt.RunString(c.js)
		if err != nil || got.String() != c.want {
			t.Errorf("%s: %v %v, want %s", c.js, got, err, c.want)
		}
		if filled > 1 && c.js != `o != other && o !== other` {
			t.Errorf("%s: filled %d times", c.js, filled)
		}
	}
	// What fills an object may call scripts, in whichever instruction, and runs no job that waits.
	rt := goja.New()
	calls := l.Lazy(rt, 300, rt.NewObject(), func(i int, o *goja.Object) {
		f, _ := goja.AssertFunction(rt.Get("Number"))
		v, err := f(nil, rt.ToValue(i))
		if err != nil {
			t.Error(err)
		}
		_ = o.Set("i", v)
		_ = o.Set("f", rt.ToValue(func() int { return i }))
	})
	_ = rt.Set("calls", rt.NewArray(func() (list []any) {
		for _, v := range calls {
			list = append(list, v)
		}
		return list
	}()...))
	p, err := goja.Compile("", `let sum = 0, jobs = 0; Promise.resolve().then(() => jobs++);
		for (const o of calls) sum += o.f(); jobs + " " + sum + " " + calls[1].i`, true)
	if err != nil {
		t.Fatal(err)
	}
	l.Quicken(p)
	if got, err := rt.RunProgram(p); err != nil || got.String() != "0 44850 1" {
		t.Errorf("calls: %v %v", got, err)
	}
	rt = goja.New()
	fill := func(i int, o *goja.Object) { _ = o.Set("i", i) }
	list := l.Lazy(rt, 3, rt.NewObject(), fill)
	if got, ok := list[2].Export().(map[string]any); !ok || got["i"] != int64(2) {
		t.Errorf("export %v", got)
	}
	var m map[string]int
	if err := rt.ExportTo(list[1], &m); err != nil || m["i"] != 1 {
		t.Errorf("export to a map: %v %v", m, err)
	}
	if list[0].ExportType().Kind().String() != "map" {
		t.Errorf("export type %s", list[0].ExportType())
	}
}
