package ecma_test

import (
	"fmt"
	"strings"
	"testing"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/kernel"
)

// TestUnseenVariables: what nobody reads behind a kernel gets no value, and what somebody may read does: in a catch
// clause, in the next round of a loop, by a function, through arguments, behind an exit.
func TestUnseenVariables(t *testing.T) {
	for name, c := range map[string]struct{ functions, use, want, written string }{
		"all of a function": {`
			function k(a, n) { var x = 0, y, z; for (var i = 0; i < n; i++) { x += a[i]; y = x * 2; z = y ^ i }
				a[0] = z; return x + y }`,
			`const a = new Int32Array([1, 2, 3]); return show([k(a, 3), a])`, "18,14,2,3", "|x y z"},
		"some are read behind it": {`
			function k(a, n) { var x = 0, y, z; for (var i = 0; i < n; i++) { x += a[i]; y = x * 2; z = y ^ i }
				return String(x) + i }`,
			`return k(new Int32Array([1, 2, 3]), 3)`, "63", "i x|i x"},
		"a name within another": {`
			function k(a, n) { var x = 0, xx; for (var i = 0; i < n; i++) { x += a[i]; xx = x * 2 } return "" + xx }`,
			`return k(new Int32Array([1, 2, 3]), 3)`, "12", "xx|xx"},
		"what a function keeps": {`
			function k(a, n) { var x = 0; const f = () => x; for (var i = 0; i < n; i++) x += a[i]; return f }`,
			`return show(k(new Int32Array([1, 2, 3]), 3)())`, "6", "i x|i x"},
		"what a field of a class has": {`
			function k(a, n) { var x = 0, C = class { y = x }; for (var i = 0; i < n; i++) x += a[i]; return C }`,
			`return show(new (k(new Int32Array([1, 2, 3]), 3))().y)`, "6", "i x|i x"},
		"arguments": {`
			function k(a, n) { for (var i = 0; i < 3; i++) n += a[i]; return arguments[1] }`,
			`return show(k(new Int32Array([1, 2, 3]), 3))`, "3", "i n"},
		"a catch clause": {`
			function k(a, n, v) { var x = 0; try { for (var i = 0; i < n; i++) { x += a[i]; v.getInt8(i) } }
				catch (e) { return e.name + x + i } }`,
			`return k(new Int32Array([1, 2, 3]), 3, new DataView(new ArrayBuffer(1)))`, "RangeError31", "i x"},
		"the next round": {`
			function k(a, n) { var x = 0, s = ""; for (var r = 0; r < 3; r++) { s += x; let y = 5;
				for (let i = 0; i < n; i++) { x += a[i]; y ^= x } } return s }`,
			`return k(new Int32Array([1, 2, 3]), 3)`, "0612", "|s|s x|x"},
		"an exit": {`
			function k(a, n) { var x = 0, y; for (let i = 0; i < n; i++) {
				x += a[i] ^ a[i] ^ a[i] ^ a[0] ^ a[0] ^ a[1] ^ a[1] ^ a[2] ^ a[2]; y = x + 1;
				if (x > 4) throw new RangeError("x is " + x + " and y " + y + a[1] + a[2]) } return 0 }`,
			`return run(() => k(new Int32Array([1, 2, 3]), 3)).split("\n")[0]`,
			"RangeError: x is 6 and y 723", "||i x y"},
		"a parameter of the same name": {`
			function k(a, n, x) { var x, y; for (var i = 0; i < n; i++) { y = (y | 0) + a[i]; x += y } return x }
			function l(a, n) { var i, y; for (i = 0; i < n; i++) y = (y === undefined ? 10 : y) + a[i]; return y }`,
			`const a = new Int32Array([1, 2, 3]); return show([k(a, 3, 7), l(a, 3)])`, "17,16", "|x||y"},
		"a generator": {`
			function* k(a, n) { var x = 0, y = 0; for (var i = 0; i < n; i++) { x += a[i]; y ^= x }
				yield x; yield y + i }`,
			`return show([...k(new Int32Array([1, 2, 3]), 3)])`, "6,7", "i x y|i x y"},
	} {
		t.Run(name, func(t *testing.T) {
			var written []string
			got, codes := bothWays(t, c.functions, c.use)
			if got != c.want || codes == 0 {
				t.Errorf("%s with %d kernels, expected %s", got, codes, c.want)
			}
			for _, k := range kernelsIn(t, kernelScript(c.functions, "")) {
				written = append(written, strings.Join(k.Written(), " "))
			}
			if w := strings.Join(written, "|"); w != c.written {
				t.Errorf("it writes %q, expected %q", w, c.written)
			}
		})
	}
}

// kernelsIn are the kernels of a script.
func kernelsIn(t *testing.T, source string) (list []*kernel.Kernel) {
	t.Helper()
	kernelsOn(t, true)
	kernel.Seen = func(found []*kernel.Kernel) { list = append(list, found...) }
	if _, err := ecma.Compile("k.js", source, true); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestManyVariables: each of sixty variables gets its own value, where all are read behind the kernel, two, or none.
func TestManyVariables(t *testing.T) {
	sum := strings.ReplaceAll(many("v%[1]d += i * %[1]d"), ",", ";")
	got, codes := bothWays(t, `
		function k(a, n, o) { var `+many("v%[1]d = a[%[1]d & 3]")+`; for (var i = 0; i < n; i++) { `+sum+`; o.p ^= v3 }
			if (n > 2) throw new Error(`+strings.ReplaceAll(many(`v%[1]d + "/"`), ",", "+")+`); return v9 + v59 }
		function l(a, n, o) { var `+many("v%[1]d = a[%[1]d & 3]")+`; for (var i = 0; i < n; i++) { `+sum+`; o.p ^= v3 }
			return String(v9) + v59 }
		function m(a, n, o) { var `+many("v%[1]d = a[%[1]d & 3]")+`; for (var i = 0; i < n; i++) { `+sum+`; o.p ^= v3 }
			return v5 * v58 }`,
		`const a = new Int32Array([1, 2, 3, 4]), o = { p: 0 }, f = (k, n) => run(() => k(a, n, o)).split(" at ")[0];
		return show([f(k, 3).length, f(k, 2), f(l, 3), f(m, 3), o.p])`)
	if want := "215,74,29181,3009,13"; got != want || codes != 3 {
		t.Errorf("%s with %d kernels, expected %s", got, codes, want)
	}
}

// many is a text for each of sixty numbers.
func many(format string) string {
	list := make([]string, 60)
	for i := range list {
		list[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(list, ",")
}
