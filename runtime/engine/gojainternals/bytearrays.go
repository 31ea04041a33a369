package gojainternals

import (
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// What platform objects take and give as bytes: a view is looked at without its accessors, which are functions of a
// script's kind, and a Uint8Array is made with its buffer in one piece.

// byteFields are what that needs.
type byteFields struct {
	made  reflect.Type // a Uint8Array and its buffer, with their objects
	parts [4]uintptr   // where those are: view, its object, buffer, its object
	proto uintptr      // of what a runtime has: the prototype of ArrayBuffer
}

func (l *Layout) readBytes(r *reader) {
	f := &l.bytes
	wrapper := reflect.TypeFor[goja.ArrayBuffer]()
	if wrapper.NumField() != 1 || wrapper.Field(0).Type != reflect.PointerTo(l.views.buffer) {
		r.fail("%s is no pointer to a %s", wrapper, l.views.buffer)
		return
	}
	probe := r.object("new Uint8Array(1)")
	r.beginsAsObject(probe)
	r.beginsAsObject(r.object("new ArrayBuffer(1)"))
	view, _ := self(probe)
	object := reflect.TypeFor[goja.Object]()
	f.made = reflect.StructOf([]reflect.StructField{{Name: "View", Type: view.Elem()},
		{Name: "ViewObject", Type: object},
		{Name: "Buffer", Type: l.views.buffer}, {Name: "BufferObject", Type: object}})
	for i := range f.parts {
		f.parts[i] = f.made.Field(i).Offset
	}
	_, global := r.field(reflect.TypeFor[goja.Runtime](), "global", nil)
	if r.err == nil {
		f.proto, _ = r.field(global, "ArrayBufferPrototype", reflect.TypeFor[*goja.Object]())
	}
}

// ViewClass is the class of a view; ok is false for what is none, or has a class that goja lacks.
func (l *Layout) ViewClass(view *goja.Object) (name string, ok bool) {
	switch l.kind(view) {
	case l.views.typedKind:
		name, ok = l.stores[*(*unsafe.Pointer)(unsafe.Add(l.data(view), l.views.store))]
	case l.views.dataViewKind:
		return "DataView", true
	}
	return name, ok
}

// ArrayBuffer is the buffer under the view for Go.
func (w Window) ArrayBuffer() goja.ArrayBuffer { return *(*goja.ArrayBuffer)(unsafe.Pointer(w.buffer)) }

// ArrayBuffer is an ArrayBuffer for Go; ok is false if o is none.
func (l *Layout) ArrayBuffer(o *goja.Object) (b goja.ArrayBuffer, ok bool) {
	if !l.IsArrayBuffer(o) {
		return b, false
	}
	*(*unsafe.Pointer)(unsafe.Pointer(&b)) = l.data(o)
	return b, true
}

// NewBytes makes a Uint8Array over a buffer that owns data. like is one of the same runtime that nothing has happened
// to; it is nil if the runtime has made no buffer yet.
func (l *Layout) NewBytes(rt *goja.Runtime, like *goja.Object, data []byte) *goja.Object {
	proto := *(**goja.Object)(unsafe.Add(unsafe.Pointer(rt), l.quick.global+l.bytes.proto))
	if proto == nil || l.kind(like) != l.views.typedKind {
		return nil
	}
	f, v := &l.bytes, &l.views
	made := reflect.New(f.made)
	p := made.UnsafePointer()
	view, buffer := unsafe.Add(p, f.parts[0]), unsafe.Add(p, f.parts[2])
	viewObject, bufferObject := (*goja.Object)(unsafe.Add(p, f.parts[1])), (*goja.Object)(unsafe.Add(p, f.parts[3]))

	made.Elem().Field(0).Set(reflect.NewAt(f.made.Field(0).Type, l.data(like)).Elem())
	b := (*baseMirror)(view)
	b.val, b.values = viewObject, map[unistring.String]goja.Value{}
	*(*unsafe.Pointer)(unsafe.Add(view, v.typed.buffer)) = buffer
	*(*int)(unsafe.Add(view, v.typed.offset)), *(*int)(unsafe.Add(view, v.typed.length)) = 0, len(data)
	bytes := (*[]byte)(unsafe.Add(buffer, v.bufferData))
	*(*unsafe.Pointer)(unsafe.Add(view, v.store+unsafe.Sizeof(uintptr(0)))) = unsafe.Pointer(bytes)
	l.become(rt, viewObject, v.typedKind, view)

	*bytes = data
	c := (*baseMirror)(buffer)
	c.class, c.val, c.prototype, c.extensible = b.class, bufferObject, proto, true
	c.values = map[unistring.String]goja.Value{}
	l.become(rt, bufferObject, v.bufferKind, buffer)
	return viewObject
}
