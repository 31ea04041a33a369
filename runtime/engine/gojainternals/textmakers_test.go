package gojainternals

import (
	"fmt"
	"strings"
	"testing"
)

// Methods that make texts give the same, whatever they are given, and so for texts of Go.
func TestTextMakers(t *testing.T) {
	texts := []string{`""`, `"abc"`, `"a,b,c"`, `"x$&y"`, `"ÄÖü\ud83d"`, `"\u{1F600}ab"`, `new String("abc")`,
		`"ab".repeat(9000)`, `5`, `null`, `(() => JSON.stringify(["a text of Go, b", "c"]))()`,
		`JSON.stringify(["ä text of Go, b"])`}
	methods := []string{"toUpperCase", "at", "padStart", "padEnd", "repeat", "concat", "replaceAll", "replace", "split",
		"codePointAt", "lastIndexOf", "indexOf", "includes", "startsWith", "endsWith", "slice", "charAt"}
	lists := []string{"", "0", "1", "2", "-1", "7", "2, 3", "-2, -1", "1.5", "NaN", `"b"`, `","`, `""`, `"", "x"`,
		`"b", 2`, `"b", -1`, `"b", 99`, `"ö"`, "undefined", `"b", undefined`, "null", "Infinity", "true", `/b/g`,
		`"a", "xyz"`, `"a", "$&$&"`, `"a", () => "f"`, `"a", "ö"`, `",", "-"`, `5, "ab"`, `5, ""`, `6, "ö"`,
		`{ toString() { return "b" } }, "q"`, `"b", { toString() { return "q" } }`, `"b", 1, 2`, `"a", "b", "c"`,
		`",", 2`, `",", 0`, `"", 2`, `20000, "ab"`}
	see := `const see = (f) => { try { const v = f(); return typeof v === "string" && v.length > 99 ?
		v.length + v.slice(0, 9) + v.slice(-9) : Array.isArray(v) ? v.slice(0, 20).map((x) => x + "/") + v.length : v }
		catch (e) { return e.name + e.message } }; [`
	var sources []string
	for _, m := range methods {
		var calls []string
		for _, s := range texts {
			for _, list := range lists {
				if m == "repeat" && strings.HasPrefix(list, "20000") || m[0] == 'p' && list == "Infinity" ||
					m == "replaceAll" && strings.HasPrefix(list, `""`) { // for which goja alone has no end

					continue
				}
				calls = append(calls, fmt.Sprintf("see(() => { const s = %s; return s.%s(%s) })", s, m, list))
			}
		}
		sources = append(sources, see+strings.Join(calls, ",\n")+"]")
	}
	sources = append(sources,
		`const s = "a-b-c".split("-"); s.push("d"); s.extra = 1; [s, s.length, s.extra, Object.keys(s), s.join()]`,
		`const many = "x,".repeat(200).split(","); [many.length, many[0], many[199], many[200] === ""]`,
		`[["a", 1, "b"], [], [""], [1], [1, , 2], [null, undefined, 3], [1.5, true], ["ö", "a"], [[1, [2]], 3],
			[{ toString() { return "o" } }], [1n], [-7, 0, 1e9], ["x".repeat(20000), "y"]].flatMap((list) =>
			[undefined, "", ",", "--", "ö", 1, null, { toString() { return "+" } }].map((by) => {
				const v = list.join(by); return v.length > 99 ? v.length : v }))`,
		`[[1, 2].join(), ["a"].join("x", "y"), Array.prototype.join.call("ab", "-"),
			Array.prototype.join.call({ length: 2, 0: "p", 1: "q" }, "+"), [1, 2].join.call([3, 4], ";")]`,
		`Array.prototype[1] = "inherited"; const r = ["a", , "c"].join(); delete Array.prototype[1]; [r]`,
		`const a = ["a", "b"]; Object.defineProperty(a, 0, { get() { return "g" } }); const l = [1, 2, 3]; l.length = 2;
			[a.join(), l.join("-"), (() => { const c = [1]; c[0] = c; return c.join() })()]`,
		`try { ["a", Symbol()].join() } catch (e) { [e.name] }`,
		`let t = JSON.stringify(["some text that is long"]); t += "!"; t = t + t; t += 5; [t, t.length,
			JSON.stringify(["ä text that is long"]) + "b", /text/.test(t), /(t.)x/.exec(t), t.replace(/t/g, "T"),
			t.match(/a./g), t.split(/ /), JSON.stringify(["ä text that is long"]).replace(/ä/, "a")]`)
	showSame(t, sources)
}
