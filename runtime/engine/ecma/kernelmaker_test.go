package ecma_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// kernelMaker writes functions of arrays a and b and numbers n and m that end.
type kernelMaker struct {
	*rand.Rand
	depth, loops int
	names        []string // that may be assigned
	fixed        []string // counters of loops
}

func (g *kernelMaker) one(list ...string) string { return list[g.IntN(len(list))] }

func (g *kernelMaker) literal() string {
	return g.one("0", "1", "-1", "7", "255", "1.5", "-0", "65521", "2147483647", "2147483648", "-2147483648",
		"4294967295",
		"1e10", "9007199254740991", "0.1", "31", "1e300")
}

func (g *kernelMaker) array() string {
	kind := g.one("Int8", "Uint8", "Int16", "Uint16", "Int32", "Uint32", "Uint32", "Int32", "Float32", "Float64",
		"Uint8Clamped")
	return fmt.Sprintf("new %sArray([1, -1, 200, 3e9, 1.5, -0, 70000, %d])", kind, g.IntN(1000))
}

// list is a plain array, text a string, and object one with a method of one of two classes.
func (g *kernelMaker) list() string {
	return g.one("[1, -2, 3, 400, 5, 6, 7, 8]", "[1, 2.5, -0, NaN, 1e10, 6, 7, 8]", "[1, , undefined, 4, 5, 6, 7, 8]",
		"[3, 2, 1]", "[]")
}

func (g *kernelMaker) text() string {
	return g.one(`"hello"`, `"h\u00e4ll\u20ac"`, `""`, `"a longer text"`)
}

func (g *kernelMaker) object() string {
	return fmt.Sprintf("new %s(%s, %s, %s)", g.one("A", "B"), g.literal(), g.literal(), g.array())
}

// view is a DataView, other a typed array over the buffer of a.
func (g *kernelMaker) view() string {
	return g.one("new DataView(new Uint8Array([1, 255, 3, 128, 5]).buffer)", "new DataView(a.buffer, 1)",
		"new DataView(b.buffer)", "new DataView(o.w.buffer)")
}

func (g *kernelMaker) other() string {
	return g.one("new Uint8Array(a.buffer, 4)", "a.subarray(1)", "a.subarray(0, 3)", "new Int8Array(a.buffer, 1, 3)",
		"new a.constructor(a.buffer)", "new Uint16Array(a.buffer, 2, 3)")
}

// surroundings are what functions use beside their parameters.
const surroundings = turns + `
	function h(p, q, m) { for (let i = 0; i < 3; i++) p[i] ^= q[m & 7] + i; return m & 255; }
	class A { constructor(p, q, w) { this.p = p; this.q = q; this.w = w }
		f(x) { this.p ^= x; return this.q } g(x, y = 3) { this.w[x & 7] = y; return this.f(x + y) } }
	class B extends A { f(x) { this.q = (this.p + x) % 1e15; return this.w[x & 3] } }
	function clean(...all) { for (let i = 0; i < all.length; i++) all[i].fill(0) }
	function rest(x, ...all) { return x + all[0] + all.length }
	function bad(x) { if (x > 2 ** 31) throw new RangeError("x" + x); return x | 0 }
	function late(x) { clean(); if (x > 1e9) throw new RangeError("late" + x); let y = x + 1; return y > 7 ? 3 : y & 7 }
	let idle = () => {}, little = Math.random() < 2, order = little ? (x) => ~x : (x) => x | 0;
	function j(v, x) { v.p = (v.p + x) % 1e15; const u = v.w; return u[1] }
	const shown = (v) => [v.p, v.q].map(show) + show(v.w);
`

