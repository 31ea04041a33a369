package ecma_test

import "testing"

// TestKernelsCompareWithNull holds comparisons with null and undefined, and the truth of what is no number.
func TestKernelsCompareWithNull(t *testing.T) {
	for name, c := range map[string]struct{ functions, use string }{
		"an array that may be missing": {`
			function k(a, last, n) { let s = 0; for (let i = 0; i < n; i++) { const up = last ? last[i] : 0;
				a[i] += up; if (last != null) s += last[i]; if (last === null) s++; if (!last && i > 1) s += 100;
				if (last == null || a[i] < 0) s += 7; if (last !== undefined) s += 3; if (void 0 === last) s += 31 }
				return s }`, `
			const list = [null, new Uint8Array([1, 2, 3]), undefined, 0, 5, "", "x"];
			return show(list.map((l) => run(() => k(new Int8Array([1, 2, 3]), l, 3))))`},
		"a number that is null at first": {`
			function k(a, n) { var s = 0, last = null, first = null; for (var i = 0; i < n; i++) {
				s += a[i & 3] + a[0] + a[1] + a[2] + a[3] + a[0] + a[1] + a[2]; if (last !== null) s ^= 5;
				if (last == null && i > 2) s += 1000; if (i === 2) first = s; if (null !== first && i === 4) s--;
				last = i === 5 ? undefined : s } return [s, last, first] }`, `
			return show([k(new Uint8Array([1, 2, 3, 4]), 0), k(new Uint8Array([1, 2, 3, 4]), 9)])`},
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

// TestKernelsCallWhatIsLikely holds functions that come from properties and other modules.
func TestKernelsCallWhatIsLikely(t *testing.T) {
	got, codes := bothWays(t, `
		const tools = { nearest: (a, b, c) => Math.abs(a - b) < Math.abs(a - c) ? b : c };
		const module = (() => { const m = { exports: {} }; m.exports = function paeth(a, b, c) { return a + b - c };
			return m })();
		const free = (() => { const by = 3; return function times(a) { return a * by } })();
		var paeth2 = module.exports, times = free;
		function k(a, n, paeth2, times) { var near = tools.nearest; for (var i = 0; i < n; i++) {
			a[i] = near(a[i], a[i + 1], i) + paeth2(a[i], i, 3) } return a }
		function l(a, n) { const near = tools.nearest; for (var i = 0; i < n; i++) { a[i] += near(a[i], 3, i); a[i]-- }
			for (i = 0; i < n; i++) a[i] = times(a[i]); return a }`, `
		const a = () => new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9]);
		const out = [k(a(), 8, paeth2), l(a(), 9)];
		tools.nearest = (a, b, c) => b; out.push(k(a(), 8, paeth2), k(a(), 8, (a, b, c) => c), l(a(), 8));
		tools.nearest = function (a, b, c) { return this === undefined ? arguments.length : -1 };
		out.push(k(a(), 8, paeth2), l(a(), 8)); return show(out.map(show))`)
	if codes < 3 {
		t.Errorf("%d kernels", codes)
	}
	t.Log(got)
}

// TestKernelsCallWhatIsAssigned holds functions that a bundle assigns when their module is first asked for.
func TestKernelsCallWhatIsAssigned(t *testing.T) {
	got, codes := bothWays(t, `
		var bits, more, init = () => { bits = (d, p) => d[p >> 3] >> (p & 7) & 1; more = function (d, p) {
			return bits(d, p) + bits(d, p + 1) } };
		function k(a, n) { var s = 0; for (var i = 0; i < n; i++) s = s * 3 + more(a, i) | 0; return s }`, `
		init(); const a = new Uint8Array([1, 2, 3, 77]), out = [k(a, 30)];
		bits = (d, p) => d[p & 3]; out.push(k(a, 30)); more = () => 1; return show([...out, k(a, 30)])`)
	if codes != 2 { // one for each function named bits
		t.Errorf("%d kernels", codes)
	}
	t.Log(got)
}
