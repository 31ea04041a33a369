package bounds_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/ecma/ecmatest"
)

// reading are calls of built-ins, each of which reads a text of a megabyte a hundred thousand times, with nothing of a
// script between. That takes minutes: the test's own limit is what fails.
var reading = []string{
	`new Set(list)`, `new Map(list.map((x) => [x, 1]))`, `Object.fromEntries(list.map((x) => [x, 1]))`,
	`list.sort()`, `list.toSorted()`, `Math.max(...list)`, `Math.hypot.apply(null, list)`, `Math.min(...list)`,
	`String.fromCharCode(...list)`, `String.fromCodePoint(...list.map(() => " ".repeat(t.length)))`,
	`Uint8Array.of(...list)`, `Uint8Array.from(list)`, `new Int32Array(list)`, `new Float16Array(list)`,
	`new Int32Array({ length: 10000, ...list })`, `new Int32Array(list.values())`, `new Int8Array(10000).set(list)`,
	`list.map(Number)`, `list.map(parseFloat)`, `list.map(isNaN)`, `list.some(RegExp.prototype.test, /y/)`,
	`list.map(Function.prototype.call, String.prototype.toUpperCase)`,
	`places.forEach(Function.prototype.call, String.prototype.localeCompare)`, `JSON.stringify({ list: { list } })`,
	`JSON.stringify({ list }, (k, v) => v, 2)`,
}

// An interrupt ends them at the next text: they look for it before each.
func TestLongTextsAreLookedAt(t *testing.T) {
	for _, body := range reading {
		e := ecmatest.New(t)
		places := ""
		if strings.HasPrefix(body, "places") {
			places = "const places = new Map(list.map((x, i) => [i, x]));" // its forEach gives localeCompare no locales
		}
		p, err := ecma.Compile("n.js", `(begin) => { const t = "x".repeat(1 << 20), list = Array(1e5).fill(t);
			`+places+`
			begin(); `+body+` }`, true)
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.Runtime.RunProgram(p)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := goja.AssertFunction(v)
		_, err = f(goja.Undefined(), e.Runtime.ToValue(func() {
			time.AfterFunc(5*time.Millisecond, func() { e.Runtime.Interrupt("stopped") })
		}))
		var interrupted *goja.InterruptedError
		if !errors.As(err, &interrupted) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// What reads long texts in another way than goja's own gives what goja's own gives.
func TestLongTextsAreReadAlike(t *testing.T) {
	for _, line := range []string{
		`[l.indexOf(t), l.indexOf(t, 1), l.indexOf(t, -1), l.indexOf(t, 9), l.indexOf(t, -9), l.indexOf(t + ` +
			`1)].join() ` +
			`==> 0,2,-1,-1,0,-1`,
		`[l.lastIndexOf(t), l.lastIndexOf(t, 1), l.lastIndexOf(t, -2), l.lastIndexOf(t, -9)].join() ==> 2,0,2,-1`,
		`[l.includes(t), l.includes(t, 3), l.includes(t + 1)].join() ==> true,false,false`,
		`[...new Set(l)].length + new Map([[t, 1], [t, 2]]).get(t) + Object.fromEntries([[t, 3]])[t] ==> 8`,
		`JSON.stringify([Object.fromEntries([[, 1]]), Object.fromEntries([[], { 0: "a", 1: 2 }, ["b"]]), ` +
			`Object.fromEntries(new Map([[1, 2]])), ` +
			`Object.fromEntries(new Set([[, t.length], ["__proto__", 3]]))]) ==> ` +
			`[{"undefined":1},{"a":2},{"1":2},{"undefined":131072,"__proto__":3}]`,
		`Object.fromEntries([[], 1]) ==> TypeError: Iterator value 1 is not an entry object`,
		`Object.fromEntries([[], , 1]) ==> TypeError: Iterator value undefined is not an entry object`,
		`Object.fromEntries({}) ==> TypeError: object is not iterable (cannot read property Symbol(Symbol.iterator))`,
		`new Int8Array([d, "2", null, undefined, true]).join() ==> 7,2,0,0,1`,
		`new Float16Array([d, 1.5]).join() + Int8Array.from([d]) + Int8Array.of(d, 1) ==> 7,1.577,1`,
		`const a = new Int8Array(3); a.set([d, "4"], 1); a.join() ==> 0,7,4`,
		`Int8Array.from([d, 1], (v, i) => v.length - i).join() ==> 1,0`,
		`Math.max(d, 1) + Math.min(d, 9) + String.fromCharCode(d, 65).length ==> 16`,
		`new Int8Array(new Set([1, 2])).join() + new Int8Array({ length: 2, 0: d }).join() ==> 1,27,0`,
		`new BigInt64Array(["1", 2n]).join() ==> 1,2`,
		`new Int8Array([1].values()).join() + new Int8Array("3").length + new ArrayBuffer("4").byteLength ==> 134`,
		`l.slice().sort()[0] + [t, "a"].toSorted()[0] ==> 1a`,
		`JSON.stringify({ a: [t, 1], b: { c: undefined, toJSON: () => t } }).length - 2 * t.length ==> 19`,
		`JSON.stringify({ a: t, b: 1 }, ["b"]) + JSON.stringify({ a: t }, (k, v) => k ? v.length : v) ==> ` +
			`{"b":1}{"a":131072}`,
		`JSON.stringify([t.slice(0, 2), , null, NaN, new Date(NaN), Symbol(), () => 1]) ==> ` +
			`["xx",null,null,null,null,null,null]`,
		`JSON.stringify({ __proto__: null, a: 1 }) + JSON.stringify(Object.setPrototypeOf([1, [2]], null), null, ` +
			`1).length ` +
			`==> {"a":1}17`,
		`d < 8n && 6n < d && d <= 7n && d >= 7n && !(d > 7n) && "5" > 4n ==> true`,
		`1n < "9".repeat(2**22) ==> RangeError: Maximum BigInt size exceeded`,
		`"9".repeat(2**22) >= 1n ==> RangeError: Maximum BigInt size exceeded`,
	} {
		code, want, _ := strings.Cut(line, " ==> ")
		e := ecmatest.New(t)
		head := ""
		if i := strings.Index(code, "; "); strings.HasPrefix(code, "const ") {
			last := strings.LastIndex(code, "; ")
			head, code = code[:last+1], code[max(last, i)+2:]
		}
		p, err := ecma.Compile("b.js", `(() => { const t = "x".repeat(1 << 17), d = " ".repeat(1 << 17) + 7,
			l = [t, 1, t, 2]; `+head+` try { return String(`+code+`) } catch (e) { return String(e) } })()`, true)
		if err != nil {
			t.Errorf("%s: %v", code, err)
			continue
		}
		if v, err := e.Runtime.RunProgram(p); err != nil || v.String() != want {
			t.Errorf("%s\n\t%.100v, %v\n\tinstead of %s", code, v, err, want)
		}
	}
}