// tables are arrays of rows, and functions that read them; some rows are not there, and some are something else.
func (g *kernelMaker) tables() string {
	rows := g.one("[[1, 2, 3], [4, 5, 6], [7, 8, 9], [-1, 4e9, 0]]",
		"[[1, 2.5, -0], [NaN, 5, 6], [1e300, 8, 9], [1, 1, 1]]",
		"[[1, 2, 3], [4, 5, 6], [7, 8, 4294967295]]", "[[1, 2], [3, 4, 5], [6, 7], [8, 9]]",
		"[[1, 2, 3], , [4, 5, 6], [7, 8, 9]]",
		"[[1, 2, 3], null, [4, 5, 6], [7, 8, 's']]", "[]", "[[], [], [], []]")
	records := g.one("[{ p: 1, q: 2 }, { q: 3, p: 4 }, { p: -5, q: 6, r: 7 }, { p: 3e9, q: 1 }]",
		"[{ p: 1.5, q: 2 }, { p: 3, q: -0 }, { p: NaN, q: 6 }]",
		"[{ p: 1, q: 2 }, { p: 3, get q() { return x9++ } }, { p: 5, q: 6 }, { p: 7, q: 8 }]",
		"[{ p: 1, q: 2 }, { p: 3, q: 'q' }, { p: 5 }, [1, 2]]", "[new A(1, 2), new B(3, 4), new A(5, 6), new A(7, 8)]")
	return fmt.Sprintf("let x9 = 0; const rows = %s, recs = %s;\n", rows, records) + `
	function cell(i, j) { return rows[i & 3][j & 3] }
	function mix(x, y) { let z = 0; for (const w of [x, y, x ^ y, 7]) { if (w & 1) continue;
		const { p, q: r } = recs[(w >>> 1) & 3]; for (let i = 0; i < 2; i++) z = (z ^ p) + r % 1e9; } return z | 0 }
	function turn(x) { for (let i = 0; i < 3; i++) { const row = rows[i]; x ^= rows[i][x & 1]; } return x }
	function count(v, x) { for (let i = 0; i < 2; i++) { v.p = (v.p + rows[(i + x) & 3][0]) % 1e15 } return v.p }
`
}

func (g *kernelMaker) name() string { return g.names[g.IntN(len(g.names))] }

func (g *kernelMaker) read() string {
	all := append(append([]string{}, g.names...), g.fixed...)
	return all[g.IntN(len(all))]
}

func (g *kernelMaker) element() string {
	array := g.one("a", "b")
	if g.IntN(2) == 0 {
		return fmt.Sprintf("%s[(%s) & 7]", array, g.expression())
	}
	return fmt.Sprintf("%s[%s]", array, g.one(g.read()+" | 0", "-1", "3", g.name()+" * 1", "1.5", "1e9"))
}

