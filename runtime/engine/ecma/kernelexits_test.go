package ecma_test

import (
	"strings"
	"testing"
)

// TestKernelExits holds what kernels leave to goja in their middle: what throws, what makes a larger buffer, null and
// texts. All are where goja would have them then.
func TestKernelExits(t *testing.T) {
	eachBothWays(t, map[string]withExits{
		"a throw in a loop": {`
			function k(a, n) { var s = 0, i; for (i = 0; i < n; i++) { a[i]++; a[i] ^= 3;
				s += a[i] + a[i + 1 & 3] * a[0];
				if (a[i] > 40) throw new Error("at " + i + ":" + s);
					a[i] += a[i + 1 & 3] - a[i + 1 & 3] } return s }`, `
			const a = new Uint8Array([1, 2, 3, 50]); return show([k(a, 3), run(() => k(a, 4)).slice(0, 11), a])`},
		"goja goes on": {`
			function k(a, n) { var s = 0, what = null, i = 0; for (;;) {
				s += a[i] * a[i & 1] + a[0] + a[1] + a[2] + a[3] + a[0];
				a[i] = s; if (i === 2) { what = "two"; s = s + 0.5 } else if (i > n) { what = { s: s }; break }
				i++ } return [s, what && what.s, i] }`, `
			return show([k(new Int32Array([1, 2, 3, 4, 5, 6, 7, 8]), 5), k(new Int32Array(8), 1)])`},
		"a larger buffer, made by a function": {`
			function k(src, n) { var out = new Uint8Array(4), at = 0, i = 0;
				var room = function (l) { var have = out.length; if (l > have) {
					var more = new Uint8Array(Math.max(have * 2, l)); more.set(out); out = more } };
				for (; i < n; i++) { if (n > 0) room(at + 2); out[at++] = src[i] + src[0] + src[1];
					out[at++] = src[i] ^ src[2];
					if (src[i] === src[3] && src[4] === 77) out[at] += src[5] }
				return [out, at, i] }`, `
			return show([1, 2, 3, 9].map((n) => k(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9]), n)))`},
		"exits in switches, under labels": {`
			function k(a, n) { var s = 0, m = "", i, j; out: for (i = 0; i < n; i++) { for (j = 0; j < 3; j++) {
				switch (a[i] & 3) { case 0: s += a[j]; break; case 1: if (a[j] === 7) { m += "x" + s;
					continue out } s += 2;
				case 2: s ^= a[j] + a[i] + a[0] + a[1] + a[2]; break; default: m = m + "y"; break out } s++ } }
				return s + m + i + j }`, `
			return show([k(new Int8Array([0, 1, 2, 4, 5]), 5), k(new Int8Array([1, 7, 2, 4]), 4),
				k(new Int8Array([2, 2, 7, 3]), 4), k(new Int8Array([5, 4, 7, 8]), 4)])`},
		"what a statement does to variables of a block before an exit": {`
			function late(x) { if (x === 5) x = null; return x + 1 }
			function k(a, n) { let s = 0; for (let i = 0; i < n; i++) { let q = i, c = q + 1; if (a[1] > 0)
				c = late((q++, c += 3, q > 3 ? 5 : a[i] ^ a[1] ^ a[2] ^ a[3] ^ a[4] ^ a[5] ^ a[6])) + q + SUM;
				s = s * 3 + q + c | 0 } return s }`, `
			const a = new Int32Array([1, 2, 3, 4, 5, 6, 7, 8]); return show([1, 3, 5, 8].map((n) => k(a, n)))`},
		"declarations around exits": {`
			function k(a, n) { let s = 1; const m = n + 1; var seen; for (; s < m; s++) {
				a[s & 3] += a[0] + a[1] + a[2];
				a[s + 1 & 3] ^= a[3] + a[s & 3]; if (s === 5) seen = [s, m]; if (a[0] === 1 << 20) throw late }
				let late = s; return [s, m, seen, late, () => s] }`, `
			const f = (n) => { const r = k(new Int32Array([1, 2, 3, 4]), n); return [...r.slice(0, 4), r[4]()] };
			return show([f(3), f(9), run(() => k(new Int32Array([1 << 20, 0, -(1 << 20), 0]), 9)).slice(0, 20)])`},
		"functions that throw": {`
			function at(a, i) { if (i > 6) throw new RangeError("no " + i); return a[i] }
			function k(a, n) { var s = 0, i = 0; do { s = s * 3 + at(a, i) | 0; a[i] = s ^ a[0] ^ a[1];
				a[i & 3] += at(a, i + 1);
				s += a[0] + a[1] } while (++i < n); return s }`, `
			const a = new Int32Array(9).fill(3); return show([k(a, 5), run(() => k(a, 8)), a])`},
		"an array in a declared variable": {`
			function k(a, n) { let u = 0; var s = 0, i = 0; for (; i < n; i++) { s += a[i] + SUM; if (a[i] === 7) u = a;
				if (a[i] === 9) { s += "x" + (u === a) + typeof u } if (a[i] === 10) throw u } return [s, u] }`, `
			return show([[1, 2, 3, 9, 7, 9, 4], [1, 2, 3, 9, 4], [1, 7, 10, 9, 4], [1, 10, 10]].map((l) =>
				run(() => k(new Uint8Array(l), l.length))))`},
		"generators": {`
			function* k(a, n) { var s = 0, i = 0; for (; i < n; i++) { s += a[i] + SUM; a[i & 7] += s;
				if (a[i] & 1) { const got = yield [s, i]; s += got } a[0]++ } return [s, i, a] }`, `
			const g = k(new Int32Array([1, 2, 3, 4, 5, 6, 7, 8]), 40), out = [];
			for (let r = g.next(); ; r = g.next(out.length)) { out.push(show(r.value));
				if (r.done) return out.join() }`},
		"try, catch and finally": {`
			function k(a, n) { var s = 0, i = 0, log = []; try { for (; i < n; i++) { s += a[i] + SUM; a[i & 7] += s;
				if (a[i] & 1) { try { if (i === 5) throw s; log.push(i); continue } catch (e) { log.push("c" + e);
					if (n > 20) return log.concat(a) } finally { log.push("f" + s); if (i === 9) break } } a[0]++ } }
				finally { log.push("out" + i) } return [s, i, log, show(a)] }`, `
			return [4, 8, 12, 30].map((n) => show(k(new Int32Array([1, 2, 3, 4, 5, 6, 7, 8]), n))).join("|")`},
		"this, arguments and closures": {`
			class C { constructor() { this.n = 3; this.log = []; this.w = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]) }
				k(a, n) { var s = 0, f = () => s + i, g = (x) => { s += x; return this.n++ }; var i = 0; for (;
					i < n; i++) {
				s += a[i] + this.w[0] + SUM; this.n += a[i]; if (a[i] & 4) { this.log.push(f(), g(2), arguments.length);
					arguments[1]-- } this.w[i & 7]++ } return [s, i, n, this.n, this.log, show(this.w), f()] } }`, `
			const c = new C, a = new Uint8Array([1, 2, 4, 4, 9, 4, 1, 4, 5]);
				return show([c.k(a, 9), c.k(a, 4, 5, 6)])`},
		"stacks": {`
			function bad(x) { if (x > 9)
				throw new Error("bad " + x); return x + 1 }
			function k(a, n) { var s = 0, i = 0;
				for (; i < n; i++) {
					s += a[i] + SUM;
					a[i] = s;
					s += bad(a[i] & 15);
					if (s > 1000)
						throw new TypeError("over " + s);
				} return s }`, `
			return [[1, 0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 6, 7], [0, 0, 0, 2000, 0, 0, 0],
				[16, 0, 0, 0, 0, 0, 0]].map((l) =>
				run(() => k(new Uint16Array(l), 7))).join("|")`},
		"effects happen once": {`
			let count = 0; function note() { return count++ }
			function bad(x) { if (x > 9) throw new Error("bad " + x); return x + 1 }
			function k(a, n) { var s = 0, i = 0; do { s += a[i] + SUM; a[i++]++; if ((a[0] += 2) > 40) note();
				s = bad(a[i]) + (a[1] = s & 3); var j = a[i++] + bad(a[i & 7]++ & 7); s += j } while (i < n);
					return s }`, `
			const a = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9, 30, 1, 2, 3]);
			return [6, 6, 11].map((n) => [run(() => k(a, n)), show(a), count]).join("|")`},
		"another object": {`
			function k(o, n) { var s = 0, i = 0; for (; i < n; i++) {
				s += o.w[i & 7] + o.w[0] + o.w[1] + o.w[2] + o.w[3];
				s += o.w[4] + o.w[5] + o.w[6]; o.c += s; o.w[i & 7]++;
				if (o.w[i & 7] === 4) { o = { w: new Uint8Array([9, 9, 9, 9, 9, 9, 9, 9]), c: "q" } } }
				return [s, o.c, show(o.w)] }`, `
			return [2, 3, 9].map((n) => show(k({ w: new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]), c: 0 }, n))).join("|")`},
		"names of scopes around exits": {`
			const bits = (a, i) => { if (i > 90) throw new RangeError("at " + i); return a[i & 7] >>> 1 };
			function k(a, n) { let s = 0; for (let i = 0, j = 3; i < n; i++) {
				const w = a, x = w[i & 7] + SUM; let late;
				if (x & 1) { let t = x + j; { const u = t * 2; if (s > 100) {
					s = [s, i, j, x, t, u, late, w === a].join(); late = t; s = s.length + late }
					j ^= u & 3 } w[j & 7] ^= t } late = bits(w, i + x);
				const end = late + 1; s = s + end | 0; j = j + 1 & 7 } return [s, a] }`, `
			return [3, 9, 40].map((n) => run(() => k(new Int32Array([1, 2, 3, 4, 5, 6, 7, 8]), n)).slice(0, 60)).
				join("|")`},
		"names without a value yet": {`
			function k(a, n) { let s = 0; for (let i = 0; i < n; i++) { s += a[i & 7] + SUM; a[i & 7]++;
				if (i === 6) { try { s += t } catch (e) { s += e.name } } let t = s; const u = 1;
				if (i === 9) { return [s, t, u] } } return s }`, `
			return show([k(new Uint8Array(8), 5), k(new Uint8Array(8), 8), k(new Uint8Array(8), 20)])`},
		"a closure keeps a name": {`
			function k(a, n) { const list = []; let s = 0; for (let i = 0; i < n; i++) { const x = a[i & 7] + SUM;
				let y = x + s; a[i & 7]++; if (x & 2) { list.push(() => [i, x, y]); y++ } s = y & 255 }
				for (let i = 0; i < n; i++) s += a[i & 7] + SUM;
				return [s, list.map((f) => f().join())] }`, `
			return show(k(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]), 12))`},
		"a function that somebody gave": {`
			function core(p, q, x, y, z = 3) { for (let i = 0; i < 4; i++) p[i] ^= q[i] + x; return p[0] + y + z | 0 }
			function swap(p, q, x, y, z) { q[0] += y; p[x & 7] += q[y & 7] - z; return p[1] }
			const user = (f) => (a, n) => { const b = new Int32Array(8); let s = 1; for (let i = 0; i < n; i++) {
				s ^= f(b, a, i, s, 7); if (s === 99) throw new Error("s"); a[i & 7] = b[0] + a[0] + a[1] + a[2] + a[3] }
				return [s, show(a), show(b)] };`, `
			let calls = 0; const any = (p, q, x, y, z) => { calls++; p[0] = z; return q[1] + x }, out = [];
			for (const f of [core, swap, any, core, (...all) => all.length])
				out.push(user(f)(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]), 9)); return show([out, calls])`},
		"little in an array": {`
			function k(s, n) { do {
				if (++s.at <= n) s.w[s.at & 7] ^= s.at } while (--s.left !== 0) return [s.at, s.w] }`, `
			return show(k({ at: 0, left: 20, w: new Uint8Array(8) }, 12))`},
	})
}

// withExits are functions with a kernel that may end, and what is done with them. SUM is something long enough that a
// kernel pays.
type withExits struct{ functions, use string }

// eachBothWays does each with kernels and without, and wants one at least.
func eachBothWays(t *testing.T, cases map[string]withExits) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			functions := strings.ReplaceAll(c.functions, "SUM", "a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6]")
			got, codes := bothWays(t, functions, c.use)
			if codes == 0 {
				t.Error("no kernel")
			}
			t.Log(got)
		})
	}
}
