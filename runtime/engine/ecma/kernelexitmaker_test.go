package ecma_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
)

// exitMaker writes functions whose loops do now and then what is no kernel's. Its conditions are none of constants:
// goja's compiler writes a break out of what never runs over an instruction of what does. Its numbers
// stay below 2^63, as those of kernelMaker.
type exitMaker struct {
	*rand.Rand
	depth, loops int
	yields, own  bool // it is a generator; it may return
	inLoop       int
	labels       []string
	scoped       []string // names of the scopes around
	scopes       int
}

func (g *exitMaker) one(list ...string) string { return list[g.IntN(len(list))] }

func (g *exitMaker) read() string {
	all := []string{"n", "m", "x", "y", "z", "this.c", "o.p"}
	for i := range g.loops {
		all = append(all, fmt.Sprintf("i%d", i+1))
	}
	all = append(all, g.scoped...)
	return all[g.IntN(len(all))]
}

func (g *exitMaker) name() string {
	if len(g.scoped) > 0 && g.IntN(4) == 0 {
		return g.scoped[g.IntN(len(g.scoped))]
	}
	return g.one("n", "m", "x", "y", "z", "this.c", "o.p")
}

func (g *exitMaker) element() string {
	return g.one("a", "b", "a", "b", "o.w") + "[" +
		g.one("("+g.expression()+") & 7", g.read()+" & 7", "0", "3", g.read(), "9") + "]"
}