func (g *kernelMaker) expression() string {
	if g.depth > 4 {
		return g.one(g.literal(), g.read(), g.read())
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.IntN(26) {
	case 23:
		return fmt.Sprintf("cell(%s, %s)", g.expression(), g.expression())
	case 24:
		return g.one(fmt.Sprintf("mix(%s, %s)", g.expression(), g.expression()), fmt.Sprintf("turn(%s)", g.read()),
			fmt.Sprintf("count(%s, %s)", g.one("o", "v"), g.read()))
	case 25:
		return fmt.Sprintf("rows[%s][%s]", g.one("1", g.read()+" & 3", "("+g.expression()+") & 1"),
			g.one("0", "2", g.read()+" & 3", g.expression()))
	case 22:
		return "order(" + g.expression() + ")"
	case 0:
		return g.literal()
	case 20:
		return fmt.Sprintf("d.%s(%s, %s)", g.one("getUint8", "getInt8", "getUint16", "getInt16", "getUint32",
			"getInt32"), g.one("0", "3", g.read()+" & 7", g.expression()+" & 3", g.read()), g.one("true", "false"))
	case 21:
		return fmt.Sprintf("rest(%s, %s)", g.expression(), g.one("n", "n, m", g.expression()))
	case 1, 2:
		return g.read()
	case 14:
		return g.one("o", "v") + "." + g.one("p", "q", "w.length", "w[1]", "w["+g.read()+" & 7]")
	case 15:
		return fmt.Sprintf("s.charCodeAt(%s)", g.one("1", g.read(), g.expression()))
	case 16:
		return fmt.Sprintf("t[%s]", g.one("1", "7", g.read()+" & 7", g.read()))
	case 17:
		return fmt.Sprintf("%s(%s)", g.one("o.f", "v.f", "o.g"), g.expression())
	case 18:
		return fmt.Sprintf("Math.%s(%s, %s)", g.one("min", "max", "imul"), g.expression(), g.expression())
	case 19:
		return fmt.Sprintf("j(%s, %s)", g.one("o", "v"), g.read())
	case 3:
		return g.element()
	case 4:
		return fmt.Sprintf("rotl(%s, %d)", g.expression(), g.IntN(32))
	case 5:
		return fmt.Sprintf("~(%s)", g.expression())
	case 6:
		return fmt.Sprintf("-(%s)", g.expression())
	case 7:
		return fmt.Sprintf("(%s ? %s : %s)", g.condition(), g.expression(), g.expression())
	case 8:
		return g.one(g.name()+"++", "--"+g.name(), fmt.Sprintf("(%s = (%s) %% 1e15)", g.name(), g.expression()))
	case 9:
		return fmt.Sprintf("((%s %s %s + 0) %% 9007199254740991)", g.expression(), g.one("*", "/"), g.expression())
	case 10:
		return fmt.Sprintf("((%s << 9) | (%s >>> 23))", g.read(), g.read())
	}
	return fmt.Sprintf("(%s %s %s)", g.expression(), g.one("+", "-", "%", "&", "|", "^", "<<", ">>", ">>>", "^"),
		g.expression())
}

func (g *kernelMaker) condition() string {
	if g.IntN(8) == 0 {
		return fmt.Sprintf("(%s %s undefined)", g.one("u", "t[2]", "t[n & 7]"), g.one("===", "!=="))
	}
	c := fmt.Sprintf("%s %s %s", g.read(), g.one("<", ">", "<=", ">=", "===", "!=="), g.expression())
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("(%s && %s)", c, g.expression())
	case 1:
		return fmt.Sprintf("(%s || !(%s))", c, g.expression())
	}
	return "(" + c + ")"
}

