package gojainternals

import (
	"fmt"
	"strings"
	"testing"
)

// Methods of texts give the same, whatever they are given.
func TestTextTwins(t *testing.T) {
	texts := []string{`""`, `"abc"`, `"a,b,c"`, `" \t a b\u00a0"`, `"\v\f x \r\n"`, `"ÄÖü"`,
		`"\u{1F600}x"`, `"ABC def"`, `"\x1c a\x00"`,
		`new String("abc")`, `"x".repeat(20000) + "y"`, `5`, `null`}
	methods := []string{"charCodeAt", "charAt", "slice", "substring", "includes", "startsWith",
		"endsWith", "indexOf", "trim",
		"trimStart", "trimEnd", "toLowerCase"}
	lists := []string{"", "0", "1", "-1", "2, 1", "1, 2", "-2, -1", "1.5", "NaN", `"b"`, `"", 1`,
		`"b", 2`, `"ö"`, "undefined", "undefined, 1",
		"null", "1, undefined", "Infinity", "-Infinity, 2", `"1"`, "{ valueOf() { return 1 } }", "true",
		`/a/`, "4294967297", "1, 2, 3", `" "`}
	var sources []string
	for _, m := range methods {
		var calls []string
		for _, s := range texts {
			for _, list := range lists {
				comma := ""
				if list != "" {
					comma = ", "
				}
				calls = append(calls, fmt.Sprintf("see(() => String.prototype.%s.call(%s%s%s))", m, s, comma, list))
				if s[0] == '"' {
					calls = append(calls, fmt.Sprintf("see(() => (%s).%s(%s))", s, m, list))
				}
			}
		}
		sources = append(sources, `const see = (f) => { try { const v = f();
			return typeof v === "string" && v.length > 99 ? v.length : v }
			catch (e) { return e.name + e.message } }; [`+strings.Join(calls, ",\n")+"]")
	}
	sources = append(sources,
		`const a = [1, , 3]; [a.at(), a.at(0), a.at(-1), a.at(1), a.at(3), a.at(-4), a.at(1.5),
			a.at("0"), a.at(NaN), [].at(0),
			[].at.call({ length: 1, 0: 7 }, 0), [].at.call("ab", 1)]`,
		`const a = []; Object.defineProperty(a, 0, { get() { return 4 } }); Array.prototype[1] = 8; a.length = 2;
			const r = [a.at(0), a.at(1)]; delete Array.prototype[1]; r`,
		`[[], {}, { a: 1 }, new Map, new Proxy([], {}), new Proxy({}, {}), 1, "", null, undefined,
			Array.prototype, new (class extends Array {}),
			Object.create([]), new Uint8Array(1)].map((x) => Array.isArray(x)).concat(Array.isArray())`,
		`[Array.isArray([]), Array.isArray({}), Array.isArray(1), Array.isArray(new Proxy([], {})), Array.isArray()]`)
	showSame(t, sources)
}
