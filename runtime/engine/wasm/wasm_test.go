package wasm

import (
	"testing"

	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/webapitest"
)

// sample is a module made by hand: types, imports, functions with their code, and exports.
type sample struct {
	types   []signature
	imports [][]byte
	funcs   []int // type of each
	tables  [][]byte
	memory  [][]byte
	globals [][]byte
	exports [][]byte
	elems   [][]byte
	code    [][]byte
	start   int // index + 1
}

func (m sample) binary() []byte {
	var types, funcs [][]byte
	for _, s := range m.types {
		types = append(types, encode(func(w *writer) { w.signature(s) }))
	}
	for _, f := range m.funcs {
		funcs = append(funcs, encode(func(w *writer) { w.u32(f) }))
	}
	sections := map[byte][]byte{}
	for id, list := range map[byte][][]byte{
		1: types, 2: m.imports, 3: funcs, 4: m.tables, 5: m.memory, 6: m.globals, 7: m.exports, 9: m.elems,
		10: m.code} {
		if len(list) > 0 {
			sections[id] = counted(list...)
		}
	}
	w := &writer{b: []byte("\x00asm\x01\x00\x00\x00")}
	for _, id := range []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10} {
		if id == 8 && m.start > 0 {
			w.section(8, encode(func(w *writer) { w.u32(m.start - 1) }))
		}
		if body, ok := sections[id]; ok {
			w.section(id, body)
		}
	}
	return w.b
}

func sig(params []valType, results ...valType) signature { return signature{params, results} }

func in(t ...valType) []valType { return t }

// runner is an isolate with modules as globals; before runs ahead of the namespace's installation.
func runner(t testing.TB, modules map[string]sample, before ...func(*host.Host)) *webapitest.Runner {
	t.Helper()
	var h *host.Host
	r := webapitest.New(t, append(before, Install, func(x *host.Host) { h = x })...)
	r.On(func() {
		for name, m := range modules {
			_ = h.Runtime().Set(name, Module(h, name+".wasm", m.binary()))
		}
	})
	return r
}

// arithmetic exports a function per operation.
var arithmetic = sample{
	types: []signature{
		sig(in(i32, i32), i32), sig(in(i64, i64), i64), sig(in(f32), f32), sig(in(f64, i32), f64, i32), sig(nil),
		sig(in(i32), i32), sig(in(f64), i32)},
	funcs:  []int{0, 1, 2, 3, 4, 0, 5, 6, 4, 4},
	memory: [][]byte{{1, 1, 4}},
	exports: [][]byte{
		exportOf("add", kindFunction, 0), exportOf("add64", kindFunction, 1), exportOf("f32", kindFunction, 2),
		exportOf("pair", kindFunction, 3),
		exportOf("trap", kindFunction, 4), exportOf("div", kindFunction, 5), exportOf("load", kindFunction, 6),
		exportOf("trunc", kindFunction, 7),
		exportOf("forever", kindFunction, 8), exportOf("deep", kindFunction, 9), exportOf("memory", kindMemory, 0),
		exportOf("plus", kindFunction, 0),
	},
	code: [][]byte{
		bodyOf([]byte{0x20, 0, 0x20, 1, 0x6a}),
		bodyOf([]byte{0x20, 0, 0x20, 1, 0x7c}),
		bodyOf([]byte{0x20, 0}),
		bodyOf([]byte{0x20, 0, 0x20, 1}),
		bodyOf([]byte{0x00}),
		bodyOf([]byte{0x20, 0, 0x20, 1, 0x6d}),
		bodyOf([]byte{0x20, 0, 0x28, 2, 0}),
		bodyOf([]byte{0x20, 0, 0xaa}),
		bodyOf([]byte{0x03, 0x40, 0x0c, 0, 0x0b}),
		bodyOf([]byte{0x10, 9}),
	},
}

func TestValuesCrossBothWays(t *testing.T) {
	r := runner(t, map[string]sample{"m": arithmetic})
	r.Eval(`globalThis.x = new WebAssembly.Instance(m).exports`)
	for _, c := range []struct{ js, want string }{
		{`return [x.add(1, 2), x.add(2**31, 2**31), x.add("3", 4.9), x.add(2**32+1), x.add(-1, -1), ` +
			`x.add({valueOf: () => 7}, true)].join()`, "3,0,7,1,-2,8"},
		{`return [x.add64(1n, 2n), x.add64(2n**63n, 0n), x.add64(2n**64n + 5n, -1n), x.add64("12", true)].join()`,
			"3,-9223372036854775808,4,13"},
		{`return x.add64(1, 2)`, "throws TypeError: Cannot convert 1 to a BigInt"},
		{`return [x.f32(1.1) === Math.fround(1.1), x.f32(NaN)].join()`, "true,NaN"},
		{`const p = x.pair(1.5, 9); return Array.isArray(p) + " " + p`, "true 1.5,9"},
		{`return [x.add.name, x.add.length, x.pair.name, x.pair.length, x.plus === x.add, typeof x.add].join()`,
			"0,2,3,2,true,function"},
		{`return [Object.getPrototypeOf(x), Object.isFrozen(x), Object.keys(x).join(" ")].join()`,
			",true,add add64 f32 pair trap div load trunc forever deep memory plus"},
		{`return new x.add()`, "throws TypeError: Value is not a constructor"},
	} {
		r.Expect(c.js, c.want)
	}
}

