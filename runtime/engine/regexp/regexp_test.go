package regexp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
	"eddy/runtime/engine/regexp"
)

// Every row of the engine's tables again, this time through scripts, so that objects are held to the same answers
// (GJ3).
func TestRegExpThroughScripts(t *testing.T) {
	for _, table := range []string{"v8.json", "standard.json"} {
		t.Run(table, func(t *testing.T) { checkTable(t, "../jsregexp/testdata/"+table) })
	}
}

func checkTable(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][4]json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	r := ecmatest.New(t)
	for _, row := range rows {
		if string(row[0]) == `"PROP"` {
			continue
		}
		// The table has bounds; the script cuts the wanted groups from the text itself.
		src := fmt.Sprintf(`(function(){
			const want = %[4]s, text = %[3]s;
			let re; try { re = new RegExp(%[1]s, %[2]s) } catch (e) {
				const got = "ERR " + e.message.replace(/^Invalid regular expression: \/.*\/[a-z]*: /s, "");
				return got === want ? "" : got;
			}
			const m = re.exec(text);
			const got = JSON.stringify(m && [m.index, [...m]]);
			const exp = JSON.stringify(want &&
				[want[0] && want[0][0], want.map((x) => x ? text.slice(x[0], x[1]) : undefined)]);
			return got === exp ? "" : got + " instead of " + exp;
		})()`, row[0], row[1], row[2], row[3])
		if got := r.Eval(src); got != "" {
			t.Errorf("/%s/%s on %s: %s", row[0], row[1], row[2], got)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct{ pattern, flags, want string }{
		{`\p{L}`, "u", ""}, {`(?<a>x)|(?<a>y)`, "", ""}, {`[\p{RGI_Emoji}--q]`, "v", ""},
		{`\p{Script=Newest}`, "u", ""}, {`{1}`, "", "Nothing to repeat"},
		{`\p{IsLatin}`, "u", "Invalid property name"}, {`[(]`, "v", "Invalid character in character class"},
		{`(?<n`, "", "Invalid capture group name"},
		{`(?i-i:a)`, "", "Repeated flag in flag group"}, {`\-`, "u", "Invalid escape"},
	} {
		want := c.want
		if want != "" {
			want = "Invalid regular expression: /" + c.pattern + "/" + c.flags + ": " + want
		}
		got := ""
		if err := regexp.Check(c.pattern, c.flags); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("/%s/%s: got %q, want %q", c.pattern, c.flags, got, want)
		}
	}
}

func TestRegExpMethods(t *testing.T) {
	ecmatest.Table{
		{`"aéb漢".replace(/\p{L}/gu, (x) => "[" + x + "]")`, "[a][é][b][漢]"},
		{`"2024-05".replace(/(?<y>\d+)-(?<m>\d+)/u, "$<m>/$<y> $1 $$ $& $'")`, "05/2024 2024 $ 2024-05 "},
		{`"a1b2".split(/\d/u).join()`, "a,b,"},
		{`"abc".split(/(?:)/u).join()`, "a,b,c"},
		{`"a😀b".split(/(?:)/u).length`, "3"},
		{`"aBc".match(/[a-z]/giu).join()`, "a,B,c"},
		{`[..."𠮷a".matchAll(/(?:)/gv)].map((m) => m.index).join()`, "0,2,3"},
		{`[..."a1b22".matchAll(/\d+/gu)].map((m) => m.index + ":" + m[0]).join()`, "1:1,3:22"},
		{`"xay".search(/a/u)`, "1"},
		{`/a(?<n>b)?/d.exec("xab").indices.groups.n.join()`, "2,3"},
		{`new RegExp("a", "dgimsvy").flags + new RegExp("a", "u").flags`, "dgimsvyu"},
		{`String(/a\/[/]/u) + new RegExp("/", "u").source + new RegExp("").source + new RegExp("\n", "u").source`,
			`/a\/[/]/u\/(?:)\n`},
		{`const re = /a/gu; re.lastIndex = 1; re.test("aba") + "" + re.lastIndex + re.test("aba") + re.lastIndex`,
			"true3false0"},
		{`const re = /a/yu; re.test("ba") + "" + (re.lastIndex = 1, re.test("ba"))`, "falsetrue"},
		{`class R extends RegExp { exec(s) { const m = super.exec(s); if (m) m[0] = "!" + m[0]; return m } }; ` +
			`"ab".replace(new R("\\p{L}", "gu"), "$&$&")`, "!a!a"},
		{`const r = new RegExp(/x/gu); r.flags + (r instanceof RegExp) + (RegExp(r) === r) + ` +
			`new RegExp(r, "i").flags`, "gutruetruei"},
		{`Object.prototype.toString.call(/\p{L}/u) + Object.getOwnPropertyNames(/\p{L}/u)`, "[object RegExp]lastIndex"},
		{`RegExp.escape("a.b-c d\n") `, `\x61\.b\x2dc\x20d\n`},
		{`RegExp[Symbol.species] === RegExp && /\p{L}/u.constructor === RegExp`, "true"},
		{`/(?<a>x)|(?<a>y)/.exec("y").groups.a`, "y"},
		{`/(?i:a)b/.test("Ab") + "" + /(?i:a)b/.test("AB") + /(?-i:a)b/i.test("aB") + /(?s:.)/.test("\n")`,
			"truefalsetruetrue"},
		{`/^\p{RGI_Emoji}$/v.test("👨‍👩‍👧") + "" + /^\p{RGI_Emoji}$/v.test("🇩🇪")`, "truetrue"},
		{`[..."aXbX".replaceAll(/x/giu, "-")].join("")`, "a-b-"},
		{`try { new RegExp("(") } catch (e) { e.name + ": " + e.message }`,
			"SyntaxError: Invalid regular expression: /(/: Unterminated group"},
		{`try { new RegExp("a", "gg") } catch (e) { e.message }`, "Invalid flags supplied to RegExp constructor 'gg'"},
		{`const f = () => /\p{L}/gu; f() !== f()`, "true"},
		{`/[\s\S]*?(a+)(?=b)/.exec("xxaab")[1]`, "aa"},
		{`"x".replace(/(x)(y)?/u, (...a) => a.length)`, "5"},
		{`const r = /\p{L}/u; r.compile("b", "g"); r.source + r.flags + r.test("b")`, "bgtrue"},
	}.Run(t)
}

// A literal that no engine can read is an error of compilation with V8's text.
func TestInvalidLiteral(t *testing.T) {
	got := ecmatest.New(t).Eval("const a = 1;\nconst r = /(/;")
	if got != "SyntaxError: Invalid regular expression: /(/: Unterminated group" {
		t.Error(got)
	}
}

func BenchmarkLiteralTest(b *testing.B) {
	for _, c := range []struct{ name, re string }{{"native", `/^[a-z]+\d+$/`}, {"own", `/^\p{L}+\d+$/u`}} {
		b.Run(c.name, func(b *testing.B) {
			r := ecmatest.New(b)
			r.Eval(`globalThis.run = function () { let n = 0; for (let i = 0; i < 1000; i++) if (` + c.re +
				`.test("hello1234")) n++; return n }`)
			for b.Loop() {
				if got := r.Eval("run()"); got != "1000" {
					b.Fatal(got)
				}
			}
		})
	}
}
