package script_test

import (
	"strings"
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
)

// TestArrowText: Function.prototype.toString gives the whole text of an arrow function (ECMA-262, 20.2.3.5).
func TestArrowText(t *testing.T) {
	for _, text := range []string{
		"() => ({})", "() => ({ a: 1 })", "x => (x)", "x => ((x), (1))", "() => (a).b",
		"() => ( { a: ')' } )", "() => [({})]",
		"async () => ({ a: `)` })", "() => (/* ) */ 1)", "() => { return ({}); }", "() => (() => ({}))",
	} {
		for _, form := range []string{"%", "f(%)", "f((%), 1)", "[%]"} {
			source := strings.Replace(form, "%", text, 1)
			rt := goja.New()
			if _, err := ecma.Install(rt, ecma.Options{}); err != nil {
				t.Fatal(err)
			}
			program, err := ecma.Compile("a.js",
				"const f = (x) => x; const g = "+source+"; String(Array.isArray(g) ? g[0] : g)", true)
			if err != nil {
				t.Fatal(err)
			}
			got, err := rt.RunProgram(program)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != text {
				t.Errorf("%s: %q", source, got)
			}
		}
	}
}