func TestTraps(t *testing.T) {
	r := runner(t, map[string]sample{"m": arithmetic})
	r.Eval(`globalThis.x = new WebAssembly.Instance(m).exports`)
	for _, c := range []struct{ js, want string }{
		{`x.trap()`, "throws RuntimeError: unreachable"},
		{`x.div(1, 0)`, "throws RuntimeError: divide by zero"},
		{`x.div(-(2**31), -1)`, "throws RuntimeError: divide result unrepresentable"},
		{`x.load(65536)`, "throws RuntimeError: memory access out of bounds"},
		{`x.trunc(NaN)`, "throws RuntimeError: float unrepresentable in integer range"},
		{`x.deep()`, "throws RangeError: Maximum call stack size exceeded"},
		{`try { x.trap() } catch (e) { ` +
			`return [e instanceof WebAssembly.RuntimeError, e instanceof Error, Object.prototype.toString.call(e), ` +
			`/^RuntimeError: unreachable\n    at trap \(wasm:\/\/wasm\/[0-9a-f]{8}:wasm-function\[4\]\)\n` +
			`/.test(e.stack)].join() }`, "true,true,[object Error],true"},
		{`try { x.trap() } catch {} return x.add(1, 1)`, "2"},
		{`const e = new WebAssembly.LinkError("a", {cause: 5}); ` +
			`return [e, e.name, e.cause, WebAssembly.CompileError("b").message].join()`, "LinkError: a,LinkError,5,b"},
	} {
		r.Expect(c.js, c.want)
	}
}

// caller imports functions and calls them.
var callerModule = sample{
	types: []signature{
		sig(in(i32), i32), sig(in(i64), i64), sig(nil), sig(nil, i32, f64), sig(in(externref), externref)},
	imports: [][]byte{
		importOf("./x_bg.js", "twice", []byte{0, 0}), importOf("./x_bg.js", "big", []byte{0, 1}),
		importOf("env", "note", []byte{0, 2}), importOf("env", "two", []byte{0, 3}),
		importOf("env", "ref", []byte{0, 4})},
	funcs: []int{0, 1, 2, 3, 4},
	exports: [][]byte{
		exportOf("callTwice", 0, 5), exportOf("callBig", 0, 6), exportOf("callNote", 0, 7), exportOf("callTwo", 0, 8),
		exportOf("callRef", 0, 9), exportOf("twice", 0, 0)},
	code: [][]byte{
		bodyOf([]byte{0x20, 0, 0x10, 0}), bodyOf([]byte{0x20, 0, 0x10, 1}), bodyOf([]byte{0x10, 2}),
		bodyOf([]byte{0x10, 3}), bodyOf([]byte{0x20, 0, 0x10, 4}),
	},
}

