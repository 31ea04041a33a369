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
