package script_test

import (
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
)

// TestRelations: relations are taken from the left (ECMA-262, 13.10), and a private name in an object is one.
func TestRelations(t *testing.T) {
	ecmatest.Table{
		{`3 > 2 > 1`, "false"}, {`3 > (2 > 1)`, "true"}, {`(3 > 2) > 1`, "false"}, {`3 > (2) > 1`, "false"},
		{`3 > ((2)) /* > ( */ > 1`, "false"}, {`1 < 3 < 2`, "true"}, {`3 > 2 > 1 > 0`, "false"},
		{`5 > (4 > 3) > 0`, "true"},
		{`5 > ((4 > 3)) > 0 > -1`, "true"}, {`2 >= 2 <= 0`, "false"},
		{`[] instanceof Array instanceof Boolean`, "false"},
		{`"a" in { a: 1 } in { true: 1 }`, "true"}, {`2 < 1 in { false: 1 }`, "true"},
		{`const f = (x) => x; 3 > (f)(2) > 1`, "false"}, {`const f = (x) => x; 3 > ((f)(2) > 1)`, "true"},
		{`const f = () => ")"; 3 > (f(")") + "(" > 1)`, "true"}, {`3 > (() => 2)() > 1 === false`, "true"},
		{`async function f() { return 3 > await 2 > 1 } f() && 1`, "1"}, {"3 > `${2 > 1 > 0}` > 1 // >", "false"},
		{`class A { #p; static t(x) { return #p in x && x instanceof A } } A.t(new A)`, "true"},
		{`class A { #p; static t(x) { return #p in x || 5 } } A.t({})`, "5"},
		{`class A { #p; static t(x) { return (#p in x) === (#p in {}) } } A.t(new A)`, "false"},
		{`class A { #p = 1; m(x) { return 3 > this.#p > 1 } } new A().m()`, "false"},
		{`class B { get x() { return 2 } } class A extends B { m() { return 3 > super.x > 1 } } new A().m()`, "false"},
		{`class A { #p; static t(x) { return (#p in x) < 2 } } A.t(new A)`, "true"},
		{`1 > new Date() > 1`, "false"}, {`const D = Date; 1 > new D > -1`, "true"},
		{`3 > -new Number(-2) > 1`, "false"},
		{`"a" in /a/g in { false: 1 }`, "true"}, {`[1] > /[/(]/g instanceof RegExp`, "false"},
		{`const { y: [a = 3 > 2 > 1] = [] } = {}; a`, "false"},
	}.Run(t)
}

// TestOperandWithoutPlace: goja gives new.target no place in the source.
func TestOperandWithoutPlace(t *testing.T) {
	ecmatest.Table{{`const list = [];
		for (const f of [function () { const [a] = 5 }, function () { const [a] = new.target }])
			try { f() } catch (e) { list.push(e.name) }
		list.join()`, "TypeError,TypeError"}}.Run(t)
}

// TestContinueWithoutPlace: a finally that always leaves a labelled statement takes a continue its place to go to.
func TestContinueWithoutPlace(t *testing.T) {
	ecmatest.Table{{`let n = 0;
		for (let i = 0; i < 3; i++) { a: { try { n++; continue } finally { n += 100; break a } } n += 1000 }
		for (const x of [1, 2]) { a: { try { continue } finally { break a } } n += x * 10_000 }
		n`, "33303"}}.Run(t)
}
