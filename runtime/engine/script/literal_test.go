package script_test

import (
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
)

// What stands under a computed name of a literal is defined, not assigned (ECMA-262, 13.2.5.5).
func TestComputedNamesAreDefined(t *testing.T) {
	r := ecmatest.New(t)
	for _, c := range [][2]string{
		{`let k = 'a', n = 0; const o = { set a(v) { n++ }, [k]: 1 }; o.a + ' ' + n`,
			"1 0"},
		{`let k = 'a'; const o = { get a() {}, [k]: 1 }; o.a = 2; o.a`,
			"2"},
		{`let k = 1; const o = { get 1() {}, [k]: 'x' }; o[1]`,
			"x"},
		{`let k = 'a', n = 0; const o = { __proto__: { set a(v) { n++ } }, [k]: 1 }; Object.keys(o) + n`,
			"a0"},
		{`let k = 'a'; const o = { get [k]() {}, [k]: () => 1 }; o.a.name + o.a()`,
			"a1"},
		{`let k = '__proto__'; const o = { get a() {}, [k]: 1 }; Object.keys(o).join()`,
			"a,__proto__"},
		{`let k = 'a'; const o = { [k]: 1, get a() { return 2 } }; o.a`,
			"2"},
		{`const s = Symbol(); const o = { get [s]() {}, [s]: 3 }; o[s]`,
			"3"},
		{`const t = []; const k = (x) => (t.push(x), x); ({ get a() {}, [k('b')]: k(1), [k('c')]: k(2) }); t`,
			"b,1,c,2"},
		{`let k = '__proto__'; const o = { [k]: { x: 1 } }; Object.keys(o) + o.x`,
			"__proto__undefined"},
		{`let k = '__proto__'; const o = { [k]: () => 1 }; o[k].name + o[k]()`,
			"__proto__1"},
	} {
		if got := r.Eval("{ " + c[0] + " }"); got != c[1] {
			t.Errorf("%s\n%s, want %s", c[0], got, c[1])
		}
	}
}
