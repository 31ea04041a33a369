package ecma_test

import "testing"

// TestKernelShapes holds what kernels reach beside numbers and typed arrays: properties, methods, texts, plain arrays.
func TestKernelShapes(t *testing.T) {
	for name, c := range map[string]struct{ functions, use, want string }{
		"properties of objects that may be the same": {`
			function k(o, v) { for (let i = 0; i < 3; i++) { o.p += 2; v.p *= 3; o.w[i] = v.p } return o.p }`, `
			const w = new Int32Array(3), o = { p: 1, w }, v = { p: 1 };
			return show([k(o, o), o.p, k(o, v), o.p, v.p, ...w])`, "105,105,111,111,27,3,9,27"},
		"methods of the class at hand": {`
			class A { constructor() { this.n = 1 } step(x, by = 3) { this.add(x * by) } add(x) { this.n += x }
				all(m) { for (let i = 0; i < m; i++) this.step(i); return this.n } }
			class B extends A { add(x) { this.n -= x } }`, `
			const o = new A(); o.add = undefined; 
			return show([new A().all(4), new B().all(4), run(() => o.all(2)).slice(0, 9)])`,
			"19,-17,TypeError"},
		"arguments of a method that are none of a kernel's": {`
			class A { f(x) { return x } } class B extends A { f(x) { return x + 1 } } function j(x) { return x }`, `
			const k = (o, n) => { let s = 0; for (let i = 0; i < n; i++) { for (let j = 0; j < 1; j++)
				s += o.f(j(i)) } return s };
			return run(() => k(new B(), 3)).slice(0, 9)`, ""},
		"an exception within a method": {`
			class A { constructor(v) { this.v = v; this.n = 0 } one(i) { this.n++; return this.v.getUint16(i) }
				all(m) { let s = 0; for (let i = 0; i < m; i++) s += this.one(i); return s } }`, `
			const a = new A(new DataView(new Uint8Array([0, 1, 2]).buffer)); return show([a.all(2),
				run(() => a.all(3)).slice(0, 10), a.n])`, "259,RangeError,5"},
		"switches and labels": {`
			function k(a, n) { let s = 0; outer: for (let i = 0; i < n; i++) { for (let j = 0; ; j++)
				switch (a[i] & 7) {
				case 1: continue outer; case 2: s += 10; case 3: s++; break; default: s += 100; if (j > 1) break outer;
				case 6:
				s += 1000; if (j > 2) continue outer } if (j > 5) break } return s }`, `
			return run(() => k(new Uint8Array([1, 6, 4]), 3))`, ""},
		"switches": {`
			function k(a) { let s = 0; for (let i = 0; i < a.length; i++) { switch (a[i]) {
				case 1: s += 1; case 2: s += 10;
				break; default: s += 100; case 5: s += 1000 } } return s }`, `
			return show([k(new Uint8Array([1, 2, 5, 9])), k(new Float64Array([NaN, 1.5, 2, -0]))])`, "2121,3310"},
		"texts": {`
			function k(s, n) { let h = 0; for (let i = 0; i < n; i++) h = h * 31 + s.charCodeAt(i); return h }`, `
			const a = k("abc", 3), b = k("\u00e4\u20acx", 3); String.prototype.charCodeAt = () => 1;
			return show([a, b, k("abc", 3), k("", 1)])`, ""},
		"plain arrays that change, and have holes": {`
			function k(t, n) { let s = 0; for (let i = 0; i < n; i++) { s += t[i] === undefined ? 5 : t[i]; } return s }
			function l(t, x) { for (let i = 0; i < 2; i++) t[i & 1] = t[i & 1] + x; return t }`, `
			const t = [1, 2]; const out = [k(t, 3), k([1, , 3], 3)]; t[0] = 7; out.push(k(t, 2), l(t, 0.5), l(t, 1));
			t.push(4); return show([...out, k(t, 3), t])`, ""},
		"clamped bytes": {`
			function k(a, x) { for (let i = 0; i < 4; i++) a[i] = x + i * 0.5; return a }`, `
			return show([-1, 0.5, 1.5, 254.2, NaN, 1e300].map((x) => show(k(new Uint8ClampedArray(4), x))))`, ""},
		"zero before a comparison": {`
			function k(m) { let s = 0; for (let i = 0; i < 1; i++) { if (i > (m & -512)) s += 1;
				if (0 < (m & 6)) s += 2;
				s += 4 * Math.max(0, m & -8) } return s }`, `
			return show([k(-1), k(-512), k(7), k(8)])`, "3,1,2,32"},
		"variables that stay undefined": {`
			function k(a, n) { let u, v; for (let i = 0; i < n; i++) if (a[i] > 1) { u = a[i]; v = u / 2 }
				return u === v ? v : u }`,
			`return show([k(new Float64Array([1, 3]), 2), k(new Float64Array(2), 2)])`, "3,"},
	} {
		t.Run(name, func(t *testing.T) {
			got, codes := bothWays(t, c.functions, c.use)
			if c.want != "" && got != c.want {
				t.Errorf("%s, expected %s", got, c.want)
			}
			if codes == 0 && c.want != "" {
				t.Error("no kernel")
			}
		})
	}
}
