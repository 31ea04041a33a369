package bounds_test

import (
	"strings"
	"testing"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/ecma/ecmatest"
)

// bounded are expressions that ask a built-in or an operator for too much, and V8's answers. Without the bounds goja
// takes gigabytes for them, or Go ends the process.
var bounded = []string{
	`"x".repeat(2**40) ==> RangeError: Invalid string length`,
	`"x".repeat(2**29 - 23) ==> RangeError: Invalid string length`,
	`"x".repeat(-1) ==> RangeError: Invalid count value: -1`,
	`"x".repeat(Infinity) ==> RangeError: Invalid count value: Infinity`,
	`"".repeat(2**40).length ==> 0`,
	`"ab".repeat({ valueOf: () => 2 }) ==> abab`,
	`"x".padEnd(2**40, "abc") ==> RangeError: Invalid string length`,
	`"x".padStart(2**40) ==> RangeError: Invalid string length`,
	`"x".padStart(2**40, "").length ==> 1`,
	`"x".padStart(3) + "x".padEnd(3, "ab") ==>   xxab`,
	`"a".repeat(1e6).replace(/a/g, "b".repeat(1e4)) ==> RangeError: Invalid string length`,
	`new ArrayBuffer(8).transfer(16).byteLength + new ArrayBuffer(8).transferToFixedLength().byteLength ==> 24`,
	`"a".repeat(2**16).replaceAll("a", "b".repeat(2**16)) ==> RangeError: Invalid string length`,
	`"a-b".replaceAll("-", "$&$&") + "aa".replaceAll("a", (x, i) => x + i) ==> a--ba0a1`,
	`Array(2**30).join("x") ==> RangeError: Invalid string length`,
	`[1, , null, [2, [3]], "x"].join("-") ==> 1---2,3-x`,
	`const a = [1]; a.push(a, 2); a.join() ==> 1,,2`,
	`Math.max.apply(null, { length: 4294967295 }) ==> RangeError: Invalid array length`,
	`Math.max.apply(null, { length: 200000 }) ==> RangeError: Maximum call stack size exceeded`,
	`Math.max(...Array(200000)) ==> RangeError: Maximum call stack size exceeded`,
	`Math.max(...Array(100000).fill(1)) ==> 1`,
	`Reflect.apply(Math.max, null, { length: 2**32 }) ==> RangeError: Invalid array length`,
	`Reflect.construct(Date, { length: 2**30 }) ==> RangeError: Invalid array length`,
	`Array.from({ length: 2**32 }) ==> RangeError: Invalid array length`,
	`Array.prototype.toSorted.call({ length: 2**53 - 1 }) ==> RangeError: Invalid array length`,
	`const a = []; a[0] = a; a.flat(Infinity) ==> RangeError: Maximum call stack size exceeded`,
	`[1, [2, [3, [4]]]].flat(Infinity).join() + [1, [2, [3]]].flat(2).length ==> 1,2,3,43`,
	`const a = [1]; a.join = a.toString; a.toString() ==> RangeError: Maximum call stack size exceeded`,
	`const o = {}; o.name = o; o.toString = Error.prototype.toString; ` +
		`"" + o ==> RangeError: Maximum call stack size exceeded`,
	`const o = {}, p = new Proxy(o, {}); Object.setPrototypeOf(o, p); ` +
		`o.x ==> RangeError: Maximum call stack size exceeded`,
	`const o = {}, p = new Proxy(o, {}); Object.setPrototypeOf(o, p); ` +
		`"x" in o ==> RangeError: Maximum call stack size exceeded`,
	`const o = {}; Object.defineProperty(o, "x", { get: Reflect.get.bind(null, o, "x") }); ` +
		`o.x ==> RangeError: Maximum call stack size exceeded`,
	`const o = {}; o.toString = String.prototype.trim; "" + o ==> RangeError: Maximum call stack size exceeded`,
	`const o = {}; o.toString = Object.prototype.toLocaleString; ` +
		`"" + o ==> RangeError: Maximum call stack size exceeded`,
	`1n << (2n**40n) ==> RangeError: Maximum BigInt size exceeded`,
	`2n**(2n**30n) ==> RangeError: Maximum BigInt size exceeded`,
	`const n = 2n**30n; 3n ** n ==> RangeError: Maximum BigInt size exceeded`,
	`const n = -(2n**40n); 1n >> n ==> RangeError: Maximum BigInt size exceeded`,
	`const n = 2n**70n; [1n >> n, 0n << n, 1n ** n, 0n ** n, (-1n) ** n, 1n << -n].join() ==> 0,0,1,0,1,0`,
	`BigInt.asUintN(2**53 - 1, -1n) ==> RangeError: Maximum BigInt size exceeded`,
	`2n ** (-1n) ==> RangeError: Exponent must be positive`,
	`(2n ** 64n - 1n) * 3n ==> 55340232221128654845`,
	`1n << 5000000n ==> RangeError: Maximum BigInt size exceeded`,
	`"9".repeat(2**22) == 1n ==> RangeError: Maximum BigInt size exceeded`,
	`"x".repeat(2**16).replace(/x/g, "y".repeat(2**16)) ==> RangeError: Invalid string length`,
	`"a-b".replace(/-/g, "$&" + "y".repeat(2**19)).length ==> 524291`,
	`JSON.stringify({}, new Proxy([], { get: (t, k) => k === "length" ? 2**53 - 1 : "a" })) ==>` +
		` RangeError: Invalid array length`,
	`JSON.stringify(Array(100).fill("\u0001".repeat(2**20))) ==> RangeError: Invalid string length`, // six each
	`Object.keys(new Proxy({}, { ownKeys: () => ({ length: 2**53 - 1 }) })) ==> RangeError: Invalid array length`,
	`RegExp.prototype[Symbol.replace].call({ flags: "", exec: () => ({ length: 2**53 - 1, index: 0 })` +
		` }, "x", () => "") ==> RangeError: Invalid array length`,
	`const a = Array(1000).fill(1), f = () => (a.length = 0, 1); a.sort(f).length ==> 1000`,
	`[3, , 1, undefined, 2].sort((a, b) => a - b).join() ==> 1,2,3,,`,
	`let g = [1][Symbol.iterator](); for (let i = 0; i < 20000; i++) g = (function* (h) { yield* h` +
		` })(g); [...g] ==> RangeError: Maximum call stack size exceeded`,
	`"\u0041\u030a".repeat(2**18).normalize("NFC").length ==> 262144`,
	`["ß".repeat(2**17).toUpperCase().length, ("Σ" + "aÉ".repeat(2**17) + "Σ").toLowerCase().slice(-2),` +
		` "ÀÉ".repeat(2**17).toLowerCase() === "àé".repeat(2**17), "é𝄞".repeat(2**17).slice(-3)].join()` +
		` ==> 262144,éς,true,é𝄞`,
	`[Object.values("ab".repeat(2**16)).slice(1, 3), Object.entries("ab".repeat(2**16))[65537]].join() ==> b,a,65537,b`,
	`Object.prototype.toLocaleString.call({ toString: 1 }) ==> TypeError: number 1 is not a function`,
	`Object.prototype.toLocaleString.call(Object.create(null)) ==> TypeError: undefined is not a function`,
	`Object.prototype.toLocaleString.call(1.5) + ({}).toLocaleString() ==> 1.5[object Object]`,
	"let s = 'x'.repeat(2**28); s + s ==> RangeError: Invalid string length",
}

// Lengths beyond reason and calls without end are V8's errors, before memory is taken; the rest is as ever.
func TestBoundedCalls(t *testing.T) { holds(t, bounded) }

// holds checks expressions with what they are, as V8 says it.
func holds(t *testing.T, lines []string) {
	t.Helper()
	for _, line := range lines {
		code, want, _ := strings.Cut(line, " ==> ")
		e := ecmatest.New(t)
		head, last := "", code
		if i := strings.LastIndex(code, "; "); i >= 0 && strings.Count(code[i:], ")") == strings.Count(code[i:], "(") &&
			strings.Count(code[i:], "}") == strings.Count(code[i:], "{") {
			head, last = code[:i+1], code[i+1:]
		}
		p, err := ecma.Compile("b.js", "(() => { try { return String((() => {"+head+" return ("+last+
			") })()) } catch (e) { return String(e) } })()", true)
		if err != nil {
			t.Errorf("%s: %v", code, err)
			continue
		}
		if v, err := e.Runtime.RunProgram(p); err != nil || v.String() != want {
			t.Errorf("%s\n\t%.100v, %v\n\tinstead of %s", code, v, err, want)
		}
	}
}
