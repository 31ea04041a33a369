package gojainternals

import (
	"testing"

	"github.com/dop251/goja"
)

// A getter is called on the object that a pattern with a rest takes apart.
func TestTakenApart(t *testing.T) {
	const source = `const out = [], k = "x", s = Symbol();
		class A { #p = 1; get x() { return this.#p } get [s]() { return this.#p + 1 } }
		const o = { y: 4, get x() { return this.y } }, p = new Proxy({ x: 1 }, { get(t, key, r) { return r === p } });
		{ const { x, ...rest } = new A; out.push(x, Object.keys(rest)) }
		{ const { [k]: x, ...rest } = new A; out.push(x) }
		{ const { x, ...rest } = o; out.push(x, Object.keys(rest)) }
		{ const { [k]: x, ...rest } = o; out.push(x, Object.keys(rest)) }
		{ const { size, ...rest } = new Map([[1, 2]]); out.push(size) }
		{ const { length, ...rest } = new Uint8Array(3); out.push(length, Object.keys(rest)) }
		{ const { x, ...rest } = p; out.push(x) }
		{ const { length, ...rest } = "ab"; out.push(length, Object.keys(rest)) }
		{ let x, rest; ({ x, ...rest } = new A); out.push(x) }
		out.push((({ x, ...rest }) => x)(new A), (({ x: { x, ...rest } }) => x)({ x: o }));
		out.join(";")`
	prg := compile(t, `"use strict";`+source)
	layout(t).Quicken(prg)
	v, err := goja.New().RunProgram(prg)
	if want := "1;;1;4;y;4;y;1;3;0,1,2;true;2;0,1;1;1;4"; err != nil || v.String() != want {
		t.Errorf("%v, %v; want %s", v, err, want)
	}
}