func (g *kernelMaker) statement() string {
	if g.depth > 3 {
		return g.one(g.name()+" = ("+g.expression()+") % 1e15;", g.name()+" ^= "+g.expression()+";")
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.IntN(21) {
	case 18:
		return fmt.Sprintf("if %s { %s }", g.condition(), g.one("throw new Error('t' + x);", "u = null;", "q = { x };",
			"q = 's' + y;", "u = 's'; "+g.block(), g.name()+" = [1, 2].length;", g.block()+"q = [y];",
			"m = u ? 1 : 2;"))
	case 19:
		return fmt.Sprintf("%s = %s(%s);", g.name(), g.one("bad", "late"), g.expression())
	case 20:
		return fmt.Sprintf("if %s %s = bad(%s) + bad(%s);", g.condition(), g.name(), g.expression(), g.expression())
	case 17:
		return fmt.Sprintf("d.%s(%s, %s%s);", g.one("setUint8", "setInt8", "setUint16", "setInt16", "setUint32",
			"setInt32"), g.one("0", "3", g.read()+" & 3", g.read()), g.expression(), g.one("", ", true", ", little"))
	case 9:
		return fmt.Sprintf("%s.%s %s (%s) %% 1e15;", g.one("o", "v"), g.one("p", "q"), g.one("=", "+=", "-="),
			g.expression())
	case 10:
		return fmt.Sprintf("%s = %s;", g.one("t[1]", "t["+g.read()+" & 1]", "o.w[2]", "v.w[n & 7]", "u"),
			g.expression())
	case 11:
		return fmt.Sprintf("switch (%s) { case %s: %s case %s: %s %s default: %s case 3: %s }",
			g.expression(), g.literal(),
			g.block(), g.literal(), g.block(), g.one("break;", ""), g.block(), g.block())
	case 12:
		if g.loops > 1 {
			break
		}
		g.loops++
		i := fmt.Sprintf("l%d", g.loops)
		g.fixed = append(g.fixed, i)
		out := fmt.Sprintf("L%s: for (let %s = 0; %s < 3; %s++) { for (let i9 = 0; i9 < 3; i9++) "+
			"{ %s if %s %s L%s; %s } %s }",
			i, i, i, i, g.block(), g.condition(), g.one("break", "continue"), i, g.block(), g.block())
		g.fixed = g.fixed[:len(g.fixed)-1]
		g.loops--
		return out
	case 13:
		return fmt.Sprintf("if (0 %s (%s & %s)) %s", g.one("<", ">", "<=", ">="), g.read(), g.read(), g.statement())
	case 0:
		return fmt.Sprintf("%s = %s;", g.element(), g.expression())
	case 1:
		return fmt.Sprintf("%s %s= %s;", g.element(), g.one("+", "^", "|", "-", ">>>", "%"), g.expression())
	case 2:
		return fmt.Sprintf("%s %s= %s;", g.name(), g.one("%", "^", "|", "<<", ">>>"), g.expression())
	case 3:
		return fmt.Sprintf("if %s { %s } else { %s }", g.condition(), g.block(), g.block())
	case 4:
		if g.loops > 2 {
			break
		}
		g.loops++
		i := fmt.Sprintf("i%d", g.loops)
		g.fixed = append(g.fixed, i)
		out := fmt.Sprintf("for ("+g.one("let ", "", "")+"%s = 0; %s < %d; %s++) { %s if %s %s; %s }", i, i,
			1+g.IntN(5), i, g.block(), g.condition(), g.one("break", "continue"), g.block())
		g.fixed = g.fixed[:len(g.fixed)-1]
		g.loops--
		return out
	case 14:
		return fmt.Sprintf("%s.fill(%s);", g.one("a", "b", "o.w"), g.one(g.expression(),
			g.one("0", "7", "n")+", "+g.read()+" & 7", g.expression()+", -5, ("+g.expression()+") | 0"))
	case 15:
		return g.one("clean(a);", "clean(b);", "clean(o.w);", "idle("+g.expression()+");", "clean(a, b);")
	case 16:
		return fmt.Sprintf("%s.set(%s);", g.one("a", "b", "v.w"),
			g.one("a", "b", "o.w", "a, "+g.read()+" & 3", "b, n & 1"))
	case 5:
		return fmt.Sprintf("%s = h(a, b, %s);", g.name(), g.expression())
	}
	return fmt.Sprintf("%s = (%s) %% 1e15;", g.name(), g.expression())
}

func (g *kernelMaker) block() string {
	var out strings.Builder
	for range 1 + g.IntN(3) {
		out.WriteString(g.statement() + "\n")
	}
	return out.String()
}

func (g *kernelMaker) function() string {
	g.names = []string{"n", "m", "x", "y", "z"}
	out := g.tables() + fmt.Sprintf("function k(a, b, n, m, o, v, s, t, d) { let x = %s, y = a[1] ^ b[2], z = 0, u; "+
		"var q, i1, i2, i3;\n", g.literal())
	for range 3 + g.IntN(5) {
		out += g.statement() + "\n"
		if g.IntN(6) == 0 { // which no kernel has, so that another one begins behind it
			out += g.one("q = [];", "q = 'x';", "q = [x, y, z, n, m];") + "\n"
		}
	}
	return out + "for (let i = 0; i < 8; i++) a[i] += b[i] ^ i;\n return " + g.one("x + y * 1", "(z | 0)",
		"(n ^ m)") + "; }"
}
