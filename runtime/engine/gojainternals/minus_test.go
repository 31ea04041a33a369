package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// A text or a typed array has no property "-", if its prototypes have none.
func TestMinusAsName(t *testing.T) {
	const source = `const k = "-", r = [], all = ["abc", "é", "", new String("a"), new Uint8Array(1),
			new BigInt64Array(1), new (class extends String {})("q"),
			new (class extends Int8Array {})(1), Object.setPrototypeOf(new Uint8Array, null)];
		for (const o of all) {
			const { [k]: taken } = o;
			r.push(o[k], o["-"], o?.[k], taken, o["--"], o["-1"]);
			for (const f of [() => o[k](1), () => o["-"]()]) try { f() } catch (e) { r.push(e.name) }
		}
		r.push("abc"["-"], [1]["-"], ({ "-": 1 })["-"]);
		Object.prototype["-"] = function () { "use strict"; return typeof this };
		for (const o of all.slice(0, -1)) r.push(o[k](), o["-"](), o["-"] === Object.prototype["-"]);
		Object.defineProperty(Object.prototype, "-", { get() { "use strict"; return typeof this } });
		for (const o of all.slice(0, -1)) r.push(o[k]);
		r.map(String).join()`
	const none = "undefined,undefined,undefined,undefined,undefined,undefined,TypeError,TypeError,"
	want := ""
	for range 9 {
		want += none
	}
	want += "undefined,undefined,1"
	for _, kind := range []string{"string,string,true", "object,object,true", "string", "object"} {
		n := 3
		if kind[0] == 'o' {
			n = 5
		}
		for range n {
			want += "," + kind
		}
	}
	prg := compile(t, `"use strict";`+source)
	layout(t).Quicken(prg)
	v, err := goja.New().RunProgram(prg)
	if err != nil || v.String() != want {
		t.Errorf("%v, %v\nwant %s", v, err, want)
	}
}

// It can be given that name, asked for it and lose it.
func TestMinusIsWritten(t *testing.T) {
	const source = `const k = "-", r = [], t = (f) => { try { return f() } catch (e) { return e.name } };
		class X extends String {}
		for (const o of [new String("a"), new Uint8Array(1), new X("q"), X.prototype, Object.create(new Int8Array(1)),
				Object.create(String.prototype)])
			r.push([k in o, o[k] = 1, k in o, o["-"], o["-"] = 2, o[k], Object.keys(o).includes(k), delete o[k], k in o,
				o["-"] = 3, delete o["-"], o[k]].join());
		r.push(t(() => { "a"[k] = 1 }), t(() => { "a"["-"] = 1 }), t(() => delete "a"[k]), t(() => delete "a"["-"]),
			t(() => k in "a"));
		r.join("; ")`
	const each = "false,1,true,1,2,2,true,true,false,3,true,"
	want := ""
	for range 5 {
		want += each + "; "
	}
	want += each + "; TypeError; TypeError; true; true; TypeError"
	prg := compile(t, `"use strict";`+source)
	layout(t).Quicken(prg)
	v, err := goja.New().RunProgram(prg)
	if err != nil || v.String() != want {
		t.Errorf("%v, %v\nwant %s", v, err, want)
	}
}
