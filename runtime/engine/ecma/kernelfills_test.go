package ecma_test

import "testing"

// TestKernelFills holds fill and set of typed arrays, callbacks that do nothing, and rest parameters.
func TestKernelFills(t *testing.T) {
	for name, c := range map[string]struct {
		functions, use, want string
		none                 bool
	}{
		"fill": {`
			function k(a, x, from, to) { for (let i = 0; i < 1; i++) { a.fill(x, from, to); a[i] -= 1 } return a }
			function l(a, x) { for (let i = 0; i < 1; i++) a.fill(x); return a }`, `
			const out = [], all = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array,
				Uint32Array, Float32Array, Float64Array];
			for (const A of all) for (const x of [0, -0, -1, 7, 300, 1.5, NaN, 5e9, true, undefined]) {
				out.push(l(new A(3), x));
				for (const [from, to] of [[0, 3], [1, 2], [-2, -1], [-9, 9], [3, 1], [2, 2 ** 40], [-(2 ** 40), 1]])
					out.push(k(new A([1, 2, 3, 4]), x, from, to)); }
			return out.map(show).join(" ")`, "", false},
		"what fill gives and takes": {`
			function k(a, x) { for (let i = 0; i < 2; i++) a.fill(x++, x); return x }
			function l(a, x) { for (let i = 0; i < 2; i++) a[i] = a.fill(i)[i + 2] + x; return a }`, `
			return show([k(new Int8Array(4), 1), run(() => l(new Int8Array(4), 1))])`, "3,[1,2,1,1]", false},
		"set": {`
			function k(a, b, at) { for (let i = 0; i < 1; i++) { a.set(b, at); a[0] += 1 } return a }
			function l(a, b) { for (let i = 0; i < 1; i++) a.set(b); return a }`, `
			const a = new Uint32Array([1, 2, 3, 4]), b = new Uint8Array([9, 8, 7, 6]);
			return [k(a, new Uint32Array([7, 8]), 2), k(a, a.subarray(0, 3), 1), l(a, a.subarray(2)),
				k(b, b.subarray(1), 0), k(b, new Int8Array([-1]), 3), k(b, new Uint8ClampedArray([255]), 0),
				k(new Uint8ClampedArray(2), new Uint8Array([200]), 1),
				k(new Uint8ClampedArray(2), new Int8Array([-1]), 1), k(b, new Uint32Array(1), 2), k(b, [1, 2], 1),
				k(new Float64Array(2), new Float64Array([NaN, -0]), 0), run(() => k(a, a, 1)),
				run(() => k(a, a, -1)), run(() => k(b, b, 2 ** 40)), run(() => l(b, new Uint8Array(5)))]
				.map(show).join(" ")`, "", false},
		"set in a function that is taken in": {`
			const put = (a, b, at) => a.set(b, at), T = new Int32Array([1, 2]);
			function k(a, n) { for (let i = 0; i < 2; i++) put(a, T, 2 * i + n); return a }`, `
			return [k(new Int32Array(4), 0), run(() => k(new Int32Array(4), 1))].join(" ")`, "", true},
		"fill that is not the language's": {`
			function k(a) { for (let i = 0; i < 2; i++) a.fill(i); return a }`, `
			const out = [k(new Int8Array(2))], a = new Int8Array(2); a.fill = () => a[0]++; out.push(k(a));
			Object.getPrototypeOf(Int8Array.prototype).fill = function () { this[1] = 9 };
			out.push(k(new Int8Array(2)), k(new Uint8Array(3)));
			Int8Array.prototype.fill = function () { this[0] = 8 }; return [...out, k(new Int8Array(2))].join(" ")`,
			"1,1 2,0 0,9 0,9,0 8,0", false},
		"set that is also a method of the script's": {`
			class S { set(a, at) { this.n += a[at] } } class R { constructor(o) { this.o = o }
				all(b, m) { for (let i = 0; i < m; i++) this.o.set(b, i) } }`, `
			const s = new S(); s.n = 0; const a = new Int8Array(4); new R(s).all(new Int8Array([3, 4]), 2);
			new R(a).all(new Int8Array([3, 4]), 3); return show([s.n, a])`, "7,3,3,3,4", false},
		"callbacks that do nothing": {`
			let turns = 0; const start = (f) => { let done = () => {}; if (f) done = f; return { done } };
			function k(a, n, f) { const { done } = start(f);
				for (let i = 0; i < n; i++) { a[i] += i; done(a[i]++, turns) } return a }`, `
			const f = (x) => { turns += x }, a = new Int8Array(3); k(a, 3); k(a, 3, f); k(a, 2);
			return show([a, turns, run(() => k(a, 1, 5))])`, "", false},
		"functions that are chosen": {`
			const little = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
			function reversed(x) { return x << 24 | (x & 0xff00) << 8 | x >>> 8 & 0xff00 | x >>> 24 }
			const order = little ? (x) => x : reversed, big = little ? reversed : (x) => x;
			function k(a, n) { for (let i = 0; i < n; i++) a[i] = order(a[i]) + big(a[i]); return a }`, `
			return show([k(new Int32Array([1, -2, 3]), 2), k(new Float64Array([1.5]), 1)])`, "", false},
		"what is set in a DataView": {`
			function k(d, at, x, little) { for (let i = 0; i < 2; i++) { d.setUint8(at + i, x + i);
				d.setUint16(at + 2, x, little); d.setInt32(at + 4, x); d.setInt16(at, x - 1, little);
				d.setUint32(at + 3, x, true); d.setInt8(at + 7, x) } return d.getUint16(at) }`, `
			const b = new Uint8Array(9), d = new DataView(b.buffer), out = [];
			for (const x of [0x12345678, -2, 1.5, 5e9, NaN, -0]) for (const little of [true, false, undefined])
				out.push(k(d, 0, x, little), k(d, 1, x, little), show(b));
			for (const at of [2, -1, NaN, 1e300, 2 ** 53]) out.push(run(() => k(d, at, 7, true)), show(b));
			return out.join(" ")`, "", false},
		"rest parameters": {`
			function clean(...list) { for (let i = 0; i < list.length; i++) list[i].fill(0); return list.length }
			function sum(x, ...rest) { return x + rest[0] + rest.length }
			function k(a, n) { for (let i = 0; i < n; i++) { a[3 - i] = 7 + sum(i, 5, 6); n += clean(a) - 1 } return a }
			function l(a, b) { for (let i = 0; i < 1; i++) { clean(a, b); clean() } }`, `
			const a = new Int32Array(4), b = new Int32Array([1]); k(a, 2); l(a, b); return show([a, b])`,
			"0,0,0,0,0", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, codes := bothWays(t, c.functions, c.use)
			if c.want != "" && got != c.want {
				t.Errorf("%s, expected %s", got, c.want)
			}
			if codes == 0 != c.none {
				t.Error("no kernel")
			}
		})
	}
}
