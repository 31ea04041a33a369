package ecma_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
	"eddy/runtime/engine/kernel"
)

// kernelScript puts functions into one of their own, as a bundle does, and shows what a script there gives.
func kernelScript(functions, use string) string {
	return "(function () {" + functions + `
		const show = (x) => Object.is(x, -0) ? "-0" : ArrayBuffer.isView(x) ? "[" + Array.from(x,
			show) + "]" : String(x);
		const run = (f) => { try { return show(f()) } catch (e) { return String(e.stack ?? e) } };
		` + use + "})()"
}

// kernelsOn lets kernels be compiled when they begin for the first time, or never. The result is what became of those
// of the scripts that follow.
func kernelsOn(t *testing.T, on bool) (made func() (codes int, refused []error)) {
	t.Helper()
	off, threshold, seen := kernel.Off, kernel.Threshold, kernel.Seen
	t.Cleanup(func() { kernel.Off, kernel.Threshold, kernel.Seen = off, threshold, seen })
	kernel.Off, kernel.Threshold = !on, 0
	var mu sync.Mutex // guards all: a test may look while the script is compiled
	var all []*kernel.Kernel
	kernel.Seen = func(list []*kernel.Kernel) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, list...)
	}
	return func() (codes int, refused []error) {
		mu.Lock()
		defer mu.Unlock()
		for _, k := range all {
			n, why := k.Made()
			codes += n
			refused = append(refused, why...)
		}
		return codes, refused
	}
}

// bothWays runs functions as kernels and without, and wants the same of both. codes is how many kernels there were.
func bothWays(t *testing.T, functions, use string) (got string, codes int) {
	t.Helper()
	return inBoth(t, [2]*ecmatest.Runner{ecmatest.New(t), ecmatest.New(t)}, functions, use)
}

// inBoth is bothWays in two runtimes that there are.
func inBoth(t *testing.T, runners [2]*ecmatest.Runner, functions, use string) (got string, codes int) {
	t.Helper()
	var results [2]string
	for i, r := range runners {
		made := kernelsOn(t, i == 0)
		v, err := r.In(t).Run("k.js", kernelScript(functions, use), true)
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, functions, use)
		}
		results[i] = v.String()
		if i == 0 {
			var refused []error
			codes, refused = made()
			for _, why := range refused {
				t.Log(why)
			}
		}
	}
	if results[0] != results[1] {
		t.Errorf("kernel %s\ngoja   %s\n%s\n%s", results[0], results[1], functions, use)
	}
	return results[0], codes
}

const turns = `function rotl(word, shift) { return (word << shift) | ((word >>> (32 - shift)) >>> 0); }`

// TestKernels holds cases that are easily wrong.
func TestKernels(t *testing.T) {
	for _, c := range []struct{ body, use, want string }{
		{`a[0] = b[9] + 1; a[1] = b[9] | 5; a[9] = 1; a[1.5] = 1; a[-1] = 1; a[-0] ^= 2; for (;;) break;`,
			`const a = new Int32Array(2), b = new Uint8Array(2); k(a, b, 0); return show(a)`, "[2,5]"},
		{`let x = 9007199254740990, y = 3; for (let i = 0; i < 4; i++) { a[i] = x++ | 0; y *= 3002399751580331; ` +
			`b[i] = y | 0; y = 3; }`,
			`const a = new Int32Array(4), b = new Int32Array(4); k(a, b); return show([a, b])`,
			"-2,-1,0,0,0,0,0,0"},
		{`let x = b[0]; for (; x < 1e10;) x += b[1]; return x >>> 0;`,
			`return show(k(new Int8Array(1), new Uint32Array([1, 4294967295]), 0))`, "4294967294"},
		{`let x = a[0] ^ 0; for (let i = 0; i < 3; i++) { x ^= rotl(x + b[i] | 0, 13); a[i] = x; }`,
			`const a = new Uint32Array(3).fill(-5); k(a, a, 0); return show(a)`, ""},
		{`a[n++] = n; a[n] = n++; b[n] = b[n--] + n; for (;;) { if (n > 0) break; }`,
			`const a = new Float64Array(4); k(a, new Float32Array(4), 1); return show(a)`, "[0,2,2,0]"},
		{`let x = n % 7, y = -n; for (let i = 0; i < 2; i++) { a[i] = x / y; x = -0; } return x * n;`,
			`const a = new Float64Array(2); return show([k(a, a, -8), ...a].map(show))`, ""},
		{`let s = 0; for (let i = 0; i < n; i++) { if (i === 3) continue; if (i > 7) break; s += a[i] * b[i]; } ` +
			`return s;`,
			`return show(k(new Uint16Array([1, 2, 3, 4, 5, 6, 7, 8, 9]), new Int16Array(9).fill(-3), 9))`, "-96"},
		{`for (let i = 0; i < 4; i++) a[i] = i & 1 ? b[i] : n;`,
			`const a = new Uint8Array(4); k(a, new Int8Array([1, 2, 3]), 300); return show(a)`, "[44,2,44,0]"},
		{`a[0] = n; a[1] = n | 0; a[2] = n >>> 0; for (;;) break;`,
			`const a = new Float64Array(3), out = []; for (const n of [2 ** 31, -(2 ** 53), 1e300, NaN, ` +
				`-Infinity, -0.5, 2 ** 64])
			{ k(a, a, n); out.push(show(a)) } return out.join()`, ""},
		{`var i, s = 0; for (i = 0; i < 2; i++) { var u; s += u === 1 ? 1 : 2; u = 1; } return s + a[0];`,
			`return show(k(new Int8Array(1), new Int8Array(1), 0))`, "3"},
		{`let x = 0; for (let i = 0; i < 3 && a[i] !== 2 || i === 5; i++) { let x = i; a[i] += x; } return x;`,
			`const a = new Int8Array([1, 1, 2]); return show([k(a, a, 0), ...a])`, "0,1,2,2"},
		{`for (let i = 0; i < n; i++) { if (i < 1) a[0] = 1 / i; if (i <= 0) a[1] = i / -1; } return n;`,
			`const a = new Float64Array(2); k(a, a, 70000); return show(a)`, "[Infinity,-0]"},
	} {
		functions := turns + "function k(a, b, n) { " + c.body + " }"
		got, codes := bothWays(t, functions, c.use)
		if codes == 0 {
			t.Errorf("%s is no kernel", c.body)
		}
		if c.want != "" && got != c.want {
			t.Errorf("%s gives %s, expected %s", c.body, got, c.want)
		}
	}
}

