package wasm

import (
	"runtime"
	"testing"
	"time"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/host"
)

// shared imports a memory, tables and globals, and exports them again.
var shared = sample{
	types: []signature{sig(nil), sig(nil, i32), sig(in(i32), i32), sig(in(i32, externref)), sig(in(i32), externref)},
	imports: [][]byte{
		importOf("env", "memory", []byte{2, 0, 1}), importOf("env", "table", []byte{1, 0x70, 0, 2}),
		importOf("env", "count", []byte{3, 0x7f, 1}), importOf("env", "base", []byte{3, 0x7f, 0}),
		importOf("env", "refs", []byte{1, 0x6f, 0, 1}),
		importOf("env", "big", []byte{3, 0x7e, 0}),
	},
	funcs: []int{1, 0, 2, 3, 4, 1},
	exports: [][]byte{
		exportOf("next", 0, 0), exportOf("grow", 0, 1), exportOf("viaTable", 0, 2), exportOf("setRef", 0, 3),
		exportOf("getRef", 0, 4), exportOf("peek", 0, 5),
		exportOf("memory", kindMemory, 0), exportOf("table", kindTable, 0), exportOf("count", kindGlobal, 0),
		exportOf("base", kindGlobal, 1), exportOf("big", kindGlobal, 2),
	},
	code: [][]byte{
		bodyOf([]byte{0x23, 0, 0x41, 1, 0x6a, 0x24, 0, 0x23, 0, 0x23, 1, 0x6a}), // ++count + base
		bodyOf([]byte{0x41, 1, 0x40, 0, 0x1a}),
		bodyOf([]byte{0x20, 0, 0x11, 1, 0}), // call_indirect () → i32
		bodyOf([]byte{0x20, 0, 0x20, 1, 0x26, 1}),
		bodyOf([]byte{0x20, 0, 0x25, 1}),
		bodyOf([]byte{0x41, 0, 0x28, 2, 0}),
	},
}

// own has a memory, a table with functions in it and globals of its own.
var own = sample{
	types:  []signature{sig(in(i32), i32), sig(nil), sig(in(i32), funcref), sig(in(funcref), i32)},
	funcs:  []int{0, 1, 2, 0},
	tables: [][]byte{{0x70, 1, 3, 4}},
	memory: [][]byte{{1, 1, 3}},
	globals: [][]byte{
		{0x7f, 1, 0x41, 5, 0x0b}, {0x7e, 0, 0x42, 7, 0x0b}, {0x7c, 1, 0x44, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0x0b}},
	exports: [][]byte{
		exportOf("double", 0, 0), exportOf("grow", 0, 1), exportOf("pick", 0, 2), exportOf("memory", kindMemory, 0),
		exportOf("table", kindTable, 0),
		exportOf("g", kindGlobal, 0), exportOf("k", kindGlobal, 1), exportOf("d", kindGlobal, 2),
		exportOf("indirect", 0, 3),
	},
	elems: [][]byte{{0, 0x41, 0, 0x0b, 2, 0, 1}},
	code: [][]byte{
		bodyOf([]byte{0x20, 0, 0x20, 0, 0x6a}), bodyOf([]byte{0x41, 1, 0x40, 0, 0x1a}),
		bodyOf([]byte{0x20, 0, 0x25, 0}),
		bodyOf([]byte{0x41, 21, 0x20, 0, 0x11, 0, 0}),
	},
}

func TestMemoryIsLive(t *testing.T) {
	r := runner(t, map[string]sample{"own": own, "shared": shared, "arith": arithmetic})
	for _, c := range []struct{ js, want string }{
		{`const {memory} = new WebAssembly.Instance(own).exports; ` +
			`return [memory.buffer === memory.buffer, memory.buffer.byteLength, ` +
			`Object.prototype.toString.call(memory), memory instanceof WebAssembly.Memory].join()`,
			"true,65536,[object WebAssembly.Memory],true"},
		{`const x = new WebAssembly.Instance(arith).exports; new Int32Array(x.memory.buffer)[3] = 77; ` +
			`return x.load(12)`, "77"},
		{`const x = new WebAssembly.Instance(own).exports, b = x.memory.buffer, v = new Uint8Array(b); v[0] = 9; ` +
			`x.grow(); return [b.byteLength, v.length, x.memory.buffer === b, x.memory.buffer.byteLength, ` +
			`new Uint8Array(x.memory.buffer)[0]].join()`, "0,0,false,131072,9"},
		{`const {memory: m} = new WebAssembly.Instance(own).exports, b = m.buffer; ` +
			`return [m.grow(1), b.byteLength, m.buffer.byteLength, m.grow(0), m.grow(1)].join()`, "1,0,131072,2,2"},
		{`new WebAssembly.Instance(own).exports.memory.grow(3)`,
			"throws RangeError: WebAssembly.Memory.grow(): Maximum memory size exceeded"},
		{`const m = new WebAssembly.Memory({initial: 2, maximum: 5}); ` +
			`return [m.buffer.byteLength, m.grow(3), m.buffer.byteLength].join()`, "131072,2,327680"},
		{`new WebAssembly.Memory()`, "throws TypeError: WebAssembly.Memory(): Argument 0 must be a memory descriptor"},
		{`new WebAssembly.Memory({})`, "throws TypeError: WebAssembly.Memory(): Property 'initial' is required"},
		{`new WebAssembly.Memory({initial: 2, maximum: 1})`,
			"throws RangeError: WebAssembly.Memory(): Property 'maximum': value 1 is below the lower bound 2"},
		{`WebAssembly.Memory.prototype.buffer`, "throws TypeError: Illegal invocation: function called with " +
			"incorrect `this` reference. See https://developers.cloudflare.com/workers/observability/errors/" +
			"#illegal-invocation-errors for details."},
	} {
		r.Expect(c.js, c.want)
	}
}

