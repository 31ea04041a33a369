package script_test

import (
	"testing"

	"eddy/runtime/engine/ecma/ecmatest"
)

// An arrow function has the arguments of the function around it, however often it names them.
func TestArgumentsInArrow(t *testing.T) {
	for src, want := range map[string]string{
		"function f(a) { const g = () => arguments[1]; return g() } f(1, 2, 3)":                      "2",
		"function f() { return (() => arguments)().length } f(1, 2, 3)":                              "3",
		"function f() { return [1, 2].map(x => arguments[x]).join() } f(1, 2, 3)":                    "2,3",
		"function f(a) { return (() => { a = 9; return () => [...arguments].join() })()() } f(1, 2)": "9,2",
		"'use strict'; function f(a) { const x = 5, y = a * 2; return (() => [arguments[1], x, y].join())() } f(1, " +
			"2)": "2,5,2",
		"({ m() { return (() => typeof arguments + arguments.length)() } " +
			"}).m(1)": "object1",
		"class A { constructor() { this.n = (() => arguments.length)() } } new A(1, 2).n":                      "2",
		"function f() { return (() => g.apply(null, arguments))() } function g(a, b) { return a + b } f(1, 2)": "3",
		"function f() { return (() => function () { return arguments[0] })()(7) } f(1)":                        "7",
		"function f() { return ((x = arguments[0]) => x)() } f(5)":                                             "5",
		"function* g() { yield* (() => arguments)() } [...g(1, 2)].join()":                                     "1,2",
		"(function () { return (() => (arguments.x = 1, arguments.x))() })()":                                  "1",
		"function debounce(f) { return function () { const late = () => { return f.apply(this, arguments) }; return " +
			"late() } } debounce((a, b) => a + b)(3, 4)": "7",
		"function f() { return (() => typeof arguments)() } f(1)":                          "object",
		"function f() { var arguments = 1; return (() => arguments++ + arguments)() } f()": "3",
		"function f() { return (() => ({ arguments }))() } f(4).arguments[0]":              "4",
	} {
		v, err := ecmatest.New(t).Run("arguments.js", src, false)
		if err != nil || v.String() != want {
			t.Errorf("%s\nis %v (%v), expected %s", src, v, err, want)
		}
	}
}
