package gojainternals

import "testing"

// A switch statement goes where goja's own goes, whatever is compared with what, and throws where goja's throws.
func TestCases(t *testing.T) {
	const values = `const o = {}, values = [1, 1.5, -0, 0, NaN, "a", "b", "é", "", null, undefined, true, false, o, {},
		5n, Symbol.iterator, "1", 2 ** 40, Infinity, () => 1];
		const t = (f) => values.map((v) => { try { return f(v) } catch (e) { return String(e) } });
		`
	showSame(t, []string{
		values + `t((v) => { switch (v) { case 1: return "one"; case "a": return "a"; case "é": return "é"; case null:
			return "null"; case undefined: return "undefined"; case true: return "yes"; case 0: return "zero"; default:
			return "other" } })`,
		values + `t((v) => { let r = ""; switch (v) { case "a": r += "a"; case "b": r += "b"; break; case o: r += "o";
			default: r += "d"; case 1.5: r += "1.5" } return r })`,
		values + `t((v) => { let r = ""; switch (v) { default: r += "d"; case "": r += "empty"; break; case NaN: r +=
			"never"; case 5n: r += "5n" } return r })`,
		values + `t((v) => { const one = 1, a = "a"; let r = 0; for (let i = 0; i < 3; i++) { switch (v) {
			case one: r++; continue; case a: r += 10; break; case o: return "o"; case Infinity: break }
			r += 100 } return r })`,
		values + `t((v) => { switch (v) { case 1: return 1; case late: return 2; case "b": return 3 } let late = 7 })`,
		values + `t((v) => { switch (v) { case 1: let x = 1; return x; case "a": return x; case "b": { let x = 5;
			return x } } })`,
		values + `t((v) => { const seen = []; const s = (x) => { seen.push(x); return x }; switch (v) {
			case s(1): return seen; case "a": return seen; case s("b"): return seen; case null: return seen }
			return seen.length })`,
		values + `t((v) => { switch (typeof v) { case "string": switch (v) { case "a": return "A"; case "b":
			return "B" } return "text"; case "number": return v; case "object": return 0; case "function":
			try { switch (v()) {
			case 1: throw Error("one"); case 2: return 2 } } finally { switch (1) { case 1: } } } return "none" })`,
		values + `t((v) => { switch (v) {} switch (v) { default: } switch (v) { case 1: case "a": case "b": } return
			eval("switch (v) { case 1: 'one'; break; case 'a': 'A' }") })`,
		values + `t((v) => { if (late === null) return 1; let late = 1; return 2 }).concat(t((v) => { if (null !== late)
			return 1; const late = v }))`,
		values + `function* g(v) { switch (v) { case 1: yield 1; case "a": yield "a"; break; case undefined:
			yield* [3, 4] } yield "end" } t((v) => [...g(v)])`,
	})
}
