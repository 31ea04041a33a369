package bounds_test

import "testing"

// What a method of Array asks an array-like for it asks once, in the standard's order, however it is bounded.
var askedOnce = []string{
	`const log = [], p = new Proxy([1, [2, [3]]], { get(t, k) { log.push(String(k)); return t[k] } }); ` +
		`p.flat(2); log.join() ==> flat,length,constructor,0,1`,
	`const log = [], p = new Proxy([1, 2], { get(t, k) { log.push(String(k)); return t[k] } }); ` +
		`p.includes(3); p.indexOf(3); log.join() ==> includes,length,0,1,indexOf,length,0,1`,
	`let n = 0; const o = { get length() { n++; return 2 }, set length(v) {}, 0: 5, 1: 4 }, f = Array.prototype; ` +
		`for (const k of ["map", "slice", "splice", "toReversed", "toSorted", "toSpliced", "forEach", "reduce", ` +
		`"join"]) ` +
		`f[k].call({ __proto__: o }, k === "map" || k === "forEach" || k === "reduce" ? (x) => x : undefined); ` +
		`[n, f.toSorted.call(o), f.with.call(o, -1, 6), f.toSpliced.call(o, 0, 1, 7, 8)].join() ==> 9,4,5,5,6,7,8,4`,
	`const log = [], o = { get length() { log.push("length"); return 1 } }; ` +
		`[].with.call(o, { valueOf: () => log.push("index") - 2 }, 0) + log.join() ==> 0length,index`,
	`const a = [1, , 3].toReversed(), b = [, 1].with(1, 2), c = [, 1].toSpliced(1, 0, 5); ` +
		`[1 in a, 0 in b, 0 in c, a.length, b.length, c.length].join() ==> true,true,true,3,2,3`,
	`let n = 0; const o = { get [Symbol.iterator]() { n++; return [][Symbol.iterator].bind([1, 2]) } }; ` +
		`[Array.from(o, (x, i) => x + i), new Uint8Array(o), Int8Array.from(o), n].join() ==> 1,3,1,2,1,2,3`,
	`let n = 0; const o = { get length() { n++; return 1 }, get 0() { n += 10; return 7 } }; ` +
		`[Array.from(o), new Uint8Array(o), Int8Array.from(o), n].join() ==> 7,7,7,33`,
	`class A extends Array {}; const p = new Proxy({ length: 2, 0: 1, 1: 2 }, {}); const a = Array.from.call(A, p); ` +
		`[a instanceof A, a, Array.from.call(() => 1, p) instanceof A].join() ==> true,1,2,false`,
	`let n = 0; const p = new Proxy(["b"], { get(t, k) { n++; return t[k] } }); ` +
		`JSON.stringify({ a: 1, b: 2 }, p) + n ==> {"b":2}2`,
	`[].push.call({ length: 2 ** 53 - 1 }, 1) ==> TypeError: Invalid array length`,
	`[].unshift.call({ length: 2 ** 53 - 1 }, 1) ==> TypeError: Invalid array length`,
	`[].splice.call({ length: 2 ** 53 - 1 }, 0, 0, 1) ==> TypeError: Invalid array length`,
	`[].toSpliced.call({ length: 2 ** 53 - 1 }, 0, 0, 1) ==> TypeError: Invalid array length`,
	`[].toSpliced.call({ length: 2 ** 32 }, 0, 0) ==> RangeError: Invalid array length`,
	`[].toSpliced.call({ length: 2 ** 53 + 20, 9007199254740989: "a", 9007199254740990: "b" }, 0, 2 ** 53 - 3)` +
		`.join() ==> a,b`,
	`[1].concat({ length: 2 ** 53 - 1, [Symbol.isConcatSpreadable]: true }) ==> TypeError: Invalid array length`,
}

func TestAskedOnce(t *testing.T) { holds(t, askedOnce) }
