package ecma_test

import "testing"

// TestKernelExits holds what kernels leave to goja in their middle: what throws, what makes a larger buffer, null and
// texts. All are where goja would have them then.
func TestKernelExits(t *testing.T) {
	for name, c := range map[string]struct{ functions, use, want string }{
		"a throw in a loop": {`
			function k(a, n) { var s = 0, i; for (i = 0; i < n; i++) { a[i]++; a[i] ^= 3; s += a[i] + a[i + 1 & 3] * a[0];
				if (a[i] > 40) throw new Error("at " + i + ":" + s); a[i] += a[i + 1 & 3] - a[i + 1 & 3] } return s }`, `
			const a = new Uint8Array([1, 2, 3, 50]); return show([k(a, 3), run(() => k(a, 4)).slice(0, 11), a])`, ""},
		"goja goes on": {`
			function k(a, n) { var s = 0, what = null, i = 0; for (;;) { s += a[i] * a[i & 1] + a[0] + a[1] + a[2] + a[3] + a[0];
				a[i] = s; if (i === 2) { what = "two"; s = s + 0.5 } else if (i > n) { what = { s: s }; break }
				i++ } return [s, what && what.s, i] }`, `
			return show([k(new Int32Array([1, 2, 3, 4, 5, 6, 7, 8]), 5), k(new Int32Array(8), 1)])`, ""},
		"a larger buffer, made by a function": {`
			function k(src, n) { var out = new Uint8Array(4), at = 0, i = 0;
				var room = function (l) { var have = out.length; if (l > have) {
					var more = new Uint8Array(Math.max(have * 2, l)); more.set(out); out = more } };
				for (; i < n; i++) { if (n > 0) room(at + 2); out[at++] = src[i] + src[0] + src[1]; out[at++] = src[i] ^ src[2];
					if (src[i] === src[3] && src[4] === 77) out[at] += src[5] }
				return [out, at, i] }`, `
			return show([1, 2, 3, 9].map((n) => k(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9]), n)))`, ""},
		"exits in switches, under labels": {`
			function k(a, n) { var s = 0, m = "", i, j; out: for (i = 0; i < n; i++) { for (j = 0; j < 3; j++) {
				switch (a[i] & 3) { case 0: s += a[j]; break; case 1: if (a[j] === 7) { m += "x" + s; continue out } s += 2;
				case 2: s ^= a[j] + a[i] + a[0] + a[1] + a[2]; break; default: m = m + "y"; break out } s++ } }
				return s + m + i + j }`, `
			return show([k(new Int8Array([0, 1, 2, 4, 5]), 5), k(new Int8Array([1, 7, 2, 4]), 4),
				k(new Int8Array([2, 2, 7, 3]), 4), k(new Int8Array([5, 4, 7, 8]), 4)])`, ""},
		"declarations around exits": {`
			function k(a, n) { let s = 1; const m = n + 1; var seen; for (; s < m; s++) { a[s & 3] += a[0] + a[1] + a[2];
				a[s + 1 & 3] ^= a[3] + a[s & 3]; if (s === 5) seen = [s, m]; if (a[0] === 1 << 20) throw late }
				let late = s; return [s, m, seen, late, () => s] }`, `
			const f = (n) => { const r = k(new Int32Array([1, 2, 3, 4]), n); return [...r.slice(0, 4), r[4]()] };
			return show([f(3), f(9), run(() => k(new Int32Array([1 << 20, 0, -(1 << 20), 0]), 9)).slice(0, 20)])`, ""},
		"functions that throw": {`
			function at(a, i) { if (i > 6) throw new RangeError("no " + i); return a[i] }
			function k(a, n) { var s = 0, i = 0; do { s = s * 3 + at(a, i) | 0; a[i] = s ^ a[0] ^ a[1]; a[i & 3] += at(a, i + 1);
				s += a[0] + a[1] } while (++i < n); return s }`, `
			const a = new Int32Array(9).fill(3); return show([k(a, 5), run(() => k(a, 8)), a])`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, codes := bothWays(t, c.functions, c.use)
			if codes == 0 {
				t.Error("no kernel")
			}
			t.Log(got)
		})
	}
}
