package ecma_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"eddy/runtime/engine/ecma/ecmatest"
	"eddy/runtime/engine/script"
)

// kernelScript puts functions into one of their own, as a bundle does, and shows what a script there gives. off keeps
// the function k from being a kernel: a string is no number.
func kernelScript(functions, use string, off bool) string {
	if off {
		functions = strings.Replace(functions, ") {", `) { "off";`, 1)
	}
	return "(function () {" + functions + `
		const show = (x) => Object.is(x, -0) ? "-0" : ArrayBuffer.isView(x) ? "[" + Array.from(x,
			show) + "]" : String(x);
		const run = (f) => { try { return show(f()) } catch (e) { return String(e) } };
		` + use + "})()"
}

// kernelsOf are the names of a script's kernels.
func kernelsOf(t *testing.T, source string) string {
	t.Helper()
	tree, err := goja.Parse("k.js", source, parser.WithDisableSourceMaps)
	if err != nil {
		t.Fatal(err, source)
	}
	_, list, err := script.Compile(source, tree, true, nil)
	if err != nil {
		t.Fatal(err, source)
	}
	return fmt.Sprint(list)
}

// bothWays runs functions as kernels and without, and wants the same of both.
func bothWays(t *testing.T, functions, use string) string {
	t.Helper()
	r := ecmatest.New(t)
	var got [2]string
	for i := range got {
		v, err := r.Run("k.js", kernelScript(functions, use, i == 1), true)
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, functions, use)
		}
		got[i] = v.String()
	}
	if got[0] != got[1] {
		t.Errorf("kernel %s\ngoja   %s\n%s\n%s", got[0], got[1], functions, use)
	}
	return got[0]
}

const turns = `function rotl(word, shift) { return (word << shift) | ((word >>> (32 - shift)) >>> 0); }`

// TestKernels holds cases that are easily wrong.
func TestKernels(t *testing.T) {
	for _, c := range []struct{ body, use, want string }{
		{`a[0] = b[9] + 1; a[1] = b[9] | 5; a[9] = 1; a[1.5] = 1; a[-1] = 1; a[-0] ^= 2; for (;;) break;`,
			`const a = new Int32Array(2), b = new Uint8Array(2); k(a, b, 0); return show(a)`, "[2,5]"},
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
	} {
		functions := turns + "function k(a, b, n) { " + c.body + " }"
		got := bothWays(t, functions, c.use)
		if list := kernelsOf(t, kernelScript(functions, c.use, false)); !strings.Contains(list, "k/3") {
			t.Errorf("%s is no kernel: %s", c.body, list)
		}
		if c.want != "" && got != c.want {
			t.Errorf("%s gives %s, expected %s", c.body, got, c.want)
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
	for functions, why := range map[string]string{
		turns + `function k(a) { for (let i = 0; i < 2; i++) a[i] = rotl(a[i], 1) } function f(rotl) {}`: "a " +
			"parameter",
		turns + `function k(a) { for (let i = 0; i < 2; i++) a[i] = rotl(a[i], 1) } rotl = 1;`: "an " +
			"assignment",
		turns + `function k(a) { for (let i = 0; i < 2; i++) a[i] = rotl(a[i], 1) } { let r\u006ftl = 1; }`: "an " +
			"escape",
		`{ function g(x) { return x & 1 } } function k(a) { for (let i = 0; i < 2; i++) a[i] = g(a[i]) }`: "a block",
		`function k(a) { for (let i = 0; i < 2; i++) a[i] = k(a) ` +
			`}`: "recursion",
		`function k(a) { for (let i = 0; i < 2; i++) a[i] = Math.random() }`: "a method",
		`function k(a, b) { for (let i = 0; i < 2; i++) if (a[i] === b[i]) a[i] = 1 ` +
			`}`: "undefined",
		`function k(a) { for (let i = 0; i < 2; i++) x = a[i]; let x; }`: "a " +
			"dead name",
		`function k(a) { for (let i = 0; i < 2; i++) a = a[i] }`: "a " +
			"new array",
		`function k(a) { const c = 1; for (let i = 0; i < 2; i++) c = a[i] }`: "a " +
			"constant",
		`function k(a, n) { for (let i = 0; i < 2; i++) if (a[i]) return 1 }`: "no " +
			"result",
	} {
		if list := kernelsOf(t, kernelScript(functions, "", false)); strings.Contains(list, "k/") {
			t.Errorf("%s: %s is a kernel in spite of %s", functions, list, why)
		}
	}
}

// TestKernelsObeyInterrupts: the CPU limit ends a kernel that has no end.
func TestKernelsObeyInterrupts(t *testing.T) {
	r := ecmatest.New(t)
	for _, body := range []string{"for (;;) a[0] = a[0] + 1 | 0;", "while (n) { turn(a, n) }",
		"turn(a, 0); for (;;) turn(a, n);"} {
		source := kernelScript(`function turn(a, n) { for (let i = 0; i < n; i++) a[0] ^= i }
			function k(a, n) { `+body+` }`,
			`k(new Int32Array(1), 3)`, false)
		if list := kernelsOf(t, source); !strings.Contains(list, "k/2") {
			t.Errorf("%s is no kernel", body)
		}
		done := make(chan struct{})
		go func() {
			r.Runtime.Interrupt("enough")
			close(done)
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
	const programs = 60
	for seed := range uint64(programs) {
		g := &kernelMaker{Rand: rand.New(rand.NewPCG(seed, 17))}
		functions := turns + "function h(p, q, m) { for (let i = 0; i < 3; i++) p[i] ^= q[m & 7] + i; return m & " +
			"255; }" +
			g.function()
		var use strings.Builder
		use.WriteString("const out = [];")
		for range 3 {
			a, b := g.array(), g.array()
			fmt.Fprintf(&use, "{ const a = %s, b = %s; out.push(run(() => k(a, b, %s, %s)), show(a), show(b)) }", a, b,
				g.literal(), g.literal())
			if strings.Contains(a, "Float") {
				continue // a NaN's bytes are nobody's business
			}
			fmt.Fprintf(&use, "{ const a = %s, b = new Uint8Array(a.buffer, 4); out.push(run(() => k(a, b, 1, "+
				"2)), show(a)) }", a)
		}
		use.WriteString("return out.join(' ')")
		bothWays(t, functions, use.String())
		if strings.Contains(kernelsOf(t, kernelScript(functions, "", false)), "k/4") {
			found++
		}
	}
	if found < programs/2 {
		t.Errorf("%d of %d functions are kernels", found, programs)
	}
}