func (g *exitMaker) expression() string {
	if g.depth > 3 {
		return g.one(g.read(), g.plainElement(), "1", "7", "-3", "255", "1.5", "65521")
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.IntN(13) {
	case 12:
		return g.one("cell("+g.read()+", 1)", "mix("+g.read()+", "+g.read()+")",
			"rows["+g.read()+" & 1]["+g.read()+" & 3]", "rows["+g.plainElement()+" & 3][2]")
	case 0:
		return g.read()
	case 1, 2, 3:
		return g.element()
	case 4:
		return fmt.Sprintf("rotl(%s, %d)", g.expression(), g.IntN(32))
	case 5:
		return fmt.Sprintf("(%s ? %s : %s)", g.condition(), g.expression(), g.expression())
	case 6:
		if g.IntN(3) == 0 {
			return "(" + g.one("x++", "--y", g.element()+"++", "o.p += 3", "this.c ^= 5") + ")"
		}
	case 7:
		if g.IntN(3) == 0 {
			return g.one("bad", "late") + "(" + g.pure() + ")"
		}
	}
	return fmt.Sprintf("(%s %s %s)", g.expression(), g.one("+", "-", "&", "|", "^", "<<", ">>", ">>>"),
		g.expression())
}

func (g *exitMaker) plainElement() string { return g.one("a[1]", "b[2]", "a[0]", "o.w[3]") }

func (g *exitMaker) condition() string {
	if g.IntN(8) == 0 {
		return g.one("u", "u", "a", "o.w", "x", "o.p", "w") + " " + g.one("===", "!==", "==", "!=") + " " +
			g.one("null", "null", "undefined", "void 0")
	}
	if g.IntN(12) == 0 {
		return g.one("w", "a", "!o.w", "w && x > 3", "!w || y < 9")
	}
	return g.one(fmt.Sprintf("((%s ^ %s) & %d) === %d", g.read(), g.expression(), 1+g.IntN(15), g.IntN(4)),
		fmt.Sprintf("%s %s %s", g.read(), g.one("<", ">", "<=", "!=="), g.expression()))
}

func (g *exitMaker) pure() string {
	if len(g.scoped) > 0 && g.IntN(6) == 0 { // what happens before an exit must not happen twice
		name := g.scoped[g.IntN(len(g.scoped))]
		return fmt.Sprintf("(%s, %s ^ %s)", g.one(name+"++", name+" += 5", name+" ^= y"), g.plainElement(), name)
	}
	return fmt.Sprintf("%s %s %s", g.plainElement(), g.one("+", "^", "<<"), g.one(g.read(), g.plainElement()))
}

// rare is a condition that holds now and then.
func (g *exitMaker) rare() string {
	return g.one(fmt.Sprintf("((%s ^ %s) & 7) === %d", g.read(), g.expression(), g.IntN(8)),
		fmt.Sprintf("(%s & 3) === 2", g.read()),
		fmt.Sprintf("%s > 1000", g.read()),
		fmt.Sprintf("%s === %d", g.read(), g.IntN(5)))
}

// exit is what no kernel has.
func (g *exitMaker) exit() string {
	list := []string{"throw new Error('t' + x);", "u = null;", "q = { x, y };", "q = 's' + y; log.push(q);",
		"log.push(x, y, z);", "a = new a.constructor(a);",
		"{ const more = new b.constructor(9); more.set(b); b = more; }",
		"try { x = bad(" + g.expression() + "); } catch (e) { log.push(e.message); y++; } finally { z ^= 1; }",
		"bump(); log.push(peek());", "x = peek();", "o = { p: x | 0, w: a };", "for (const e of [1, 2]) x += e;",
		"x = [1, 2].length;", "log.push(arguments.length); arguments[2] = 5;", "u = a; q = u === a;",
		"this.c = 's'; this.c = 4;", "log.push(typeof u, u === a);", "delete o.p; o.p = 3;", "m = u ? 1 : 2;",
		"[x, y] = [y, x];", "x = `${x}`.length;", "{ let t = x; log.push(() => t); x = log.length; }"}
	if g.yields {
		list = append(list, "z = yield [x, y];", "log.push(yield z);", "try { yield x; } finally { y = 2; }")
	}
	if g.own {
		list = append(list, "return [x, 'early'];", "return x;")
	}
	if g.inLoop > 0 {
		list = append(list, "log.push(x); continue;", "log.push(y); break;", "x = null; x = 2; continue;")
		for _, l := range g.labels {
			list = append(list, "log.push(x); continue "+l+";", "log.push(y); break "+l+";")
		}
	}
	return g.one(list...)
}

func (g *exitMaker) statement() string {
	if g.depth > 4 {
		return g.element() + " = " + g.expression() + ";"
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.IntN(16) {
	case 0, 1, 2:
		return fmt.Sprintf("if (%s) { %s%s%s }", g.rare(), g.one("", "", g.statement()), g.exit(),
			g.one("", g.statement()))
	case 3:
		return fmt.Sprintf("if (%s) { %s } else if (%s) { %s } else { %s }", g.condition(), g.block(), g.rare(),
			g.exit(), g.block())
	case 4:
		return fmt.Sprintf("%s = %s(%s);", g.one("x", "y", "z"), g.one("bad", "late"), g.pure())
	case 6:
		in := g.inLoop
		g.inLoop = 0
		labels := g.labels
		g.labels = nil
		out := fmt.Sprintf("switch ((%s ^ %s) & 3) { case 0: %s case 1: %s %s case 2: %s break; "+
			"default: if (%s) { %s } %s }", g.read(), g.expression(), g.block(), g.block(), g.one("break;", ""),
			g.block(), g.rare(), g.exit(), g.block())
		g.inLoop, g.labels = in, labels
		return out
	case 7, 8:
		if g.loops < 3 {
			return g.loop()
		}
	case 9:
		return fmt.Sprintf("var v%d = %s; x ^= v%d;", g.IntN(2), g.expression(), g.IntN(2))
	case 10:
		name := g.name()
		return fmt.Sprintf("%s = (%s %s %s) %% 1e15;", name, name, g.one("+", "^", "-", "|"), g.expression())
	case 5:
		return fmt.Sprintf("%s = pick(a, b, %s, %s, 3);", g.one("x", "y", "z"), g.read(), g.expression())
	case 11:
		return fmt.Sprintf("u = %s;", g.one(g.expression(), "a", "b", "w"))
	}
	return fmt.Sprintf("%s %s %s;", g.element(), g.one("=", "+=", "^=", "-=", "|="), g.expression())
}

func (g *exitMaker) loop() string {
	g.loops++
	i := fmt.Sprintf("i%d", g.loops)
	label := ""
	if g.IntN(3) == 0 {
		label = "L" + i
		g.labels = append(g.labels, label)
		label += ": "
	}
	g.inLoop++
	body := g.block() + fmt.Sprintf("if (%s) { %s }", g.rare(), g.exit()) + g.block()
	g.inLoop--
	if label != "" {
		g.labels = g.labels[:len(g.labels)-1]
	}
	g.loops--
	count := g.IntN(12)
	switch g.IntN(4) {
	case 0:
		return fmt.Sprintf("%s = 0; %swhile (%s++ < %d) { %s }\n", i, label, i, count, body)
	case 1:
		return fmt.Sprintf("%s = 0; %sdo { %s } while (++%s < %d);\n", i, label, body, i, count)
	case 2:
		return fmt.Sprintf("%s = -1; %sfor (;;) { if (++%s > %d) break; %s }\n", i, label, i, count, body)
	}
	kind := g.one("", "var ", "let ", "let ")
	return fmt.Sprintf("%sfor (%s%s = 0; %s < %d; %s++) { %s }\n", label, kind, i, i, count, i, body)
}

func (g *exitMaker) block() string {
	var out strings.Builder
	if len(g.scoped) < 5 && g.IntN(3) == 0 {
		return g.scope()
	}
	for range 1 + g.IntN(2) {
		out.WriteString(g.statement() + "\n")
	}
	return out.String()
}

// scope is a block with names of its own: numbers, one that has no value at first, an array.
func (g *exitMaker) scope() string {
	before := g.scoped
	defer func() { g.scoped = before }()
	g.scopes++
	name := fmt.Sprintf("s%d", g.scopes%7) // it may hide another one
	var out strings.Builder
	fmt.Fprintf(&out, "{ %s;\n", g.one("let "+name+" = "+g.expression(), "let "+name+", c"+name+" = 1; "+name+" = "+
		g.expression(), "const w"+name+" = "+g.one("a", "b")+"; let "+name+" = w"+name+"[1]"))
	g.scoped = append(g.scoped[:len(g.scoped):len(g.scoped)], name)
	for range 1 + g.IntN(2) {
		out.WriteString(g.statement() + "\n")
	}
	if g.IntN(2) == 0 {
		fmt.Fprintf(&out, "if (%s) { %s }\n", g.rare(), g.one(g.exit(), "log.push("+name+");", g.exit()))
	}
	if g.IntN(3) == 0 {
		fmt.Fprintf(&out, "const k%s = %s; x = x + k%[1]s | 0;\n", name, g.one(g.expression(), "bad("+g.pure()+")"))
	}
	return out.String() + g.statement() + "}\n"
}

// exitSurroundings are what the functions use beside their parameters.
const exitSurroundings = turns + `
	function bad(x) { if (x > 2 ** 20) throw new RangeError("x" + x); return x | 0 }
	function late(x) { if (x > 1e9) throw new RangeError("late" + x); let y = x + 1; return y > 7 ? 3 : y & 7 }
	function core(p, q, x, y, z) { for (let i = 0; i < 2; i++) p[i] ^= x + y; return q[1] + z | 0 }
	function other(p, q, x, y, z = 2) { const t = q[x & 7]; p[y & 3] += t; return p.length ? t - z : 0 }
	const rows = [[1, 2, 3], [4, 5, 6], [7, 8, 9]], recs = [{ p: 1, q: 2 }, { p: -3, q: 4 }, { p: 5, q: 6 }];
	function cell(i, j) { return rows[i & 3][j & 3] | 0 }
	function mix(x, y) { let z = 0; for (const w of [x, y, 5]) { for (let i = 0; i < 2; i++) {
		const { p, q: r } = recs[(w >>> i) & 3]; z = z * 3 + p ^ r } } return z }
	function third(p, q, x, y, z) { q[y & 3] = x; return rotl(x, 5) + z }
`

func (g *exitMaker) function() string {
	g.yields = g.IntN(4) == 0
	g.own = g.IntN(2) == 0
	kind, outer, around := g.one("let", "var", "var"), g.one("", "", "let"), g.IntN(3) == 0
	if around { // what the end reads must be there
		kind, outer = "var", ""
	}
	peek := g.one("() => 3, bump = () => { log.push('b') }", "() => x + 1, bump = () => { y = y + 2; x ^= 1 }",
		"() => n, bump = () => { i9++; n++ }, i9 = 0")
	if strings.Contains(peek, "x + 1") {
		kind = "var"
	}
	var body strings.Builder
	fmt.Fprintf(&body, "var i1, i2, i3, u%s, q, w = %s, peek = %s;\n", g.one("", "", " = null", " = a"),
		g.one("null", "a", "undefined", "b", "n", "null"), peek)
	if around {
		body.WriteString("try { ")
	}
	fmt.Fprintf(&body, "%s x = %d, y = 0, z = 1;\n", kind, g.IntN(300))
	if outer != "" {
		body.WriteString("let w9 = 5; const c9 = n;\n")
	}
	for range 1 + g.IntN(2) {
		body.WriteString(g.loop())
	}
	if around {
		body.WriteString("} catch (e) { log.push('caught ' + e.message + x + y) } finally { log.push('f' + z) }\n")
	}
	star := ""
	if g.yields {
		star = "*"
	}
	return fmt.Sprintf("function%s k(a, b, n, m, o, log, pick) { %s"+
		"return [x, y, z, n, m, this.c, o.p, a.length, b.length, typeof u, i1]; }", star, body.String())
}

// randomExits compares one function, and tells whether it was a kernel.
func randomExits(t *testing.T, runners [2]*ecmatest.Runner, seed uint64) bool {
	functions, use := exitProgram(seed)
	failed := t.Failed()
	_, codes := inBoth(t, runners, functions, use)
	if t.Failed() && !failed {
		t.Logf("seed %d", seed)
	}
	return codes > 0
}

func exitProgram(seed uint64) (functions, use string) {
	g := &exitMaker{Rand: rand.New(rand.NewPCG(seed, 23))}
	functions = exitSurroundings + g.function()
	out := `const out = [], deep = (x) => typeof x === "function" ? "f" + deep(x()) : Array.isArray(x) ?
			"[" + x.map(deep) + "]" : x && typeof x === "object" && !ArrayBuffer.isView(x) ? "{}" : show(x);
		const all = (self, ...args) => { const r = k.apply(self, args), list = []; if (!r || !r.next) return r;
			for (let i = 0, s = r.next(); list.length < 50; s = r.next(i++)) { list.push(s.value); if (s.done) break }
			return list };
		const turn = (f) => { try { return deep(f()) } catch (e) { return e.message } };`
	for range 6 {
		kind := g.one("Uint8", "Int32", "Int8", "Uint16", "Uint32", "Int16")
		a := fmt.Sprintf("new %sArray([%d, 2, %d, 4, 5, %d, 7, 8])", kind, g.IntN(256), g.IntN(256), g.IntN(256))
		b := g.one("a", fmt.Sprintf("new %sArray([1, %d, 3, 4, 5, 6, 77, %d])", g.one("Uint8", "Int32", kind),
			g.IntN(256), g.IntN(9)))
		out += fmt.Sprintf("{ const a = %s, b = %s, o = { p: %d, w: new Uint8Array([1, 2, 3, 4]) };\n"+
			"const self = { c: %d }, log = []; out.push(turn(() => all(self, a, b, %d, %d, o, log, "+
			g.one("core", "core", "third", "other", "(p, q, x) => log.push('picked') + x")+")), "+
			"deep(log), show(a), show(b), deep(o.p), deep(self.c)) }\n", a, b,
			g.IntN(9), g.IntN(9), g.IntN(40), g.IntN(40))
	}
	return functions, out + "return out.join(' ')"
}

// TestRandomExits is TestRandomKernels of functions that leave their kernels in the middle.
func TestRandomExits(t *testing.T) {
	runners := [2]*ecmatest.Runner{ecmatest.New(t), ecmatest.New(t)}
	codes := 0
	for i := range *kernelPrograms {
		if randomExits(t, runners, *kernelSeed+uint64(i)) {
			codes++
		}
		if t.Failed() {
			return
		}
	}
	if codes*2 < *kernelPrograms {
		t.Errorf("%d of %d functions had kernels", codes, *kernelPrograms)
	}
}
