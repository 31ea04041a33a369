package ecma_test

import (
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
	"eddy/runtime/engine/kernel"
)

// TestFurtherRounds holds loops of which a kernel does the rounds behind an exit, too, and returns from the middle.
func TestFurtherRounds(t *testing.T) {
	eachBothWays(t, map[string]withExits{
		"a buffer grows once": {`
			function k(src, n) { var out = new Uint8Array(72), at = 0, i = 0;
				var room = function (l) { var have = out.length; if (l > have) {
					var more = new Uint8Array(Math.max(have * 2, l)); more.set(out); out = more } };
				for (; i < n; i++) { if (n > 0) room(at + 64); out[at++] = src[i & 7] + src[0] + src[1];
					out[at++] = src[i & 7] ^ src[2]; if (src[i & 7] === src[3] && src[4] === 77) out[at] += src[5] }
				return [out, at, i] }`, `
			return show([1, 30, 70].map((n) => k(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9]), n)))`},
		"a test that must not be evaluated twice": {`
			function k(a, n) { var s = 0, log = []; while (n--) { s += a[n & 7] + SUM; a[n & 3] ^= s;
				if ((s & 3) === 2) log.push(n) } do { s += a[n & 7] + SUM; if (s & 1) log.push(s) }
				while (++n < 9 && (s = s + 1 & 255)); return [s, n, log, a] }`, `
			return show([k(new Uint8Array(8).fill(3), 30), k(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]), 17)])`},
		"names of the loop": {`
			function k(a, n) { let s = 0, log = []; for (let i = 0, j = n; i < j; i++) { const x = a[i & 7] + SUM;
				let y; if (x & 2) { let z = x + i; if (z & 1) log.push([i, j, x, y, z]) ; y = z } a[i & 7] += x;
				if ((y & 7) === 5) j--; s = s + (y | 0) | 0 } return [s, log, a] }`, `
			return show([k(new Int32Array(8).fill(3), 30), k(new Int32Array([1, 2, 3, 4, 5, 6, 7, 8]), 17)])`},
		"each round has names that closures keep": {`
			function k(a, n) { let s = 0, log = []; for (let i = 0; i < n; i++) { s += a[i & 7] + SUM; a[i & 7]++;
				if (s & 4) { log.push(() => i) } } for (var j = 0; j < n; j++) s ^= a[j & 7] * 2;
				return [s, log.map((f) => f())] }`, `
			return show(k(new Uint8Array(8).fill(3), 30))`},
		"labels": {`
			function k(a, n) { var s = 0, log = [], i, j; out: for (i = 0; i < n; i++) { in_: for (j = 0; j < 9; j++) {
				s += a[j & 7] + SUM; a[i & 7] = s; if ((s & 7) === 3) { log.push([i, j, s]); continue out }
				if ((s & 15) === 6) { log.push(s); continue in_ } if ((s & 31) === 1) { log.push("b"); break } s++ }
				if (s & 1) { log.push(i); continue out } } return [s, log, a, i, j] }`, `
			return show([k(new Uint8Array(8).fill(3), 30), k(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]), 17)])`},
		"a return in the middle": {`
			function k(a, n) { let s = 0; { for (let i = 0; i < n; i++) { s += a[i & 7] + SUM; a[i & 7] ^= s;
				if (s === 0x2e7) return [i, s]; if (i > 30) { return } } }
				for (let i = 0; ; i++) { s += a[i & 7] + SUM; if (i > 9) return "end" + s }
				return log.push(s) }`, `
			return show([k(new Uint8Array(8).fill(3), 30), k(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]), 17),
				k(new Uint8Array(8), 3), k(new Uint8Array(8), 99)])`},
		"within try, in a generator": {`
			function* k(a, n) { var s = 0, i = 0; try { for (; i < n; i++) { s += a[i & 7] + SUM; a[i & 7] += s;
				if (a[i & 7] & 1) { const got = yield [s, i]; s += got; if (got > 6) return s } a[0]++ }
				} catch (e) { yield e } finally { yield [s, i, a] } }`, `
			const g = k(new Int32Array([1, 2, 3, 4, 5, 6, 7, 8]), 40), out = [];
			for (let r = g.next(); ; r = g.next(out.length)) { out.push(show(r.value));
				if (r.done) return out.join() }`},
	})
}

// TestFurtherRoundsAreKernels: behind an exit in its first round, a loop has no round that goja does.
func TestFurtherRoundsAreKernels(t *testing.T) {
	kernelsOn(t, true)
	var all []*kernel.Kernel
	seen := kernel.Seen
	kernel.Seen = func(list []*kernel.Kernel) {
		seen(list)
		all = append(all, list...)
	}
	r := ecmatest.New(t)
	v, err := r.Run("k.js", kernelScript(`
		function room(x) { if (x > rooms) { rooms = 100; throw x } return x }
		function k(a) { let s = 0; for (let i = 0; i < 40; i++) { s += a[i & 7] + a[0] + a[1] + a[2] + a[3] + a[4];
			a[i & 7]++; if (i === 0) { rooms = [i]; a[9] = rooms.length } s ^= a[i + 1 & 7] } return s }
		let rooms = 1;`, `return k(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]))`), true)
	if err != nil {
		t.Fatal(err)
	}
	further := 0
	for _, k := range all {
		if k.Armed() == nil {
			continue
		}
		codes, refused := k.Made()
		further += codes
		if len(refused) > 0 || k.Armed().Load() {
			t.Error(refused, k)
		}
	}
	if further != 1 {
		t.Errorf("%d kernels of further rounds gave %s", further, v)
	}
}
