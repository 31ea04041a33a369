package ecma

import (
	"testing"
)

func TestFloat16Array(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`const f = new Float16Array(2); f[0] = 1.1; f[1] = 1e9; f[5] = 1; [...f, f.length, f.byteLength].join()`,
			"1.099609375,Infinity,2,4"},
		{`[Float16Array.name, Float16Array.length, Float16Array.BYTES_PER_ELEMENT, ` +
			`Object.prototype.toString.call(new Float16Array(1)), ArrayBuffer.isView(new Float16Array(1))].join()`,
			"Float16Array,3,2,[object Float16Array],true"},
		{`Object.getPrototypeOf(Float16Array) === Object.getPrototypeOf(Int8Array) && ` +
			`new Float16Array([1]) instanceof Float16Array && !(new Uint16Array(1) instanceof Float16Array)`, "true"},
		{`const f = new Float16Array([1.5, '2', null, undefined]); f.join()`, "1.5,2,0,NaN"},
		{`new Float16Array(new Set([1, 2.5])).join() + ';' + new Float16Array({ length: 2, 0: 7.25, 1: 1 }).join()`,
			"1,2.5;7.25,1"},
		{`new Float16Array(new Float64Array([0.1, 65519, 65520])).join()`, "0.0999755859375,65504,Infinity"},
		{`new Float16Array(new Float64Array(0)).length`, "0"},
		{`const u = new Uint8Array(2); u.set(new Float64Array(0), 2); u.set(new Float16Array(0)); ` +
			`new Float64Array(0).set(u.subarray(2)); u.join()`, "0,0"},
		{`try { new Uint8Array(2).set(new Float64Array(0), 3) } catch (e) { e.name }`, "RangeError"},
		{`const b = new ArrayBuffer(8), f = new Float16Array(b, 2, 2); f[0] = 1; ` +
			`[new Uint16Array(b)[1].toString(16), f.byteOffset, f.buffer === b].join()`, "3c00,2,true"},
		{`const f = Float16Array.of(3, -1, NaN, -0, 0, 2); [f.sort().join(), Object.is(f[1], -0), ` +
			`Object.is(f[2], 0)].join(';')`, "-1,0,0,2,3,NaN;true;true"},
		{`const f = Float16Array.of(1.1, NaN, -0); [f.includes(NaN), f.indexOf(NaN), f.includes(0), f.indexOf(1.1), ` +
			`f.indexOf(Math.f16round(1.1)), f.includes('1')].join()`, "true,-1,true,-1,0,false"},
		{`const m = Float16Array.from([1, 2], (x) => x / 3); [m.constructor.name, ...m].join()`,
			"Float16Array,0.333251953125,0.66650390625"},
		{`const f = Float16Array.of(1, 2, 3); [f.map((x) => x / 2), f.filter((x) => x > 1), f.slice(1), ` +
			`f.subarray(1, 2), f.with(0, 0.5), f.toReversed(), f.fill(0.25, 1)].map((x) => x.constructor.name + ` +
			`x.join('/')).join()`,
			"Float16Array0.5/1/1.5,Float16Array2/3,Float16Array2/3,Float16Array0.25,Float16Array0.5/2/3," +
				"Float16Array3/2/1,Float16Array1/0.25/0.25"},
		{`const f = new Float16Array(3); f.set([0.5], 1); f.set(new Uint8Array([9]), 2); f.join()`, "0,0.5,9"},
		{`new Float64Array(new Float16Array([0.5, 2])).join() + new Uint8Array(new Float16Array([3.7])).join()`,
			"0.5,23"},
		{`class A extends Float16Array {} const a = new A([1]); a instanceof A && a.map((x) => x) instanceof A`,
			"true"},
		{`try { Float16Array(1) } catch (e) { String(e) }`, "TypeError: Constructor Float16Array requires 'new'"},
		{`try { new Float16Array([1n]) } catch (e) { e.name }`, "TypeError"},
		{`try { new Float16Array(new ArrayBuffer(3)) } catch (e) { e.name }`, "RangeError"},
		{`const b = new ArrayBuffer(4, { maxByteLength: 8 }), f = new Float16Array(b); b.resize(8); f.length`, "4"},
		{`JSON.stringify(Object.entries(new Float16Array([1, 2])))`, `[["0",1],["1",2]]`},
	} {
		if got := present(t, c.src); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.src, got, c.want)
		}
	}
}

func BenchmarkFloat16Array(b *testing.B) {
	e := newEngine(b)
	p, err := Compile(
		"bench.js", "const f = new Float16Array(1000); (function(){ for (let i = 0; i < 1000; i++) f[i] = f[i] + i })",
		true)
	if err != nil {
		b.Fatal(err)
	}
	v, err := e.rt.RunProgram(p)
	if err != nil {
		b.Fatal(err)
	}
	call(b, v)
}
