package ecma

import (
	"runtime"
	"testing"

	"github.com/dop251/goja"
)

func TestResizableBuffers(t *testing.T) {
	const make8 = "const b = new ArrayBuffer(8, { maxByteLength: 16 });"
	for _, c := range []struct{ src, want string }{
		{`[b.resizable, b.byteLength, b.maxByteLength, new ArrayBuffer(4).resizable, ` +
			`new ArrayBuffer(4).maxByteLength].join()`, "true,8,16,false,4"},
		{`const u = new Uint8Array(b); b.resize(16); u[15] = 7; [u.length, u[15], u[16]].join()`, "16,7,"},
		{`const u = new Uint8Array(b).fill(9); b.resize(2); b.resize(8); u.join()`, "9,9,0,0,0,0,0,0"},
		{`const u = new Uint8Array(b, 4, 4); b.resize(5); const gone = ` +
			`[u.length, u.byteLength, u.byteOffset, u[0]].join(); b.resize(9); gone + ';' + [u.length, ` +
			`u.byteOffset].join() + (u.buffer === b)`, "0,0,0,;4,4true"},
		{`const u = new Uint8Array(b, 4, 4); b.resize(5); u.buffer === b`, "true"},
		{`const u = new Uint16Array(b, 2); b.resize(7); const n = u.length; b.resize(1); [n, u.length].join()`, "2,0"},
		{`const u = new Uint8Array(b), s = u.subarray(2), f = u.subarray(2, 4), ` +
			`g = new Uint8Array(b, 0, 8).subarray(2); b.resize(16); ` +
			`[s.length, s.byteOffset, f.length, g.length].join()`, "14,2,2,6"},
		{`const d = new DataView(b, 2); b.resize(16); [d.byteLength, d.getInt8(13)].join()`, "14,0"},
		{`const d = new DataView(b, 4, 4); b.resize(5); try { d.getInt8(0) } catch (e) { e.name }`, "TypeError"},
		{`const d = new DataView(b, 4, 4); b.resize(5); try { d.byteLength } catch (e) { e.name }`, "TypeError"},
		{`const u = new Uint8Array(b, 4, 4); b.resize(5); try { u.fill(1) } catch (e) { e.name }`, "TypeError"},
		{`try { b.resize(17) } catch (e) { String(e) }`,
			"RangeError: ArrayBuffer.prototype.resize: Invalid length parameter"},
		{`try { b.resize(-1) } catch (e) { String(e) }`,
			"RangeError: ArrayBuffer.prototype.resize: Invalid length parameter"},
		{`try { new ArrayBuffer(8).resize(1) } catch (e) { String(e) }`,
			"TypeError: Method ArrayBuffer.prototype.resize called on incompatible receiver #<ArrayBuffer>"},
		{`try { new ArrayBuffer(8, { maxByteLength: 4 }) } catch (e) { String(e) }`,
			"RangeError: Invalid array buffer max length"},
		{`const u = new Uint8Array(b); u[7] = 5; const c = b.transfer(); ` +
			`[c.resizable, c.maxByteLength, b.detached, b.maxByteLength, u.length, new Uint8Array(c)[7]].join()`,
			"true,16,true,0,0,5"},
		{`const c = b.transfer(12); c.resize(16); c.byteLength`, "16"},
		{`const c = b.transferToFixedLength(); c.resizable`, "false"},
		{`b.transfer(); try { b.resize(1) } catch (e) { String(e) }`,
			"TypeError: Cannot perform ArrayBuffer.prototype.resize on a detached ArrayBuffer"},
		{`const c = b.slice(2, 6); c.resizable + ' ' + c.byteLength`, "false 4"},
		{`const g = new SharedArrayBuffer(8, { maxByteLength: 16 }), u = new Uint8Array(g); g.grow(12); ` +
			`[g.growable, g.byteLength, g.maxByteLength, u.length].join()`, "true,12,16,12"},
		{`const g = new SharedArrayBuffer(8, { maxByteLength: 16 }); try { g.grow(4) } catch (e) { String(e) }`,
			"RangeError: SharedArrayBuffer.prototype.grow: Invalid length parameter"},
	} {
		if got := present(t, make8+c.src); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.src, got, c.want)
		}
	}
}

