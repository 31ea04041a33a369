package webidl

import (
	"github.com/dop251/goja"

	"eddy/runtime/engine/gojainternals"
)

// bufferIntrinsics are the accessors of typed arrays and DataView, taken before user code can replace them.
type bufferIntrinsics struct {
	tag                         goja.Callable // %TypedArray%.prototype[@@toStringTag]
	taBuffer, taOffset, taLen   goja.Callable
	dvBuffer, dvOffset, dvLen   goja.Callable
	uint8Array, arrayBufferCtor *goja.Object
}

func captureBuffers(rt *goja.Runtime) bufferIntrinsics {
	getter := func(expr string) goja.Callable {
		v, err := rt.RunString(expr)
		if err != nil {
			panic(err)
		}
		f, ok := goja.AssertFunction(v)
		if !ok {
			panic("webidl: no accessor: " + expr)
		}
		return f
	}
	ta := func(name string) goja.Callable {
		return getter("Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), " + name + ").get")
	}
	dv := func(name string) goja.Callable {
		return getter("Object.getOwnPropertyDescriptor(DataView.prototype, " + name + ").get")
	}
	return bufferIntrinsics{
		tag:      ta("Symbol.toStringTag"),
		taBuffer: ta("'buffer'"), taOffset: ta("'byteOffset'"), taLen: ta("'byteLength'"),
		dvBuffer: dv("'buffer'"), dvOffset: dv("'byteOffset'"), dvLen: dv("'byteLength'"),
		uint8Array:      rt.Get("Uint8Array").ToObject(rt),
		arrayBufferCtor: rt.Get("ArrayBuffer").ToObject(rt),
	}
}

// View is the window that an ArrayBuffer, typed array or DataView opens on its buffer.
type View struct {
	// Kind is "ArrayBuffer", "DataView" or the typed array's name.
	Kind string
	// Buffer is the underlying buffer, Object its JavaScript object.
	Buffer goja.ArrayBuffer
	Object *goja.Object
	// Offset and Length are in bytes.
	Offset, Length int
}

// Bytes is the window itself, shared with JavaScript: copy it before anything else runs. Nil when detached.
func (v View) Bytes() []byte {
	if v.Buffer.Detached() {
		return nil
	}
	return v.Buffer.Bytes()[v.Offset : v.Offset+v.Length : v.Offset+v.Length]
}

// BufferView tells whether v is an ArrayBuffer or a view on one.
func (r *Realm) BufferView(v goja.Value) (View, bool) {
	obj, ok := v.(*goja.Object)
	if !ok {
		return View{}, false
	}
	if tag, err := r.buffers.tag(obj); err == nil && !goja.IsUndefined(tag) {
		return r.window(tag.String(), obj, r.buffers.taBuffer, r.buffers.taOffset, r.buffers.taLen)
	}
	if obj.ExportType() == gojainternals.ArrayBufferType {
		ab := obj.Export().(goja.ArrayBuffer)
		n := 0
		if !ab.Detached() {
			n = len(ab.Bytes())
		}
		return View{Kind: "ArrayBuffer", Buffer: ab, Object: obj, Length: n}, true
	}
	if tag := obj.GetSymbol(goja.SymToStringTag); tag != nil && tag.String() == "DataView" {
		return r.window("DataView", obj, r.buffers.dvBuffer, r.buffers.dvOffset, r.buffers.dvLen)
	}
	return View{}, false
}

func (r *Realm) window(kind string, obj *goja.Object, buffer, offset, length goja.Callable) (View, bool) {
	b, err := buffer(obj)
	if err != nil {
		return View{}, false
	}
	ab, ok := b.Export().(goja.ArrayBuffer)
	if !ok {
		return View{}, false
	}
	view := View{Kind: kind, Buffer: ab, Object: b.(*goja.Object)}
	if ab.Detached() {
		return view, true
	}
	o, err := offset(obj)
	if err != nil {
		return View{}, false
	}
	n, err := length(obj)
	if err != nil {
		return View{}, false
	}
	view.Offset, view.Length = int(o.ToInteger()), int(n.ToInteger())
	return view, true
}

// Bytes copies the bytes of an ArrayBuffer or view.
func (r *Realm) Bytes(v goja.Value) ([]byte, bool) {
	view, ok := r.BufferView(v)
	if !ok {
		return nil, false
	}
	return append([]byte(nil), view.Bytes()...), true
}

// ArrayBuffer makes an ArrayBuffer that owns b.
func (r *Realm) ArrayBuffer(b []byte) goja.Value { return r.rt.ToValue(r.rt.NewArrayBuffer(b)) }

// Uint8Array makes a Uint8Array over a buffer that owns b.
func (r *Realm) Uint8Array(b []byte) *goja.Object {
	obj, err := r.rt.New(r.buffers.uint8Array, r.ArrayBuffer(b))
	if err != nil {
		panic(err)
	}
	return obj
}