// TestKernelsCompareWithZero: wazero 1.12 turns a branch round that has a constant zero on the left and on the right
// what & gives (TestComparisonsOfWazero). However a zero comes to the left, kernels do not have it there.
func TestKernelsCompareWithZero(t *testing.T) {
	var body strings.Builder
	for _, zero := range []string{"0", "z", "c", "(x = 0)", "(x = 3, 0)", "none(7)", "f()", "i * 0", "(i & 0)",
		"(n, z)"} {
		for _, op := range []string{"<", ">", "<=", ">="} {
			for _, and := range []string{"(a[i] & n)", "(a[i] & -8)", "(x = a[i] & b[i])",
				"((a[i] & b[i]) >>> 0)"} {
				c := zero + " " + op + " " + and
				fmt.Fprintf(&body, "if (%s) s = s * 3 + 1 | 0; s = (%s ? s : s ^ 5) + 7 | 0; "+
					"if (!(%s && i < 3)) s ^= i; ", c, c, c)
			}
		}
	}
	functions := `const none = (x) => 0; function f() { return 0 }
		function k(a, b, n) { let s = 0, x = 0; const z = 0; let c = 0; for (let i = 0; i < 4; i++) { ` +
		body.String() + ` } return s; }`
	_, codes := bothWays(t, functions, `const out = []; for (const n of [-1, 1, 6, -2147483648]) out.push(k(
		new Int32Array([1, -1, 6, -2147483648]), new Int32Array([-1, 7, -8, -1]), n)); return show(out)`)
	if codes != 1 {
		t.Errorf("%d kernels", codes)
	}
}

// TestKernelsSettle: what is known inside of a loop settles there: loops in loops and functions taken in are not
// gone through again for each of their facts: eight loops take some hundred turns, most of them of the innermost.
func TestKernelsSettle(t *testing.T) {
	const functions = turns + `
		function mix(a, ai, b, bi, n) { for (let i = 0; i < n; i++, ai += 2) a[ai] ^= rotl(b[bi++] + a[ai++] | 0, 7) }
		function block(a, from, b, to, n) { let head = to, tail = to + 4 * n;
			for (let i = 0; i < n; i++, head += 4, from += 4) { mix(a, from, b, head, n); if (i > 0) tail += 4;
				mix(b, tail, a, from, n) } }
		function k(a, b, n, m) { let at = 0; for (let i = 0; i < m; i++) { for (let j = 0; j < n; j++) a[at + j] ^= j;
			block(a, at, b, at += n, n); block(b, at, a, 0, n) } return at }`
	r := ecmatest.New(t)
	kernelsOn(t, true)
	var all []*kernel.Kernel
	kernel.Seen = func(list []*kernel.Kernel) { all = append(all, list...) }
	v, err := r.Run("k.js", kernelScript(functions, `const a = new Int32Array(99); return show(k(a, a, 5, 3))`), true)
	if err != nil || v.String() != "15" {
		t.Fatal(v, err)
	}
	for _, k := range all {
		if _, why := k.Made(); k.Turns() > 120 || len(why) > 0 {
			t.Errorf("%v: loops were lowered %d times %v", k, k.Turns(), why)
		}
	}
}

