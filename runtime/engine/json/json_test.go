package json_test

import (
	"strings"
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
)

// GJ5: what JSON.parse refuses, in V8's words, and where.
func TestParseRefuses(t *testing.T) {
	var rows ecmatest.Table
	for text, want := range map[string]string{
		``:             `Unexpected end of JSON input`,
		`{`:            `Expected property name or '}' in JSON at position 1 (line 1 column 2)`,
		`{"a"`:         `Expected ':' after property name in JSON at position 4 (line 1 column 5)`,
		`{"a":1`:       `Expected ',' or '}' after property value in JSON at position 6 (line 1 column 7)`,
		`[1`:           `Expected ',' or ']' after array element in JSON at position 2 (line 1 column 3)`,
		`[1,]`:         `Unexpected token ']', "[1,]" is not valid JSON`,
		`{"a":1,}`:     `Expected double-quoted property name in JSON at position 7 (line 1 column 8)`,
		`01`:           `Unexpected number in JSON at position 1 (line 1 column 2)`,
		`1.`:           `Unterminated fractional number in JSON at position 2 (line 1 column 3)`,
		`1e`:           `Exponent part is missing a number in JSON at position 2 (line 1 column 3)`,
		`-`:            `No number after minus sign in JSON at position 1 (line 1 column 2)`,
		`"abc`:         `Unterminated string in JSON at position 4 (line 1 column 5)`,
		`"\x"`:         `Bad escaped character in JSON at position 2 (line 1 column 3)`,
		`"\u12"`:       `Bad Unicode escape in JSON at position 5 (line 1 column 6)`,
		"\"a\nb\"":     `Bad control character in string literal in JSON at position 2 (line 1 column 3)`,
		`nul`:          `Unexpected end of JSON input`,
		`trux`:         `Unexpected token 'x', "trux" is not valid JSON`,
		`1 2`:          `Unexpected non-whitespace character after JSON at position 2 (line 1 column 3)`,
		`undefined`:    `"undefined" is not valid JSON`,
		"{\n \"a\": x": `Unexpected token 'x', "{` + "\n" + ` "a": x" is not valid JSON`,
	} {
		rows = append(rows, [2]string{
			`try { JSON.parse(` + quote(text) + `) } catch (e) { e.name + ": " + e.message }`, "SyntaxError: " + want,
		})
	}
	rows.Run(t)
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// Lists in lists are indented by their depth.
func TestIndent(t *testing.T) {
	ecmatest.Table{
		{`JSON.stringify({ a: [[1, []], {}] }, null, 1)`,
			"{\n \"a\": [\n  [\n   1,\n   []\n  ],\n  {}\n ]\n}"},
		{`class K { n = [{ b: ["\\", "a\"[,", []] }, new Date(0), JSON.rawJSON('"ü"')] };
			JSON.stringify(new K(), null, 1)`,
			"{\n \"n\": [\n  {\n   \"b\": [\n    \"\\\\\",\n    \"a\\\"[,\",\n    []\n   ]\n  },\n" +
				"  \"1970-01-01T00:00:00.000Z\",\n  \"ü\"\n ]\n}"},
		{`JSON.stringify({ a: [{ b: "\ud800é" }], c: 1 }, (k, v) => k === "c" ? undefined : v, "-")`,
			"{\n-\"a\": [\n--{\n---\"b\": \"\\ud800é\"\n--}\n-]\n}"},
		{`[JSON.stringify(undefined, null, 2), JSON.stringify(() => {}, null, 2), JSON.stringify("a", null, 2),
			JSON.stringify([1n], (k, v) => typeof v === "bigint" ? 1 : v, 1)].join("|")`, "||\"a\"|[\n 1\n]"},
		{`[JSON.stringify([1], null, 12), JSON.stringify([1], null, -1), JSON.stringify([1], null, "0123456789ab"),
			JSON.stringify([1], null, "ü"), JSON.stringify([1], null, ""), JSON.stringify([1], null, 1.9),
			JSON.stringify([1], null, true), JSON.stringify([1], undefined, null)].join("|")`,
			"[\n          1\n]|[1]|[\n01234567891\n]|[\nü1\n]|[1]|[\n 1\n]|[1]|[1]"},
	}.Run(t)
}

// What JSON.parse takes.
func TestParse(t *testing.T) {
	ecmatest.Table{
		{`JSON.stringify(JSON.parse(' { "a" : [ 1 , -2.5e3 , true , false , null , "\\u00e9\\ud83d\\ude00\\n" ] } '))`,
			`{"a":[1,-2500,true,false,null,"é😀\n"]}`},
		{`JSON.parse('"\\ud800"').charCodeAt(0).toString(16)`, "d800"},
		{`JSON.parse('{"é":1,"漢":2}').漢`, "2"},
		{`Object.keys(JSON.parse('{"b":1,"a":2,"1":3}')).join()`, "1,b,a"},
		{`JSON.parse('{"a":1,"a":2}').a`, "2"},
		{`const o = JSON.parse('{"__proto__":{"x":1}}'); [Object.hasOwn(o, "__proto__"), o.x].join()`, "true,"},
		{`Object.is(JSON.parse("-0"), -0)`, "true"},
		{`JSON.parse("1e400")`, "Infinity"},
		{`JSON.parse("9007199254740993")`, "9007199254740992"},
		{`JSON.parse({ toString: () => "[7]" })[0]`, "7"},
		{`try { JSON.parse(Symbol()) } catch (e) { e.name + e.message }`,
			"TypeErrorCannot convert a Symbol value to a string"},
		{`JSON.parse("[" .repeat(1000) + "]".repeat(1000)).length`, "1"},
	}.Run(t)
}

// A reviver sees holders from the inside out, may delete, and gets the source of primitives.
func TestReviver(t *testing.T) {
	ecmatest.Table{
		{`const seen = []; JSON.parse('{"a":[1,{"b":2}],"c":3}', function (k, v) { seen.push(k); return v }); ` +
			`seen.join()`, "0,b,1,a,c,"},
		{`JSON.stringify(JSON.parse('{"a":1,"b":2,"c":[3,4]}', (k, v) => v === 2 || v === 3 ? undefined : v))`,
			`{"a":1,"c":[null,4]}`},
		{`JSON.parse('{"big":12345678901234567890,"s":"x"}', (k, v, c) => k === "big" ? BigInt(c.source) : v).big`,
			"12345678901234567890"},
		{`const out = []; JSON.parse('[1.0,"a",{}]', (k, v, c) => (out.push(c.source), v)); out.join("|")`,
			`1.0|"a"||`},
		{`const out = []; JSON.parse('[1,2]', function (k, v, c) { if (k === "0") this[1] = 9; out.push(c.source); ` +
			`return v }); out.join("|")`, "1||"},
		{`try { JSON.parse("[1]", () => { throw new RangeError("mine") }) } catch (e) { e.message }`, "mine"},
		{`try { JSON.parse('{"a":1,"b":2}', function (k, v) { if (k === "a") this.b = this; return v }); ` +
			`"ended" } catch (e) { e.name + ": " + e.message }`, "RangeError: Maximum call stack size exceeded"},
	}.Run(t)
}

// The circle that JSON.stringify met is drawn as V8 draws it.
func TestCircularText(t *testing.T) {
	const title = "TypeError: Converting circular structure to JSON\n" +
		"    --> starting at object with constructor 'Object'\n"
	ecmatest.Table{
		{`const o = {}; o.self = o; try { JSON.stringify(o) } catch (e) { String(e) }`,
			title + "    --- property 'self' closes the circle"},
		{`const o = { a: { b: [1] } }; o.a.b.push(o); try { JSON.stringify(o) } catch (e) { String(e) }`,
			title + "    |     property 'a' -> object with constructor 'Object'\n" +
				"    |     property 'b' -> object with constructor 'Array'\n    --- index 1 closes the circle"},
		{`class K { constructor() { this.in = { of: this } } } try { JSON.stringify(new K()) } catch (e) { String(e) }`,
			"TypeError: Converting circular structure to JSON\n    --> starting at object with constructor 'K'\n" +
				"    |     property 'in' -> object with constructor 'Object'\n    --- property 'of' closes the circle"},
		{`const shared = {}; JSON.stringify([shared, shared])`, "[{},{}]"},
	}.Run(t)
}