// User code that shrinks the buffer in the midst of an operation gets an error or stale zeros, never foreign memory.
func TestShrinkWithin(t *testing.T) {
	for _, op := range []string{
		"u.fill({ valueOf() { b.resize(0); return 7 } })",
		"u.copyWithin({ valueOf() { b.resize(1); return 3 } }, 0, 4)",
		"u.set([1, 2, { valueOf() { b.resize(0); return 3 } }, 4])",
		"u.set({ length: 16, get 0() { b.resize(0); return 1 }, 15: 3 })",
		"u.with({ valueOf() { b.resize(1); return 9 } }, 4)",
		"u.slice({ valueOf() { b.resize(1); return 9 } })",
		"u.subarray({ valueOf() { b.resize(1); return 9 } })",
		"u.sort(() => { b.resize(0); return 1 })",
		"u.map(() => { b.resize(0); return 1 })",
		"u.filter(() => { b.resize(2); return true })",
		"u.reduce((a) => { b.resize(0); return a })",
		"u.lastIndexOf(1, { valueOf() { b.resize(0); return 9 } })",
		"u.includes(1, { valueOf() { b.resize(0); return 0 } })",
		"u.toLocaleString()",
		"d.setFloat64({ valueOf() { b.resize(0); return 8 } }, 1)",
		"d.setInt8(15, { valueOf() { b.resize(1); return 8 } })",
		"for (const x of u) b.resize(4)",
	} {
		src := "const b = new ArrayBuffer(16, { maxByteLength: 16 }), u = new Uint8Array(b), d = new DataView(b); " +
			"try {" + op +
			"} catch (e) { if (!(e instanceof TypeError || e instanceof RangeError)) throw e } b.resize(0); " +
			"b.resize(16); u.length + ':' + u.some((x) => x !== 0)"
		if got := present(t, src); got != "16:false" {
			t.Errorf("%s leaves %s", op, got)
		}
	}
}

// A buffer that Go detaches (as a transfer does) stays empty whatever is asked of it afterwards.
func TestDetachedByGo(t *testing.T) {
	for _, c := range []struct{ ctor, op string }{
		{"ArrayBuffer", "b.resize(4)"}, {"SharedArrayBuffer", "b.grow(12)"}, {"ArrayBuffer", "u.set([1])"},
		{"ArrayBuffer", "u.fill(1)"},
	} {
		e := newEngine(t)
		v, err := e.eval(
			t, "x.js", "globalThis.b = new "+c.ctor+"(8, { maxByteLength: 16 }); globalThis.u = new Uint8Array(b); b",
			true)
		if err != nil {
			t.Fatal(err)
		}
		v.Export().(goja.ArrayBuffer).Detach()
		v, err = e.eval(
			t, "y.js", "let name; try { "+c.op+
				" } catch (e) { name = e instanceof TypeError || e instanceof RangeError } name + ' ' + u.length", true)
		if err != nil || v.String() != "true 0" {
			t.Errorf("%s of a detached %s: %v, %v", c.op, c.ctor, v, err)
		}
	}
}

// The table of resizable buffers and their lists of views keep nothing alive.
func TestResizableBuffersAreCollected(t *testing.T) {
	e := newEngine(t)
	for range 4 {
		if _, err := e.eval(
			t, "x.js", "for (let i = 0; i < 50; i++) new Uint8Array(new ArrayBuffer(1, { maxByteLength: 64 }))",
			true); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.GC()
	}
	if n := len(e.buffers.states); n > 150 {
		t.Errorf("%d buffers are still in the table", n)
	}
}