// TestNoKernels: what is called with something else runs in goja, and sees what it would see there.
func TestNoKernels(t *testing.T) {
	const functions = `function k(a, b, n) { for (let i = 0; i < n; i++) a[i] = b[i] ^ n; return n; }`
	for _, use := range []string{
		`const a = []; return show([k(a, [1, 2], 3), a])`,
		`return run(() => k())`,
		`return run(() => k(new Int8Array(2), null, 2))`,
		`const a = new Int8Array(2); return show([k(a, a, "2"), a])`,
		`const a = new Int8Array(2); return show([k(a, a, { valueOf() { a[1] = 9; return 2 } }), a])`,
		`const a = new Uint8ClampedArray(2); return show([k(a, new Int16Array([-1, 999]), 2), a])`,
		`const a = new BigInt64Array(2); return run(() => k(a, a, 2))`,
		`const a = new Uint8Array(2); a.buffer.transfer(); return show([k(a, new Int8Array(1), 2), a.length])`,
		`const b = new ArrayBuffer(8, { maxByteLength: 16 }), a = new Uint8Array(b); b.resize(3); k(a, a, 5); ` +
			`b.resize(16);
			k(a, a, 12); return show(a)`,
		`const a = new Proxy(new Int8Array(2), { set() { throw Error("set") } }); return run(() => k(a, a, 2))`,
		`const a = new Int8Array(3); return show([k(a, a, 2, 7, 8), k.call(5, a, a, 1), k.apply(null, [a, a, 3]), a])`,
		`const a = new Int8Array(3); return show([typeof new k(a, a, 2), [a].map((x) => k(x, x, 3)), a])`,
		`class C { constructor(a) { this.n = k(a, a, 2) } } const a = new Int8Array(3); return show([new C(a).n, a])`,
		`const a = new Int8Array(3); for (let i = 0; i < 500; i++) k(i % 300 ? [] : a, a, 3); return show(a)`,
		`const a = new Int8Array(3), f = async () => k(a, a, 2); f(); return show([a, ` +
			`k.toString().includes("for"), k.length])`,
		`const a = new Int8Array(3); function* g() { yield k(a, a, 1); yield k(a, a, 2) } return show([[...g()], a])`,
	} {
		bothWays(t, functions, use)
	}
}

// TestKernelsOfOneScript: what stands elsewhere in a script takes no kernel away, unless it makes names mean something
// else. A method may have the name with; goja does not note where an if begins.
func TestKernelsOfOneScript(t *testing.T) {
	const branch = "(a, n) { if (n > 1) { for (let i = 0; i < n; i++) a[i] ^= n } else { for (;n < 9; n++) a[n] = 3 } "
	const mixing = "function k(a, n) { for (let i = 0; i < n; i++) a[i] = Math.imul(a[i] + 3, n); return n }"
	const use = "const a = new Int32Array(9); return show([k(a, 5), k(a, 3), a])"
	for _, c := range []struct {
		functions, use string
		codes          int
	}{
		{mixing, use, 1},
		{mixing + "class C {\n with (x) { return this.eval(x) } eval(x) { return x } }", use, 1},
		{mixing + "const o = { f(x) { return x ? eval (x) : 0 } };", use, 0},
		{"function k" + branch + "return n } function l" + branch + "return a[0] }",
			"const a = new Int32Array(9); return show([k(a, 5), l(a, 6), l(a, 1), a])", 2},
	} {
		if _, codes := bothWays(t, c.functions, c.use); codes != c.codes {
			t.Errorf("%s has code for %d kernels, expected %d", c.functions, codes, c.codes)
		}
	}
}