func TestImportedFunctions(t *testing.T) {
	r := runner(t, map[string]sample{"m": callerModule})
	r.Eval(`globalThis.make = (over = {}) => new WebAssembly.Instance(m, ` +
		`{"./x_bg.js": {twice: n => n * 2, big: n => n + 1n, ...over}, ` +
		`env: {note() {}, two: () => [1, 2.5], ref: v => v, ...over}}).exports`)
	for _, c := range []struct{ js, want string }{
		{`const x = make(); return [x.callTwice(21), x.callBig(2n ** 62n), x.callNote(), x.callTwo(), ` +
			`x.twice(4)].join(" ")`, "42 4611686018427387905  1,2.5 8"},
		{`const o = {}, x = make(); return [x.callRef(o) === o, x.callRef(null), x.callRef(undefined), ` +
			`x.callRef("s"), x.callRef(1.5)].join()`, "true,,,s,1.5"},
		{`const mine = {}; try { make({note() { throw mine }}).callNote() } catch (e) { return e === mine }`, "true"},
		{`make({note() { throw new RangeError("out") }}).callNote()`, "throws RangeError: out"},
		{`let x; x = make({twice: n => n < 1 ? 0 : n + x.callTwice(n - 1)}); return x.callTwice(100)`, "5050"},
		{`let x; x = make({note: () => x.callNote()}); try { x.callNote() } catch (e) { ` +
			`return e.name + ": " + e.message }`, "RangeError: Maximum call stack size exceeded"},
		{`make({two: () => 5}).callTwo()`, "throws TypeError: multi-return value must be iterable"},
		{`make({two: () => [5]}).callTwo()`, "throws TypeError: multi-return length mismatch"},
		{`make({twice: () => "0x10"}).callTwice(1); return make({twice: () => "0x10"}).callTwice(1)`, "16"},
		{`new WebAssembly.Instance(m)`,
			"throws TypeError: WebAssembly.Instance(): Imports argument must be present and must be an object"},
		{`new WebAssembly.Instance(m, {})`,
			`throws TypeError: WebAssembly.Instance(): Import #0 "./x_bg.js": module is not an object or function`},
		{`make({big: 5})`,
			`throws LinkError: WebAssembly.Instance(): Import #1 "./x_bg.js" "big": ` +
				`function import requires a callable`},
		{`make({twice: make().callBig})`, `throws LinkError: WebAssembly.Instance(): Import #0 "./x_bg.js" "twice": ` +
			`imported function does not match the expected type`},
		{`return make({twice: make().callTwice}).callTwice(5)`, "10"},
		{`return WebAssembly.Module.imports(m).map(i => i.module + ":" + i.name + ":" + i.kind).join()`,
			"./x_bg.js:twice:function,./x_bg.js:big:function,env:note:function,env:two:function,env:ref:function"},
		{`return WebAssembly.Module.exports(m).map(i => i.name + ":" + i.kind).slice(0, 2).join()`,
			"callTwice:function,callBig:function"},
		{`const i = await WebAssembly.instantiate(m, {"./x_bg.js": {twice: n => n, big: n => n}, ` +
			`env: {note() {}, two() {}, ref() {}}}); return [i instanceof WebAssembly.Instance, ` +
			`i.exports.callTwice(3), Object.prototype.toString.call(i), Object.prototype.toString.call(m)].join()`,
			"true,3,[object WebAssembly.Instance],[object WebAssembly.Module]"},
	} {
		r.Expect(c.js, c.want)
	}
}

// Code that was not deployed is refused (RT5).
func TestBytesAreRefused(t *testing.T) {
	r := runner(t, map[string]sample{"m": arithmetic})
	for _, c := range []struct{ js, want string }{
		{`new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))`,
			"throws CompileError: WebAssembly.Module(): Wasm code generation disallowed by embedder"},
		{`await WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))`,
			"throws CompileError: WebAssembly.instantiate(): Wasm code generation disallowed by embedder"},
		{`await WebAssembly.compile(new ArrayBuffer(8))`,
			"throws CompileError: WebAssembly.compile(): Wasm code generation disallowed by embedder"},
		{`return [WebAssembly.validate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])), ` +
			`WebAssembly.validate(new Uint8Array(9))].join()`, "true,false"},
		{`return Object.getOwnPropertyNames(WebAssembly).filter(n => /^[A-Z]/.test(n)).sort().join()`,
			"CompileError,Global,Instance,LinkError,Memory,Module,RuntimeError,Table"},
	} {
		r.Expect(c.js, c.want)
	}
}

func TestBadFilesThrow(t *testing.T) {
	r := runner(t, map[string]sample{"m": arithmetic})
	r.On(func() {
		_ = r.Loop.Runtime().Set("load", func(code string) any { return Module(r.Host, "bad.wasm", []byte(code)) })
	})
	for _, c := range []struct{ js, want string }{
		{`load("nonsense")`, "throws CompileError: WebAssembly.Module(): expected magic word 00 61 73 6d, found 6e " +
			"6f 6e 73 @+0 (bad.wasm)"},
		{`load("\0asm\x02\0\0\0")`,
			"throws CompileError: WebAssembly.Module(): expected version 01 00 00 00, found 02 00 00 00 @+4 " +
				"(bad.wasm)"},
		{`load("\0asm\x01\0\0\0\x01\x09")`,
			"throws CompileError: WebAssembly.Module(): expected 9 bytes, fell off end @+10 (bad.wasm)"},
		{`load("\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a\x05\x01\x03\0\x06\x0b")`,
			"throws CompileError: WebAssembly.Module(): legacy exception handling (opcode 0x6) is not supported: " +
				"build with -sWASM_LEGACY_EXCEPTIONS=0 @+24 (bad.wasm)"},
		{`load("\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x0a\x05\x01\x03\0\x6a\x0b")`,
			"throws CompileError: WebAssembly.Module(): invalid module: invalid function[0]: cannot pop the 1st " +
				"operand for i32.add: i32 missing (bad.wasm)"},
	} {
		r.Expect(c.js, c.want)
	}
}
