package script_test

import (
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
)

// TestNamesAroundEval: functions in which eval is called find the names from further out, whatever declares names in
// between. payload's generator of schemas calls eval to import a package.
func TestNamesAroundEval(t *testing.T) {
	for _, inner := range []string{
		"({ a }) => wrap(function () { return eval('1'); })",
		"({ a }) => wrap(async function ({ b = a } = {}) { await eval('1'); })",
		"(a = 1) => wrap(() => eval('1'))",
		"(...a) => wrap(() => eval('1'))",
		"({ a }) => { return wrap(() => eval('1')); }",
		"function ({ a }) { return wrap(() => eval('1')); }",
		"function named(a = 2) { return wrap(() => eval('1')); }",
		"({ a }) => { let b; return wrap(() => eval('1')); }",
		"({ a }) => { for (const x of [1]) return wrap(() => eval('1')); }",
		"({ a }) => { for (let i = 0; ; i++) { return wrap(() => eval('1')); } }",
		"({ a }) => { try { throw 1; } catch { return wrap(() => eval('1')); } }",
		"({ a }) => { try { throw 1; } catch (e) { { return wrap(() => eval('1')); } } }",
		"({ a }) => { switch (1) { case 1: return wrap(() => eval('1')); } }",
		"({ a }) => { lbl: { return wrap(() => eval('1')); } }",
		"(a) => wrap(() => eval('1'))",
		"() => { class C { static m({ a } = {}) { return wrap(() => eval('1')); } } return C.m(); }",
		"() => { class C { f = wrap(() => eval('1')) } return new C().f; }",
		"() => { class C { static f; static { C.f = wrap(() => eval('1')); } } return C.f; }",
		"() => ({ m({ a } = {}) { return wrap(() => eval('1')); } }).m()",
		"() => (class { constructor({ a } = {}) { this.f = wrap(() => eval('1')); } }, wrap(1))",
		"() => { function* g({ a } = {}) { yield wrap(() => eval('1')); } return g().next().value; }",
		"eval === 1 ? eval('2') : ({ a }) => wrap(1)",
	} {
		source := "(() => { const one = 1, two = 2, wrap = (f) => 'found' + two, three = 3; " +
			"return (() => { const x = 1; return (" + inner + ")({ a: 1 }); })(); })()"
		for _, strict := range []bool{true, false} {
			rt := goja.New()
			if _, err := ecma.Install(rt, ecma.Options{}); err != nil {
				t.Fatal(err)
			}
			program, err := ecma.Compile("a.js", source, strict)
			if err != nil {
				t.Fatal(inner, err)
			}
			v, err := rt.RunProgram(program)
			if err != nil || v.String() != "found2" {
				t.Errorf("%s: %v %v", inner, v, err)
			}
		}
	}
}