// threads has a shared memory of its own, and waits for another agent.
var threads = sample{
	types:   []signature{sig(nil, i32), sig(nil)},
	funcs:   []int{0, 1},
	memory:  [][]byte{{3, 1, 3}},
	exports: [][]byte{exportOf("wait", 0, 0), exportOf("grow", 0, 1), exportOf("memory", kindMemory, 0)},
	code: [][]byte{
		bodyOf([]byte{0x41, 0, 0x41, 0, 0x42, 0x7f, 0xfe, 0x01, 2, 0}),
		bodyOf([]byte{0x41, 1, 0x40, 0, 0x1a}),
	},
}

// sharing imports a shared memory and adds to its first word.
var sharing = sample{
	types:   []signature{sig(nil, i32)},
	imports: [][]byte{importOf("env", "memory", []byte{2, 3, 1, 3})},
	funcs:   []int{0},
	exports: [][]byte{exportOf("next", 0, 0), exportOf("memory", kindMemory, 0)},
	code:    [][]byte{bodyOf([]byte{0x41, 0, 0x41, 1, 0xfe, 0x1e, 2, 0})},
}

// A shared memory has a SharedArrayBuffer, which keeps its bytes and length when the memory grows. Nobody may wait.
func TestSharedMemory(t *testing.T) {
	r := runner(t, map[string]sample{"threads": threads, "sharing": sharing, "own": own}, func(h *host.Host) {
		if _, err := ecma.Install(h.Runtime(), ecma.Options{}); err != nil {
			t.Fatal(err)
		}
	})
	for _, c := range []struct{ js, want string }{
		{`const m = new WebAssembly.Memory({initial: 1, maximum: 3, shared: true}), b = m.buffer; ` +
			`return [b instanceof SharedArrayBuffer, b instanceof ArrayBuffer, b.byteLength, String(b), m.grow(1), ` +
			`b.byteLength, m.buffer === b, m.buffer.byteLength].join()`,
			"true,false,65536,[object SharedArrayBuffer],1,65536,false,131072"},
		{`const {memory: m, grow} = new WebAssembly.Instance(threads).exports, b = m.buffer; grow(); ` +
			`new Uint8Array(b)[1] = 7; return [b.byteLength, m.buffer.byteLength, new Uint8Array(m.buffer)[1], ` +
			`Atomics.add(new Int32Array(b), 0, 5)].join()`, "65536,131072,7,1792"},
		{`const memory = new WebAssembly.Memory({initial: 1, maximum: 3, shared: true}), ` +
			`a = new WebAssembly.Instance(sharing, {env: {memory}}).exports, ` +
			`b = new WebAssembly.Instance(sharing, {env: {memory}}).exports; a.next(); b.next(); ` +
			`return [a.next(), new Int32Array(memory.buffer)[0], a.memory === memory].join()`, "2,3,true"},
		{`const {memory} = new WebAssembly.Instance(threads).exports; ` +
			`return new WebAssembly.Instance(sharing, {env: {memory}}).exports.next()`, "0"},
		{`const e = new WebAssembly.LinkError("a", {cause: 5}); ` +
			`return [e, e.cause, "cause" in new WebAssembly.LinkError("b")].join()`, "LinkError: a,5,false"},
		{`new WebAssembly.Instance(threads).exports.wait()`, "throws RuntimeError: unreachable"},
		{`new WebAssembly.Memory({initial: 1, shared: true})`,
			"throws TypeError: WebAssembly.Memory(): If shared is true, maximum property should be specified."},
		{`new WebAssembly.Instance(sharing, {env: {memory: new WebAssembly.Memory({initial: 1})}})`,
			`throws LinkError: WebAssembly.Instance(): Import #0 "env" "memory": mismatch in shared state of memory, ` +
				`declared = 1, imported = 0`},
	} {
		r.Expect(c.js, c.want)
	}
}