// TestKernelsObeyInterrupts: the CPU limit ends a kernel that has no end.
func TestKernelsObeyInterrupts(t *testing.T) {
	r := ecmatest.New(t)
	for _, body := range []string{"for (;;) a[0] = a[0] + 1 | 0;", "for (;;) n = spin(a);", "while (n) { turn(a, n) }",
		"turn(a, 0); for (;;) turn(a, n);",
		"var i, s = 0; for (;;) { for (i = 0; i < 8; i++) { s ^= a[0] + a[1] + a[2] + a[3] + a[i]; a[i] ^= i } " +
			"if (n > 9) throw s; if (s === 1.5) s = null }"} {
		source := kernelScript(`function spin(a) { for (;;) for (let i = 0; i < 9; i++) a[0] ^= i }
			function turn(a, n) { for (let i = 0; i < n; i++) a[0] ^= i }
			function k(a, n) { `+body+` }`, `k(new Int32Array(1), 3)`)
		made := kernelsOn(t, true)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				if codes, _ := made(); codes > 0 {
					break
				}
				runtime.Gosched()
			}
			r.Runtime.Interrupt("enough")
		}()
		if _, err := r.Run("k.js", source, true); err == nil || !strings.Contains(err.Error(), "enough") {
			t.Errorf("%s: %v", body, err)
		}
		<-done
		r.Runtime.ClearInterrupt()
	}
}

// TestRandomKernels compares generated functions with goja's doing of them. They hold to numbers below 2^63, which goja
// takes for 0 where they become integers, and multiply nothing by 0 that is negative, which goja takes for 0 and not
// -0.
func TestRandomKernels(t *testing.T) {
	found := 0
	programs := *kernelPrograms
	runners := [2]*ecmatest.Runner{ecmatest.New(t), ecmatest.New(t)}
	for seed := range uint64(programs) {
		if randomKernel(t, runners, seed+*kernelSeed) {
			found++
		}
	}
	if found < programs/2 {
		t.Errorf("%d of %d functions are kernels", found, programs)
	}
}

// FuzzKernels looks for a seed whose function differs. Making the runtimes once is most of what keeps a seed cheap.
func FuzzKernels(f *testing.F) {
	f.Add(uint64(1 << 40))
	runners := [2]*ecmatest.Runner{ecmatest.New(f), ecmatest.New(f)}
	f.Fuzz(func(t *testing.T, seed uint64) { randomKernel(t, runners, seed) })
}

var (
	kernelPrograms = flag.Int("kernel.programs", 15, "how many generated functions run as kernels and in goja")
	kernelSeed     = flag.Uint64("kernel.seed", 0, "the first of their seeds")
)

// randomKernel compares one function, and tells whether it was a kernel.
func randomKernel(t *testing.T, runners [2]*ecmatest.Runner, seed uint64) bool {
	g := &kernelMaker{Rand: rand.New(rand.NewPCG(seed, 17))}
	functions := surroundings + g.function()
	var use strings.Builder
	use.WriteString("const out = [];")
	for i := range 3 {
		if i > 0 {
			use.WriteString(g.one("", "if (rows[1]) rows[1][2] = 70;", "rows.length = 3;", "recs[0].p = 99;",
				"recs[1] = new A(8, 9);", "rows.push([4, 4, 4]);"))
		}
		a, b := g.array(), g.array()
		rest := fmt.Sprintf("const o = %s, v = %s, s = %s, t = %s, d = %s; %s", g.object(), g.one("o", g.object()),
			g.text(), g.list(), g.view(), g.one("", "", "recs[1] = o;", "rows[1] = t;", "recs[2] = v;"))
		fmt.Fprintf(&use, "{ const a = %s, b = %s; %s out.push(run(() => k(a, b, %s, %s, o, v, s, t, d)), "+
			"show(a), show(b), shown(o), shown(v), t) }", a, b, rest, g.literal(), g.literal())
		if strings.Contains(a, "Float") {
			continue // a NaN's bytes are nobody's business
		}
		fmt.Fprintf(&use, "{ const a = %s, b = %s; %s out.push(run(() => "+
			"k(a, b, 1, 2, o, v, s, t, d)), show(a), shown(o), shown(v), t) }", a, g.other(), rest)
		fmt.Fprintf(&use, "{ const a = %s, b = a; %s a.buffer.transfer(); out.push(run(() => "+
			"k(a, b, 1, 2, o, v, s, t, d)), a.length, [o.p, o.q].map(show)) }", a, rest)
	}
	fmt.Fprintf(&use, "{ const r = new ArrayBuffer(32, { maxByteLength: 64 }), a = new Int32Array(r), "+
		"b = new Uint16Array(r, 6, 5), o = new A(1, 2, a), v = o, d = new DataView(r); "+
		"for (const n of [32, 9, 0, 64]) { r.resize(n); "+
		"out.push(run(() => k(a, b, %s, 3, o, v, 'text', [1, 2, 3], d)), show(new Int8Array(r))) } }",
		g.literal())
	use.WriteString("out.push(rows.map(String), recs.map(shown)); return out.join(' ')")
	failed := t.Failed()
	_, codes := inBoth(t, runners, functions, use.String())
	if t.Failed() && !failed {
		t.Logf("seed %d", seed)
	}
	return codes > 0
}
