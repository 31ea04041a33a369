package structured_test

import (
	"testing"

	"github.com/dop251/goja"

	"eddy/runtime/engine/ecma"
	"eddy/runtime/engine/structured"
)

// Resizable buffers stay resizable, copied or moved, and the views on them that follow their length go on doing so
// (https://html.spec.whatwg.org/multipage/structured-data.html#structuredserializeinternal).
func TestResizable(t *testing.T) {
	vm := goja.New()
	engine, err := ecma.Install(vm, ecma.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := structured.New(vm, structured.Options{})
	c.LengthTracking = engine.LengthTracking
	_ = vm.Set("clone", func(fc goja.FunctionCall) goja.Value {
		v, err := c.Clone(fc.Argument(0), fc.Arguments[1:], structured.EncodeOptions{})
		if err != nil {
			panic(err)
		}
		return v
	})
	for _, tc := range []struct{ js, want string }{
		{`u = new Uint8Array(b); u[3] = 9; w = clone(u); const before = ` +
			`[w.length, w[3], w.buffer.resizable, w.buffer.maxByteLength]; w.buffer.resize(12); [before, w.length, ` +
			`w[11]].join()`, "8,9,true,16,12,0"},
		{`w = clone(new Uint8Array(b, 2)); w.buffer.resize(12); [w.length, w.byteOffset].join()`, "10,2"},
		{`w = clone(new Uint16Array(b, 2)); w.buffer.resize(13); [w.length, w.byteOffset].join()`, "5,2"},
		{`w = clone(new Uint8Array(b, 2, 4)); w.buffer.resize(12); [w.length, w.byteOffset].join()`, "4,2"},
		{`w = clone(new DataView(b, 2)); w.buffer.resize(12); [w.byteLength, w.byteOffset].join()`, "10,2"},
		{`new Uint8Array(b)[7] = 5; w = clone(b, b); [b.detached, b.byteLength, w.resizable, w.byteLength, ` +
			`w.maxByteLength, new Uint8Array(w)[7]].join()`, "true,0,true,8,16,5"},
		{`try { clone(1, new SharedArrayBuffer(8)) } catch (e) { String(e) }`, "TypeError: Object is not transferable"},
		{`u = new Uint8Array(b); w = clone(u, b); const before = [b.detached, u.length, w.length]; ` +
			`w.buffer.resize(16); [before, w.length].join()`, "true,0,8,16"},
	} {
		v, err := vm.RunString(`{ let u, w; const b = new ArrayBuffer(8, { maxByteLength: 16 }); ` + tc.js + ` }`)
		if err != nil || v.String() != tc.want {
			t.Errorf("%s\n got %v, %v\nwant %s", tc.js, v, err, tc.want)
		}
	}
}
