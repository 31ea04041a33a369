package json_test

import (
	"strconv"
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
)

// texts of JSON and of what is nearly JSON.
var texts = []string{
	`{"a":[1,-2.5e3,true,false,null,"é\ud83d\ude00\n"],"b":{}}`, ` [ ] `, `{ }`, "\t{\r\n}\n", `"\ud800"`,
	`"\udc00\ud800"`, `"\ud83d\u0041"`, `{"\ud800":1}`, `[{"a":1,"b":2},{"a":3,"b":4},{"b":5,"a":6},{"a":7}]`,
	`{"a\"b":1}`, `[{"a\"b":1},{"a"b":1}]`, `[{"a\nb":1},{"a` + "\n" + `b":1}]`,
	`{"a":1,"a":2,"1":3,"__proto__":4}`, `-0`, `-`, `01`, `-01`, `1.`, `1.5`, `.5`, `1e5`, `1e`, `1e+`, `1E-7`,
	`123456789012345`, `1234567890123456`, `-9007199254740993`, `1e400`, `nul`, `nulll`, `tru`, `[1,]`, `[,1]`,
	`{"a":1,}`, `{"a" 1}`, `{a:1}`, `"a` + "\x01" + `"`, `"é"`, `{"漢":"字","é":"é"}`, `["\u00e9","\u12"]`, `"\x"`,
	`"\`, `"`, `[`, `{`, `{"`, `{"a"`, `{"a":`, `[[[[[[[[[[[[[[[[[[{"a":[{"a":1},{"a":2}]}]]]]]]]]]]]]]]]]]]]`,
	`1 2`, `[]]`, "\u00a01", "\ufeff1", `"\/\b\f\n\r\t\\"`, "", " ", `{"":{"":""}}`,
}

// beside reads a text with the parser of UTF-8 and, because of a reviver, with the other one.
const beside = `const read = (...more) => { try { return JSON.stringify(JSON.parse(text, ...more)) }
	catch (e) { return e.name + ": " + e.message } };
	const a = read(), b = read((key, value) => value); a === b || a + "\n" + b`

// Both parsers take the same for JSON, and make the same of it.
func TestParsersAgree(t *testing.T) {
	var rows ecmatest.Table
	for _, text := range texts {
		rows = append(rows, [2]string{"const text = " + strconv.QuoteToASCII(text) + "; " + beside, "true"})
	}
	rows.Run(t)
}

func FuzzParsersAgree(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted := `"`
		for _, c := range text { // as JavaScript writes it
			if c > 0xffff {
				quoted += `\u{` + strconv.FormatInt(int64(c), 16) + "}"
			} else {
				quoted += `\u` + strconv.FormatInt(0x10000+int64(c), 16)[1:]
			}
		}
		if got := ecmatest.New(t).Eval("{ const text = " + quoted + `"; ` + beside + " }"); got != "true" {
			t.Errorf("%q: %s", text, got)
		}
	})
}

func BenchmarkJSON(b *testing.B) {
	for name, source := range map[string]string{
		"orders": `Array.from({ length: 50 }, (_, i) => ({ id: i, name: "order " + i, tags: ["a", "b", "c"],
			paid: i % 2 === 0, total: i * 1.25, customer: { name: "Ann", mail: "ann@example.com",
			address: { street: "Main Street 1", zip: "12345" } } }))`,
		"texts": `Array.from({ length: 50 }, (_, i) => ({ text: "line " + i + "\n\"quoted\" \\ back\tslash",
			name: "Zoë Müller – 東京 😀", "key é": null, n: i * 1e-7, list: [i, -i, i / 3] }))`,
	} {
		b.Run(name+"/parse", func(b *testing.B) {
			ecmatest.New(b).Bench(b, "const text = JSON.stringify("+source+"); () => JSON.parse(text)")
		})
		b.Run(name+"/write", func(b *testing.B) {
			ecmatest.New(b).Bench(b, "const value = "+source+"; () => JSON.stringify(value)")
		})
		b.Run(name+"/indent", func(b *testing.B) {
			ecmatest.New(b).Bench(b, "const value = "+source+"; () => JSON.stringify(value, null, 2)")
		})
	}
}
