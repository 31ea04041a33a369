package json_test

import (
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
)

// Objects that come one after another with the same names are what any other objects are.
func TestShapes(t *testing.T) {
	const begin = "const s = (text) => JSON.stringify(JSON.parse(text)); " +
		"const read = (n, text = '{\"a\":1,\"b\":[{\"c\":2}]}') => { let v; for (let i = 0; i < n; i++) " +
		"v = JSON.parse(text); return v }; "
	ecmatest.Table{
		{begin + `[1, 2, 3, 4, 9].map((n) => JSON.stringify(read(n))).every((x) => x === '{"a":1,"b":[{"c":2}]}')`,
			"true"},
		{begin + `read(9); s('{"a":1,"b":2,"a":3}')`, `{"a":3,"b":2}`},
		{begin + `read(9); s('{"b":1,"a":2}')`, `{"b":1,"a":2}`},
		{begin + `read(9); s('{"a":1}')`, `{"a":1}`},
		{begin + `read(9); s('{"a":1,"b":2,"c":3}')`, `{"a":1,"b":2,"c":3}`},
		{begin + `read(9); s('{"a":{"a":{"a":1,"b":2},"b":3},"b":{"b":4}}')`,
			`{"a":{"a":{"a":1,"b":2},"b":3},"b":{"b":4}}`},
		{begin + `read(9); let e; try { JSON.parse('{"a":1,"b":}') } catch (x) { e = x } e.name`, "SyntaxError"},
		{begin + `const v = read(9); v.d = 5; delete v.a; v.b[0].c++; JSON.stringify(v)`, `{"b":[{"c":3}],"d":5}`},
		{begin + `const v = read(9), w = read(1); v.a = 7; JSON.stringify([v, w].map((x) => x.a))`, "[7,1]"},
		{begin + `const v = read(9); JSON.stringify([Object.keys(v), v instanceof Object, "a" in v, "x" in v,
			Object.getPrototypeOf(v) === Object.prototype, v.hasOwnProperty("b"), { ...v }.a])`,
			`[["a","b"],true,true,false,true,true,1]`},
		{begin + `read(9, '{"1":1,"0":2}'); s('{"1":1,"0":2}')`, `{"0":2,"1":1}`},
		{begin + `read(9, '{"__proto__":1}'); Object.keys(read(1, '{"__proto__":1}')).join()`, "__proto__"},
		{begin + `for (let i = 0; i < 500; i++) { const v = read(1); v.z = i; delete v.a } s('{"a":1,"b":[{"c":2}]}')`,
			`{"a":1,"b":[{"c":2}]}`},
		{begin + `let out = ""; for (let i = 0; i < 40; i++)
			out += s(i % 3 ? '{"a":1}' : i % 2 ? '{"b":1}' : '{"a":1,"b":2}');
			out.length`, "322"},
	}.Run(t)
}
