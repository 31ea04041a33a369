package webidl

import (
	"strconv"
	"sync"

	"github.com/dop251/goja"
)

// bufferIntrinsics are the accessors of typed arrays and DataView, taken before user code can replace them.
type bufferIntrinsics struct {
	tag                         goja.Callable // %TypedArray%.prototype[@@toStringTag]
	taBuffer, taOffset, taLen   goja.Callable
	dvBuffer, dvOffset, dvLen   goja.Callable
	uint8Array, arrayBufferCtor *goja.Object
	bytes                       *goja.Object // a Uint8Array that no script has seen
}

// captureProgram collects the accessors, in the order in which captureBuffers takes them.
var captureProgram = sync.OnceValue(func() *goja.Program {
	return goja.MustCompile("webidl:buffers", `(() => {
	const getter = (o, k) => Object.getOwnPropertyDescriptor(o, k).get;
	const typed = Object.getPrototypeOf(Uint8Array.prototype), view = DataView.prototype;
	return [
		getter(typed, Symbol.toStringTag), getter(typed, "buffer"), getter(typed, "byteOffset"),
		getter(typed, "byteLength"), getter(view, "buffer"), getter(view, "byteOffset"), getter(view, "byteLength"),
	];
})()`, true)
})

func captureBuffers(rt *goja.Runtime) bufferIntrinsics {
	v, err := rt.RunProgram(captureProgram())
	if err != nil {
		panic(err)
	}
	in := bufferIntrinsics{
		uint8Array:      rt.Get("Uint8Array").ToObject(rt),
		arrayBufferCtor: rt.Get("ArrayBuffer").ToObject(rt),
	}
	for i, to := range []*goja.Callable{
		&in.tag, &in.taBuffer, &in.taOffset, &in.taLen, &in.dvBuffer, &in.dvOffset, &in.dvLen,
	} {
		f, ok := goja.AssertFunction(v.(*goja.Object).Get(strconv.Itoa(i)))
		if !ok {
			panic("webidl: captured accessor " + strconv.Itoa(i) + " is none")
		}
		*to = f
	}
	return in
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
	if w, ok := r.in.Window(obj); ok && !w.Gone() {
		if class, ok := r.in.ViewClass(obj); ok {
			return View{Kind: class, Buffer: w.ArrayBuffer(), Object: w.Buffer(), Offset: w.Offset() * w.Unit(),
				Length: w.Length() * w.Unit()}, true
		}
	}
	if ab, ok := r.in.ArrayBuffer(obj); ok {
		return View{Kind: "ArrayBuffer", Buffer: ab, Object: obj, Length: len(ab.Bytes())}, true
	}
	if tag, err := r.buffers.tag(obj); err == nil && !goja.IsUndefined(tag) {
		return r.window(tag.String(), obj, r.buffers.taBuffer, r.buffers.taOffset, r.buffers.taLen)
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
	if like := r.buffers.bytes; like != nil {
		if obj := r.in.NewBytes(r.rt, like, b); obj != nil {
			return obj
		}
	}
	made := func(b []byte) *goja.Object {
		obj, err := r.rt.New(r.buffers.uint8Array, r.ArrayBuffer(b))
		if err != nil {
			panic(err)
		}
		return obj
	}
	if r.buffers.bytes == nil {
		r.buffers.bytes = made(nil)
	}
	return made(b)
}