func TestImportsAreShared(t *testing.T) {
	r := runner(t, map[string]sample{"own": own, "shared": shared})
	r.Eval(`globalThis.env = (over) => (
			{env: {memory: new WebAssembly.Memory({initial: 1}),
			table: new WebAssembly.Table({initial: 2, element: "anyfunc"}),
		count: new WebAssembly.Global({value: "i32", mutable: true}, 10), base: 1000,
			refs: new WebAssembly.Table({initial: 1, element: "externref"}), big: 5n, ...over}});
		globalThis.make = (e) => new WebAssembly.Instance(shared, e).exports`)
	for _, c := range []struct{ js, want string }{
		{`const e = env(), a = make(e), b = make(e); return [a.next(), b.next(), e.env.count.value, ` +
			`a.memory === e.env.memory, a.table === e.env.table, a.count === e.env.count, a.base.value, ` +
			`a.big.value].join()`, "1011,1012,12,true,true,true,1000,5"},
		{`const e = env(), a = make(e); e.env.count.value = -5; return a.next()`, "996"},
		{`const e = env(), a = make(e), b = make(e), buf = e.env.memory.buffer; new Int32Array(buf)[0] = 42; ` +
			`const seen = b.peek(); a.grow(); return [seen, buf.byteLength, b.memory.buffer.byteLength, ` +
			`b.peek()].join()`, "42,0,131072,42"},
		{`const e = env(), a = make(e); e.env.table.set(1, a.next); ` +
			`return [a.viaTable(1), e.env.table.get(1) === a.next, e.env.table.get(0)].join()`, "1011,true,"},
		{`make(env()).viaTable(0)`, "throws RuntimeError: table index is out of bounds"},
		{`const e = env(), a = make(e), o = {}; a.setRef(0, o); ` +
			`return [e.env.refs.get(0) === o, a.getRef(0) === o].join()`, "true,true"},
		{`const e = env(), a = make(e); e.env.refs.set(0, "text"); ` +
			`return [a.getRef(0), e.env.refs.grow(2, 7), e.env.refs.get(2), e.env.refs.length].join()`, "text,1,7,3"},
		{`const x = new WebAssembly.Instance(own).exports; make(env({table: x.table})).viaTable(0)`,
			"throws RuntimeError: null function or function signature mismatch"},
		{`make(env({memory: {}}))`, `throws LinkError: WebAssembly.Instance(): Import #0 "env" "memory": ` +
			`memory import must be a WebAssembly.Memory object`},
		{`make(env({memory: new WebAssembly.Memory({initial: 0})}))`,
			`throws LinkError: WebAssembly.Instance(): Import #0 "env" "memory": ` +
				`memory import has 0 pages which is smaller than the declared initial of 1`},
		{`make(env({table: new WebAssembly.Table({initial: 1, element: "anyfunc"})}))`,
			`throws LinkError: WebAssembly.Instance(): Import #1 "env" "table": table import has 1 elements, ` +
				`which is less than the required minimum 2`},
		{`make(env({count: 5}))`, `throws LinkError: WebAssembly.Instance(): Import #2 "env" "count": ` +
			`imported mutable global must be a WebAssembly.Global object`},
		{`make(env({base: "5"}))`, `throws LinkError: WebAssembly.Instance(): Import #3 "env" "base": ` +
			`global import must be a number, valid Wasm reference, or WebAssembly.Global object`},
		{`make(env({big: 5}))`,
			`throws LinkError: WebAssembly.Instance(): Import #5 "env" "big": global import must be a BigInt`},
	} {
		r.Expect(c.js, c.want)
	}
}

