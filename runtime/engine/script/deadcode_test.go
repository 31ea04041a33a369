package script_test

import (
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
)

// TestDeadCode: a break or continue that a constant condition excludes changes nothing (ECMA-262, 14.6). goja's
// compiler overwrites other instructions then, or ends.
func TestDeadCode(t *testing.T) {
	var rows ecmatest.Table
	for _, row := range [][2]string{
		{`for (const x of [1, 2]) { const k = () => x; if ("a" === "b") { let y = k; if (y) continue } n += k() }`,
			"3"},
		{`a: for (let i = 0; i < 3; i++) { { let x = i; if (0) { let y = () => x; continue a } n += x } }`, "3"},
		{`a: for (let i = 0; i < 3; i++) { while (false) { let q = 1; { let z = () => q; continue a } } n += i }`, "3"},
		{`a: for (let i = 0; i < 3; i++) { for (; !1;) { { let z; if (z) break a } } n += i }`, "3"},
		{`a: { let f = () => n; if (true) n = f() + 1; else { let y; { if (y) break a } } n += 5 }`, "6"},
		{`a: { try { let f = () => n; if (false) { let y; { break a } } n = f() + 2 } finally { n += 5 } }`, "7"},
		{`switch (1) { case 1: { let f = () => n; if (null) { let z; { break } } n = f() + 1 } default: n += 10 }`,
			"11"},
		{`for (;;) { let f = () => n; while (1) { n = f() + 1; if (n > 3) break; else { let q; continue } } break }`,
			"4"},
		{`do { let f = () => n; if (void 0 ?? 0) { const z = f; { continue } } n += f() + 1 } while (n < 3)`, "3"},
	} {
		rows = append(rows, [2]string{"(() => { let n = 0; " + row[0] + " return n })()", row[1]})
	}
	rows.Run(t)
}
