package ecma_test

import "testing"

// TestKernelTables holds what kernels read of arrays of rows: plain arrays of numbers, and objects that have numbers.
func TestKernelTables(t *testing.T) {
	const many = `const numbers = (n) => Array.from({ length: n }, (_, i) => i * 77777777 | 0);`
	eachBothWays(t, map[string]withExits{
		"objects, in a method": {many + `
			class G { constructor(t, w) { this.t = t; this.W = w; this.size = 1 << w; this.s0 = this.s1 = this.s2 = 0 }
				block(s0, s1, s2) { s0 ^= this.s0, s1 ^= this.s1; s2 ^= this.s2; const { W, t, size } = this;
					let o0 = 0, o1 = 0, o2 = 0; const mask = (1 << W) - 1; let w = 0;
					for (const num of [s0, s1, s2]) { for (let p = 0; p < 4; p++) {
						const byte = (num >>> (8 * p)) & 0xff; for (let i = 8 / W - 1; i >= 0; i--) {
							const bit = (byte >>> (W * i)) & mask, { s0: e0, s1: e1, s2: e2 } = t[w * size + bit];
							((o0 ^= e0), (o1 ^= e1), (o2 ^= e2)); w += 1 } } }
					this.s0 = o0; this.s1 = o1; this.s2 = o2 }
				all(b) { const n = Math.floor(b.length / 4); for (let i = 0; i < n; i++)
					this.block(swap(b[i * 4 + 0]), swap(b[i * 4 + 1]), swap(b[i * 4 + 2])) } }
			const swap = Math.random() < 2 ? (n) => n : (n) => n >>> 1;`, `
			const t = numbers(384).map((n, i) => ({ s0: n, s1: i ^ 5, s2: -i })), g = new G(t, 4), out = [];
			const b = new Uint32Array(32).map((_, i) => i * 2654435761), all = () => { const e = run(() => g.all(b));
				out.push(e.slice(0, 70), g.s0, g.s1, g.s2) };
			all(); all(); t[300].s1 = 99; all(); t[301].s0 = 1.5; all(); t[9] = { s2: 1, s0: 2, s1: 3 }; all();
			t[9] = g; all(); t[9] = { s0: 1, get s1() { return out.length }, s2: 5 }; all(); t[9] = t[8];
			t.length = 250; all(); t[250] = null; all(); return show(out)`},
		"lists": {`
			function k(t, a, n) { let s = 0; for (let i = 0; i < n; i++) { for (let j = 0; j < 3; j++) {
				const x = t[i][j]; s = s * 3 + (x === undefined ? 11 : x); a[i & 3] ^= t[i][2] } } return s }`, `
			const a = new Int32Array(4), f = (t, n) => [run(() => k(t, a, n)).split("\n")[0], show(a)];
			const row = [7, 8, 9], inherits = Object.setPrototypeOf([1, 2], [3, 4, 5]);
			return [f([[1, 2, 3], [4, 5, 6]], 2), f([[1, 2, 3], [4, 5, 6]], 3), f([[1, 2], [4, 5]], 2),
				f([[1.5, -0, NaN], [4e9, 5, 6]], 2), f([[4e9, 1, 2], row, row], 3), f([[1], [1, 2, 3]], 2),
				f([[1, , 3], [4, 5, 6]], 2), f([[1, 2, "3"]], 1), f([[1, 2, true]], 1), f([inherits, inherits], 2),
				f([], 1), f([new Int8Array(3), new Int8Array(2)], 2), f([new Proxy([1, 2, 3], {})], 1),
				f([, [1, 2, 3]], 2),
				f({ 0: [1, 2, 3] }, 1), f([[1, 2, 3]], -1)].join(" ")`},
		"what changes meanwhile": {`
			function k(t, o, w, n) { let s = 0; for (let i = 0; i < n; i++) { const { p, q } = t[i % 3];
				o.p = o.p + p + i; w[i & 1] = w[i & 1] + 1; s = s * 5 + p + q } return s % 1e9 }
			function l(t, w, n) { let s = 0; for (let i = 0; i < n; i++) { w[i & 1] = w[i & 1] + 1;
				s += t[i % 3][i & 1] } return s }`, `
			const t = [{ p: 1, q: 2 }, { p: 3, q: 4 }, { p: 5, q: 6 }], o = { p: 7 }, w = [1, 2], out = [];
			for (let i = 0; i < 3; i++) out.push(k(t, o, w, 7), k(t, t[1], w, 7), l([[1, 2], w, [3, 4]], w, 9), w,
				l([[1, 2], [5, 6], [3, 4]], w, 9)); return show([out, o.p, t[1].p])`},
		"what has happened before a row is missed": {`
			const f = (t, i) => t[i][0];
			function g(o, t, n) { let s = 0; for (let i = 0; i < n; i++) { o.p += 1; s += t[i][1] } return s }
			function h(t, n) { let s = 0; for (let i = 0; i < n; i++) s = s * 3 + t[i][1]; return s }
			function k(o, t, n) { let s = 0; for (let i = 0; i < n; i++) { let q = i;
				s += (q++, f(t, q - 1)) + q } return s }
			function l(o, t, n) { let s = 0; for (let i = 0; i < n; i++) { o.p += 1; s += g(o, t, i) } return s }
			function m(o, t, n) { let s = 0; for (let i = 0; i < n; i++) { o.p += 1; s += h(t, i) } return s }`, `
			const t = [[1, 2], [3, 4], [5, 6]], out = [], o = { p: 0 };
			for (const x of [k, l, m]) for (const n of [2, 3, 4, 5])
				out.push(run(() => x(o, t, n)).split("\n")[0], o.p);
			return show(out)`},
		"loops over lists": {`
			const f = (x, y) => { let s = 0; for (const w of [x, y, x = 5, x]) { if (w & 1) continue; let c = w;
				for (let i = 0; i < 2; i++) { if (i === w) continue; s = s * 7 + c++ + i } } return s | 0 };
			function k(a, n) { for (let i = 0; i < n; i++) a[i] = f(a[i], i) ^ f(i, 3); return a }`, `
			const out = [], list = (x) => show(k(new Int32Array([1, 2, 3, 4]), 4)); out.push(list(), list());
			const p = Object.getPrototypeOf([][Symbol.iterator]()), next = p.next, values = Array.prototype.values;
			p.next = function () { const r = next.call(this); if (!r.done) r.value++; return r }; out.push(list());
			p.next = next; out.push(list()); Array.prototype[Symbol.iterator] = function* () { yield 4; yield 8 };
			try { out.push(list()) } finally { Array.prototype[Symbol.iterator] = values } out.push(list());
			return show(out)`},
	})
}

// TestFewRoundsOfTables: to copy a table takes longer than a few rounds of a loop. Others have a kernel, and one of the
// rounds that follow where a row was missed.
func TestFewRoundsOfTables(t *testing.T) {
	for loop, want := range map[string]int{"i < 4": 0, "i < 9": 2, "i < n": 2} {
		source := kernelScript(`function k(t, a, n) { for (let i = 0; `+loop+`; i++) a[i] ^= t[n][i] }`, "")
		if got := len(kernelsIn(t, source)); got != want {
			t.Errorf("%s: %d kernels, expected %d", loop, got, want)
		}
	}
}
