package ecma_test

import "testing"

// TestRegions holds kernels that are parts of functions: what they read of their surroundings and leave behind.
func TestRegions(t *testing.T) {
	for name, c := range map[string]struct{ functions, use, want string }{
		"methods and DataViews": {`
			const K = Uint32Array.from([7, 9]);
			class C {
				A = 1; B = 2; pos = 0;
				set(A, B) { this.A = A | 0; this.B = B | 0 }
				process(view, offset) {
					for (let i = 0; i < 2; i++, offset += 4) 
						K[i] = view.getUint32(offset, false) ^ view.getInt16(offset, true);
					let { A, B } = this;
					for (let i = 0; i < 5; i++) { const T = (A + K[i & 1]) | 0; A = B; B = T; this.pos++ }
					A = (A + this.A) | 0;
					this.set(A, B);
				}
			}`, `const c = new C(), v = new DataView(new Uint8Array([1, 2, 3, 200, 5, 6, 255, 8, 9]).buffer, 1);
			c.process(v, 0); return show([c.A, c.B, c.pos, K])`, ""},
		"a DataView's RangeError": {`
			function k(view, n) { let at = 0, sum = 0;
				for (let i = 0; i < n; i++) { sum += view.getUint32(at); at += 4; }
				return sum; }`, `const v = new DataView(new ArrayBuffer(8));
			return show([run(() => k(v, 2)), run(() => k(v, 3)), run(() => k(v, 2))])`, ""},
		"variables that others see": {`
			let count = 0, last;
			const seen = () => count + ":" + last;
			function k(a) { let after = 5;
				for (let i = 0; i < a.length; i++) { count += a[i]; last = i; }
				const end = count * 2;
				return [count, last, after, end, seen()]; }`,
			`return show([k(new Uint8Array([1, 2, 3])), seen(), k(new Uint8Array(0)), seen()])`, ""},
		"const and what it shadows": {`
			const c = 1;
			function k(a) { try { for (let i = 0; i < 3; i++) { a[i] = 1; c = a[i]; } }
				catch (e) { return e.name + a[0] } }
			function g(a, x) { for (let i = 0; i < 3; i++) { let x = i; a[i] += x;
				{ const x = 7; a[i] += x } } return x }`,
			`return show([k(new Int8Array(3)), g(new Int8Array(3), 4)])`, "TypeError1,4"},
		"names before their declaration": {`
			function k(a) { try { for (let i = 0; i < 3; i++) { a[i] = later } } catch (e) { return e.name + a[0] } }
			let got; got = k(new Int8Array(3)); let later = 3;`, `return show([got, k(new Int8Array(3))])`, ""},
		"objects that callers take apart": {`
			function add(Ah, Al, Bh, Bl) { const l = (Al >>> 0) + (Bl >>> 0);
				return { h: (Ah + Bh + ((l / 2 ** 32) | 0)) | 0, l: l | 0 }; }
			function k(a) { let h = 0, l = -1;
				for (let i = 0; i < 6; i++) { ({ h, l } = add(h, l, a[i], 77));
					const { h: x } = add(l, h, 1, 2); a[i] ^= x }
				return h + ":" + l; }`, `const a = new Int32Array(5).fill(-9); return show([k(a), a])`, ""},
		"plain arrays": {`
			const table = [3, 1, 4, 1, 5], halves = [0.5, 1.5];
			function swap(lr, off, P) { var l = lr[off], r = lr[off + 1]; for (var i = 0; i < 2; i++) l ^= P[i];
				lr[off] = r ^ 1; lr[off + 1] = l; return lr; }
			function k(a) { var lr = [1, 2], i, s = 0;
				for (i = 0; i < 5; i++) { lr = swap(lr, 0, a); a[i] = lr[0] + table[i];
					s += halves[i & 1]; if (table[i + 3] < 0) s = 0 }
				return [lr, s, i]; }`, `const a = new Int32Array(6).fill(3), odd = [1, 2]; table.push(9);
			const got = [k(a), a, swap(odd, 0, a), odd]; halves[5] = 1; return show([got, k(a), a])`, ""},
		"lists that change their shape": {`
			function k(list, n) { for (let i = 0; i < n; i++) list[i] = i * 2; return list.length; }`,
			`const out = []; for (let i = 0; i < 9; i++) { const l = [1, 2]; out.push(k(l, i), l) }
				return show(out)`, ""},
		"results": {`
			function first(a, x) { for (let i = 0; i < a.length; i++) { if (a[i] === x) return i; } return -1; }
			function same(a, b) { for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false; return true; }
			function none(a) { for (let i = 0; i < a.length; i++) { if (a[i] > 2) return; a[i] = 9 } }`,
			`const a = new Uint8Array([1, 2, 3]); return show([first(a, 3), first(a, 7), same(a, a),
				same(a, new Int8Array(3)),
				none(a), a, none(a), a])`, ""},
		"closures of other scopes": {`
			const make = (n) => { const t = new Uint8Array(4).fill(n);
				return { t, add: function (x) { return x + t[0] },
				sum(a) { let s = 0; const f = this.f ?? own;
				for (let i = 0; i < a.length; i++) s += own(a[i]); return s } };
				function own(x) { return x * t[1] } };`,
			`const p = make(2), q = make(5);
				return show([p.sum(p.t), q.sum(p.t), p.sum(q.t), q.sum.call(p, q.t)])`, ""},
		"a function that becomes another": {`
			let f = (x) => x + 1; const g = (x) => x * 3;
			function k(a) { let s = 0; for (let i = 0; i < a.length; i++) s += f(a[i]); return s }`,
			`const a = new Uint8Array([1, 2]); const x = k(a); f = g; return show([x, k(a)])`, "5,9"},
		"switches, labels and do": {`
			function k(a) { let n = 0; do { a[n] += n; n++; if (n > 7) break; } while (n < a.length);
				outer: for (let i = 0; i < 3; i++) { for (let j = 0; j < 3; j++) { if (j > i) continue outer; n += j } }
				switch (n) { case 4: { for (let i = 0; i < 2; i++) n += i } default: n++ } return n; }`,
			`const a = new Int16Array(5); return show([k(a), a, k(new Int16Array(12))])`, ""},
		"odd beginnings": {`
			async function later(a) { let s = 0; for (let i = 0; i < a.length; i++) s += a[i]; await 0; return s }
			function* g(a) { for (let r = 0; r < 2; r++) { for (let i = 0; i < a.length; i++) a[i] += r; yield a[0]; } }
			class D { constructor(a) { for (let i = 0; i < a.length; i++) a[i] += 1; this.a = a[0] } }
			const k = (a) => { for (let i = 0; i < a.length; i++) { a[i] *= 2 } }`,
			`const a = new Int8Array([1, 2]); later(a); k(a); return show([[...g(a)], new D(a).a, a])`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, codes := bothWays(t, c.functions, c.use)
			if codes == 0 && name != "lists that change their shape" {
				t.Errorf("no kernel")
			}
			if c.want != "" && got != c.want {
				t.Errorf("%s, expected %s", got, c.want)
			}
		})
	}
}