func TestTablesAndGlobals(t *testing.T) {
	r := runner(t, map[string]sample{"own": own})
	r.Eval(`globalThis.x = new WebAssembly.Instance(own).exports`)
	for _, c := range []struct{ js, want string }{
		{`return [x.table.length, x.table.get(0)(21), x.table.get(0) === x.table.get(0), x.table.get(2), ` +
			`x.table.get(0).length].join()`, "3,42,true,,1"},
		{`x.table.set(2, x.double); return [x.table.get(2) === x.double, x.indirect(2), x.pick(2) === x.double, ` +
			`x.pick(0)(5)].join()`, "true,42,true,10"},
		{`x.table.get(3)`, "throws RangeError: WebAssembly.Table.get(): invalid address 3 in funcref table of size 3"},
		{`x.table.set(0, () => 1)`,
			"throws TypeError: WebAssembly.Table.set(): Argument 1 is invalid for table: function-typed object " +
				"expected"},
		{`return [x.table.grow(1, x.double), x.table.length, x.table.get(3) === x.double].join()`, "3,4,true"},
		{`x.table.grow(1)`, "throws RangeError: WebAssembly.Table.grow(): failed to grow table by 1"},
		{`new WebAssembly.Table({initial: 1, element: "i32"})`,
			"throws TypeError: WebAssembly.Table(): Descriptor property 'element' must be a WebAssembly reference " +
				"type"},
		{`x.g.value = 2**32 + 3; x.d.value = "2.25"; return [x.g.value, x.k.value, typeof x.k.value, x.d.value, ` +
			`x.g.valueOf()].join()`, "3,7,bigint,2.25,3"},
		{`"use strict"; x.k.value = 5n`,
			"throws TypeError: set WebAssembly.Global.value: Can't set the value of an immutable global."},
		{`return [new WebAssembly.Global({value: "i64"}).value, ` +
			`new WebAssembly.Global({value: "f32"}, 1.1).value === Math.fround(1.1), ` +
			`new WebAssembly.Global({value: "externref", mutable: true}, "s").value].join()`, "0,true,s"},
		{`new WebAssembly.Global({value: "i8"})`,
			"throws TypeError: WebAssembly.Global(): Descriptor property 'value' must be a WebAssembly type"},
	} {
		r.Expect(c.js, c.want)
	}
}

// endless has code that never ends by itself: a loop, short loops in a loop, calls of a function with a short loop, and
// calls without any loop, 2**60 of them.
var endless = sample{
	types: []signature{sig(nil), sig(in(i64), i64)},
	funcs: []int{0, 0, 0, 0, 1, 0},
	exports: [][]byte{
		exportOf("loop", 0, 0), exportOf("nested", 0, 1), exportOf("calls", 0, 3), exportOf("recursion", 0, 5)},
	code: [][]byte{
		bodyOf([]byte{0x03, 0x40, 0x0c, 0, 0x0b}),
		bodyOf([]byte{0x03, 0x40, 0x02, 0x40, 0x03, 0x40, 0x0c, 1, 0x0b, 0x0b, 0x0c, 0, 0x0b}),
		bodyOf([]byte{0x03, 0x40, 0x0b}),
		bodyOf([]byte{0x03, 0x40, 0x10, 2, 0x0c, 0, 0x0b}),
		bodyOf([]byte{0x20, 0, 0x50, 0x04, 0x7e, 0x42, 1, 0x05, 0x20, 0, 0x42, 1, 0x7d, 0x10, 4, 0x20, 0, 0x42, 1, 0x7d,
			0x10, 4, 0x7c, 0x0b}),
		bodyOf([]byte{0x42, 60, 0x10, 4, 0x1a}),
	},
}

// Endless code ends by the CPU limit while Go collects garbage all the time, and the isolate lives on. Compiled code
// cannot be preempted: unless it visits Go, a collection stops the process for good.
func TestCPULimitEndsWasm(t *testing.T) {
	r := runner(t, map[string]sample{"m": arithmetic, "endless": endless})
	r.Eval(`globalThis.x = new WebAssembly.Instance(m).exports; globalThis.e = ` +
		`new WebAssembly.Instance(endless).exports; globalThis.caught = false`)
	done, collected := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(collected)
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for _, name := range []string{"loop", "nested", "calls", "recursion"} {
		ended := false
		r.On(func() {
			scope := r.Loop.NewScope(r.Scope.Context(), nil, nil)
			scope.LimitCPU(20*time.Millisecond, func() { ended = true })
			scope.Run(func() {
				if _, err := r.Loop.Runtime().RunString(
					`try { e.` + name + `() } catch { caught = true }; while (true);`); err == nil {
					t.Errorf("%s ended by itself", name)
				}
			})
		})
		r.Expect(`return [caught, x.add(1, 2)].join()`, "false,3")
		if !ended {
			t.Errorf("%s: nobody was told of the limit", name)
		}
	}
	close(done)
	<-collected
}

func FuzzModule(f *testing.F) {
	for _, m := range []sample{arithmetic, callerModule, shared, own, endless, threads, sharing} {
		f.Add(m.binary())
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		p, err := compile(code)
		if err == nil && (p.compiled == nil || len(p.functions) < len(p.names)) {
			t.Error("a program without code")
		}
		if err != nil && compileText("Module", err) == "" {
			t.Error("an error without text")
		}
	})
}