// TestRegionsSeeChangedBuiltins: what a script makes of Math, lengths and DataViews is what it gets.
func TestRegionsSeeChangedBuiltins(t *testing.T) {
	const functions = `function k(a) { let s = 0; for (let i = 0; i < a.length; i++) s += Math.imul(a[i], 3); return s }
		function v(d) { let s = 0; for (let i = 0; i < 2; i++) s += d.getUint8(i); return s }
		function l(list) { let s = 0; for (let i = 0; i < 3; i++) s += list[i] | 0; return s }`
	for _, use := range []string{
		`const a = new Uint8Array(3).fill(2), x = k(a); Math.imul = () => 1; return show([x, k(a)])`,
		`const a = new Uint8Array(3).fill(2), x = k(a); globalThis.Math = { imul: () => 5 }; return show([x, k(a)])`,
		`const a = new Uint8Array(3).fill(2), x = k(a); Object.defineProperty(a, "length", { value: 1 }); ` +
			`return show([x, k(a)])`,
		`const a = new Uint8Array(3).fill(2); a.__proto__ = { length: 2, __proto__: Uint8Array.prototype }; ` +
			`return show(k(a))`,
		`const a = new Uint8Array(3).fill(2), x = k(a);
			Object.defineProperty(Object.getPrototypeOf(Uint8Array.prototype), "length", { get: () => 1 }); ` +
			`return show([x, k(a)])`,
		`const d = new DataView(new Uint8Array([3, 4]).buffer), x = v(d); DataView.prototype.getUint8 = () => 1; ` +
			`return show([x, v(d)])`,
		`const d = new DataView(new Uint8Array([3, 4]).buffer); d.getUint8 = () => 9; return show(v(d))`,
		`const x = l([1, 2]); Array.prototype[2] = 7; const y = l([1, 2]); delete Array.prototype[2]; ` +
			`return show([x, y])`,
		`const x = l([1, , 3]); Object.prototype[1] = 7; const y = l([1, , 3]); delete Object.prototype[1]; ` +
			`return show([x, y])`,
		`const list = [1, 2, 3]; Object.defineProperty(list, 1, { get: () => 8 }); return show(l(list))`,
		`return show([l(Object.freeze([1, 2, 3])),
			l(new Proxy([1, 2], {})), run(() => l(null)), l("123"), l({ 0: 4 })])`,
	} {
		bothWays(t, functions, use)
	}
}
